import math
import warnings
from typing import Any

import optuna
import pytest
from optuna.study import StudyDirection

from banditbo import InvalidValueError
from banditbo.optuna import ArmImprovementEvaluator, BanditSampler, StopStudy


def test_the_expected_gain_falls(objective: Any) -> None:
    study = optuna.create_study(sampler=BanditSampler(seed=0))
    evaluator = ArmImprovementEvaluator(study.sampler)
    assert evaluator.evaluate([], StudyDirection.MINIMIZE) == math.inf
    study.optimize(objective, n_trials=40)
    early = evaluator.evaluate(study.trials[:6], study.direction)
    late = evaluator.evaluate(study.trials, study.direction)
    assert 0 <= late < early / 3


def test_it_works_in_optunas_terminator(objective: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        terminator = optuna.terminator.Terminator(
            improvement_evaluator=ArmImprovementEvaluator(BanditSampler(seed=0)),
            error_evaluator=optuna.terminator.StaticErrorEvaluator(0.05),
            min_n_trials=15,
        )
        callback = optuna.terminator.TerminatorCallback(terminator)
    study = optuna.create_study(sampler=BanditSampler(seed=0))
    study.optimize(objective, n_trials=100, callbacks=[callback])
    assert 15 <= len(study.trials) < 100
    assert study.best_value < 0.05


def test_a_callback_stops_the_study(objective: Any) -> None:
    for sampler in (BanditSampler(seed=0), optuna.samplers.TPESampler(seed=0)):
        study = optuna.create_study(sampler=sampler)
        study.optimize(objective, n_trials=100, callbacks=[StopStudy(improvement=0.05, every=10)])
        assert len(study.trials) < 100
    study = optuna.create_study(sampler=BanditSampler(seed=0))
    study.optimize(objective, n_trials=20, callbacks=[StopStudy(improvement=1e9, confidence=1.1)])
    assert len(study.trials) == 20
    with pytest.raises(InvalidValueError, match="needs improvement"):
        StopStudy()
