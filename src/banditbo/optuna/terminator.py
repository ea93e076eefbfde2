"""When to stop: what is still to be had, seen with the parameters that only some arms have.

Optuna's own evaluators look at the parameters that all trials share, which in a conditional space
is next to nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from optuna.study import Study, StudyDirection
from optuna.terminator import BaseImprovementEvaluator
from optuna.trial import FrozenTrial

from banditbo.errors import InvalidValueError
from banditbo.optuna.sampler import BanditSampler

__all__ = ["ArmImprovementEvaluator", "StopStudy"]


class ArmImprovementEvaluator(BaseImprovementEvaluator):
    """What the best point there is may gain over the recommended one, in units of the value.

    Parameters
    ----------
    sampler
        Whose model and space to use; one of its own if not given.

    Examples
    --------
    >>> from optuna.distributions import FloatDistribution
    >>> from optuna.trial import create_trial
    >>> trials = [
    ...     create_trial(params={"x": x}, distributions={"x": FloatDistribution(0, 1)}, value=x)
    ...     for x in (0.1, 0.5, 0.9)
    ... ]
    >>> ArmImprovementEvaluator().evaluate(trials, StudyDirection.MAXIMIZE) > 0
    True
    """

    def __init__(self, sampler: BanditSampler | None = None) -> None:
        self._sampler = sampler or BanditSampler(seed=0)

    def evaluate(self, trials: list[FrozenTrial], study_direction: StudyDirection) -> float:
        """Return the expected gain; infinity while nothing is known."""
        numbered = _numbered(trials)
        optimizer = self._sampler.view(numbered, study_direction)
        return math.inf if optimizer is None else optimizer.outlook().improvement


def _numbered(trials: Sequence[FrozenTrial]) -> list[FrozenTrial]:
    """Give trials that were never in a study numbers of their own."""
    if len({t.number for t in trials}) == len(trials):
        return list(trials)
    out = []
    for number, trial in enumerate(trials):
        own = FrozenTrial(
            number,
            trial.state,
            trial.value,
            trial.datetime_start,
            trial.datetime_complete,
            trial.params,
            trial.distributions,
            trial.user_attrs,
            trial.system_attrs,
            trial.intermediate_values,
            trial._trial_id,
        )
        out.append(own)
    return out


@dataclass(frozen=True)
class StopStudy:
    """A callback for ``study.optimize`` that ends the study when little is left to be had.

    Parameters
    ----------
    improvement
        Stop when the expected gain over the recommended point, in units of the value, is lower.
    confidence
        Stop when the probability that the likeliest arm is the best is higher, if given; with
        both, both must hold.
    every
        Look after so many trials.
    sampler
        Whose model to use; the study's, if that is a ``BanditSampler``, if not given.

    Examples
    --------
    >>> import optuna
    >>> study = optuna.create_study(sampler=BanditSampler(seed=0))
    >>> study.optimize(
    ...     lambda trial: (trial.suggest_float("x", 0, 1) - 0.3) ** 2,
    ...     n_trials=100,
    ...     callbacks=[StopStudy(improvement=1e-3)],
    ... )
    >>> len(study.trials) < 40
    True
    """

    improvement: float | None = None
    confidence: float | None = None
    every: int = 5
    sampler: BanditSampler | None = field(default=None)

    def __post_init__(self) -> None:
        if self.improvement is None and self.confidence is None:
            raise InvalidValueError("StopStudy() needs improvement=, confidence= or both")

    def __call__(self, study: Study, trial: FrozenTrial) -> None:
        """Stop the study when it is time."""
        if (trial.number + 1) % self.every:
            return
        sampler = self.sampler
        if sampler is None:
            own = study.sampler
            sampler = own if isinstance(own, BanditSampler) else BanditSampler(seed=0)
        optimizer = sampler.optimizer(study)
        if optimizer is None:
            return
        view = optimizer.outlook()
        enough = self.improvement is None or view.improvement < self.improvement
        if enough and (self.confidence is None or view.best > self.confidence):
            study.stop()
