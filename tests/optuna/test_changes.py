"""Spaces that change, parameters that are fixed, objectives that are not what was thought."""

import warnings
from typing import Any

import optuna
import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import TrialState, create_trial

from banditbo import Categorical, Choice, Float, Space
from banditbo.optuna import BanditSampler
from banditbo.optuna.explain import NOTE


def new_study(**settings: Any) -> optuna.Study:
    return optuna.create_study(sampler=BanditSampler(**{"seed": 0, **settings}))


def lines(said: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in said.records if r.name.endswith("banditbo.optuna.sampler")]


def test_enqueued_parameters_are_kept_and_the_rest_fits_them(objective: Any) -> None:
    study = new_study()
    study.optimize(objective, n_trials=25)
    study.enqueue_trial({"model": "forest"})
    study.enqueue_trial({"kernel": "rbf", "gamma": 0.3, "model": "svm"})
    study.optimize(objective, n_trials=2)
    forest, svm = study.trials[25:]
    assert forest.params["model"] == "forest"
    assert forest.system_attrs[NOTE]["arm"] == "model=forest"
    assert svm.params["gamma"] == 0.3
    assert abs(svm.params["C"] - 1) < 0.5


def test_an_enqueued_value_nobody_knows(objective: Any) -> None:
    study = new_study()
    study.optimize(objective, n_trials=10)
    study.enqueue_trial({"model": "mean", "something else": 3})
    study.optimize(objective, n_trials=2)
    assert study.trials[10].params == {"model": "mean"}


def test_a_number_enqueued_alone_says_in_which_arms(objective: Any) -> None:
    study = new_study()
    study.optimize(objective, n_trials=25)
    study.enqueue_trial({"n": 30})
    study.optimize(objective, n_trials=1)
    assert study.trials[25].params == {"model": "forest", "n": 30}


def test_partial_fixed_sampler_restricts_the_plan(objective: Any) -> None:
    study = new_study()
    study.optimize(objective, n_trials=25)
    inner = study.sampler
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.sampler = optuna.samplers.PartialFixedSampler({"model": "forest"}, inner)
    study.optimize(objective, n_trials=5)
    late = study.trials[25:]
    assert all(t.system_attrs[NOTE]["arm"] == "model=forest" for t in late)
    assert min(abs(t.params["n"] - 30) for t in late) <= 2


def test_partial_fixed_numbers_are_taken_into_account() -> None:
    def f(trial: optuna.Trial) -> float:
        return (trial.suggest_float("x", 0, 1) - trial.suggest_float("y", 0, 1)) ** 2

    study = new_study()
    study.optimize(f, n_trials=25)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        study.sampler = optuna.samplers.PartialFixedSampler({"y": 0.77}, study.sampler)
    study.optimize(f, n_trials=4)
    assert min(abs(t.params["x"] - 0.77) for t in study.trials[25:]) < 0.05


def test_a_range_that_grows_keeps_what_was_learned() -> None:
    study = new_study()
    study.optimize(lambda t: (t.suggest_float("x", 0, 1) - 3) ** 2, n_trials=10)
    study.optimize(lambda t: (t.suggest_float("x", 0, 5) - 3) ** 2, n_trials=10)
    optimizer = study.sampler.optimizer(study)
    assert optimizer.space == Space({"x": Float(0, 5)})
    assert len(optimizer._history.observed()) == 20
    assert study.best_value < 0.01


def test_a_range_that_shrinks_keeps_the_inside_and_comes_back() -> None:
    study = new_study()
    study.optimize(lambda t: t.suggest_float("x", 0, 5), n_trials=10)
    study.optimize(lambda t: t.suggest_float("x", 2, 5), n_trials=3)
    inside = sum(t.params["x"] >= 2 for t in study.trials)
    assert len(study.sampler.optimizer(study)._history.observed()) == inside
    study.optimize(lambda t: t.suggest_float("x", 0, 5), n_trials=1)
    assert len(study.sampler.optimizer(study)._history.observed()) == 14


def test_a_range_that_depends_on_another_parameter() -> None:
    def f(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0.1, 1)
        return (trial.suggest_float("y", 0, x) - 0.4) ** 2 + (x - 0.5) ** 2

    study = new_study()
    study.optimize(f, n_trials=30)
    assert all(t.params["y"] <= t.params["x"] for t in study.trials)
    assert study.best_value < 1e-2


def test_parameters_that_appear_late(said: pytest.LogCaptureFixture) -> None:
    study = new_study()
    study.optimize(lambda t: t.suggest_float("x", 0, 1), n_trials=10)
    study.optimize(lambda t: t.suggest_float("x", 0, 1) + t.suggest_float("y", 0, 1), n_trials=15)
    assert study.best_trial.number < 10 or study.best_value < 0.05
    about = [m for m in lines(said) if "'y'" in m]
    assert len(about) == 1
    assert "no finished trial has had it" in about[0]
    assert {"x", "y"} == set(study.sampler.optimizer(study).space.parameters) - {
        "parameters asked for"
    } | {"y"}


def test_nothing_is_said_while_nothing_is_amiss(
    objective: Any, said: pytest.LogCaptureFixture
) -> None:
    study = new_study()
    study.optimize(lambda t: t.suggest_float("x", 0, 1) + t.suggest_int("n", 1, 5), n_trials=12)
    assert lines(said) == []
    study = new_study()
    study.optimize(objective, n_trials=30)
    said_of = [m.split("'")[1] for m in lines(said)]
    assert len(said_of) == len(set(said_of))


def test_parameters_with_one_value() -> None:
    def f(trial: optuna.Trial) -> float:
        trial.suggest_categorical("c", ["only"])
        trial.suggest_int("n", 3, 3)
        return trial.suggest_float("x", 0, 1) + trial.suggest_float("one", 1, 1)

    study = new_study()
    study.optimize(f, n_trials=12)
    assert set(study.sampler.optimizer(study).space.parameters) == {"x"}
    assert study.best_value < 1.01


def test_a_study_with_nothing_to_choose() -> None:
    study = new_study()
    study.optimize(lambda t: t.suggest_int("n", 3, 3), n_trials=8)
    assert [t.params for t in study.trials] == [{"n": 3}] * 8
    study.optimize(lambda t: 1.0, n_trials=2)
    assert study.sampler.arms(study) == []


def test_hyperband() -> None:
    def f(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        for step in range(1, 10):
            trial.report((x - 0.3) ** 2 + 1 / step, step)
            if trial.should_prune():
                raise optuna.TrialPruned
        return (x - 0.3) ** 2

    for pruned in ("ignore", "last"):
        study = optuna.create_study(
            sampler=BanditSampler(seed=0, pruned=pruned),  # type: ignore[arg-type]
            pruner=optuna.pruners.HyperbandPruner(min_resource=1, max_resource=9),
        )
        study.optimize(f, n_trials=40)
        assert len(study.trials) == 40
        assert study.best_value < 0.05


def test_a_presence_that_nothing_explains_is_said_once(said: pytest.LogCaptureFixture) -> None:
    def f(trial: optuna.Trial) -> float:
        x, z = trial.suggest_float("x", 0, 1), trial.suggest_float("z", 0, 1)
        if (x + z) % 0.5 > 0.25:
            return x + trial.suggest_float("y", 0, 1)
        return x + z

    study = new_study()
    study.optimize(f, n_trials=30)
    about = [m for m in lines(said) if "nothing explains" in m]
    assert len(about) == 1
    assert "'y'" in about[0]
    assert study.best_value < 0.2


def test_a_parameter_behind_a_number() -> None:
    def f(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        if x > 0.37:
            return (trial.suggest_float("y", 0, 1) - 0.5) ** 2 + (x - 0.8) ** 2
        return 0.3 + x

    study = new_study()
    study.optimize(f, n_trials=40)
    assert study.best_value < 1e-2


def test_a_space_that_does_not_match_is_said_once_and_handled(
    said: pytest.LogCaptureFixture,
) -> None:
    space = Space({"f": Choice({"a": {"x": Float(0, 1)}, "b": None}), "g": Categorical(["u"])})

    def f(trial: optuna.Trial) -> float:
        value = trial.suggest_float("other", 0, 1)
        if trial.suggest_categorical("f", ["a", "b"]) == "a":
            return value + trial.suggest_float("x", 5, 6)
        return value + 5

    study = new_study(space=space)
    study.optimize(f, n_trials=20)
    said_of = [m for m in lines(said) if "space given" in m]
    assert 1 <= len(said_of) <= 3
    assert len({m.split("'")[1] for m in said_of}) == len(said_of)
    assert study.best_value < 5.2


def test_choices_that_change_are_refused_by_optuna_and_the_study_goes_on() -> None:
    study = new_study()
    study.optimize(lambda t: t.suggest_categorical("f", [1, 2, 3]), n_trials=8)
    with pytest.raises(ValueError, match="dynamic value space"):
        study.optimize(lambda t: t.suggest_categorical("f", [1, 2]), n_trials=1)
    study.optimize(lambda t: t.suggest_categorical("f", [1, 2, 3]), n_trials=2)
    assert [t.state for t in study.trials].count(TrialState.COMPLETE) == 10


def test_choices_that_changed_in_added_trials() -> None:
    study = new_study()
    for choices in ([1, 2], [1, 2, 3]):
        for value in choices:
            study.add_trial(
                create_trial(
                    params={"f": value},
                    distributions={"f": CategoricalDistribution(choices)},
                    value=-value,
                )
            )
    assert [a.choices["f"] for a in study.sampler.optimizer(study).space.arms] == [1, 2, 3]


def test_float_in_one_trial_and_integer_in_another() -> None:
    study = new_study()
    for number in range(4):
        study.add_trial(
            create_trial(
                params={"x": 0.1 * number},
                distributions={"x": FloatDistribution(0, 1)},
                value=number,
            )
        )
    for number in range(4):
        study.add_trial(
            create_trial(
                params={"x": number}, distributions={"x": IntDistribution(0, 20)}, value=number
            )
        )
    trial = study.ask()
    with pytest.raises(ValueError, match="different distribution kind"):
        trial.suggest_float("x", 0, 1)
    study.tell(trial, state=TrialState.FAIL)
    optimizer = study.sampler.optimizer(study)
    assert len(optimizer._history.observed()) == 5  # the float 0.0 is an integer too


def test_nan_and_errors_and_trials_without_parameters() -> None:
    def f(trial: optuna.Trial) -> float:
        x = trial.suggest_float("x", 0, 1)
        if x > 0.8:
            return float("nan")
        if x > 0.6:
            raise RuntimeError("no")
        return (x - 0.5) ** 2

    study = new_study()
    study.add_trial(create_trial(params={}, distributions={}, value=3.0))
    study.optimize(f, n_trials=25, catch=(RuntimeError,))
    assert study.best_value < 1e-4


def test_integers_of_any_size_and_steps() -> None:
    def f(trial: optuna.Trial) -> float:
        big = trial.suggest_int("big", 0, 2**60)
        step = trial.suggest_float("s", -1.05, 0.95, step=0.1)
        return abs(big - 2**59) / 2**60 + abs(step) + trial.suggest_int("l", 1, 10**6, log=True)

    study = new_study()
    study.optimize(f, n_trials=20)
    assert len(study.trials) == 20
