"""``maximize`` and ``minimize`` with a storage: an Optuna study with the sampler, which resumes.

An SQLite file is enough for one machine; PostgreSQL is the same line with another address. The
same call, made again after it was killed, goes on where it was; made in several processes at
once, they share the work.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Any, Literal

import optuna
from optuna.trial import TrialState

from banditbo.bandit import Policy
from banditbo.errors import InvalidStateError, InvalidValueError
from banditbo.model import ModelSetting
from banditbo.optimizer import Optimizer, Result, Trial
from banditbo.optimizer.checks import check_direction, check_number, check_value
from banditbo.optimizer.loop import Callback, _Bar, _evaluate
from banditbo.optuna.sampler import BanditSampler
from banditbo.optuna.suggest import check_names, suggest
from banditbo.space import Space

__all__ = ["StudyResult", "run_study"]

#: The name of a study that was given none.
STUDY_NAME = "banditbo"

#: The user attribute of a failed trial that says why.
ERROR = "error"


@dataclass(frozen=True, slots=True)
class StudyResult(Result):
    """What came of a run, with its study."""

    study: optuna.Study


def run_study(
    function: Callable[..., float],
    space: Space,
    direction: Literal["maximize", "minimize"],
    n_trials: int,
    storage: str | optuna.storages.BaseStorage | None,
    study_name: str | None = None,
    *,
    batch_size: int = 1,
    executor: Executor | None = None,
    time_limit: float | None = None,
    callbacks: Iterable[Callback] = (),
    progress: bool | None = None,
    seed: int | None = None,
    n_init: int | Literal["auto"] = "auto",
    model: str | ModelSetting = "auto",
    policy: str | Policy = "auto",
    noise: float | None = None,
) -> StudyResult:
    """Run a function as an Optuna study; everything else is as in ``maximize``.

    Parameters
    ----------
    n_trials
        Evaluations in all, those that the study already has included.
    storage, study_name
        As for ``optuna.create_study``; a study of that name goes on, if there is one.
    n_init
        ``"auto"``, or so many trials an arm before a model is used.

    Examples
    --------
    >>> from banditbo import Choice, Float, Space
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> space = Space({"f": Choice({"hill": {"x": Float(-2, 2)}, "flat": None})})
    >>> def f(f, x=0.0):
    ...     return 1.0 - x * x if f == "hill" else 0.5
    >>> result = run_study(f, space, "maximize", 20, None, seed=0)
    >>> result.best.value > 0.99, len(result.study.trials)
    (True, 20)
    """
    check_number("n_trials", n_trials, 1)
    check_number("batch_size", batch_size, 1)
    if time_limit is not None and not time_limit > 0:
        raise InvalidValueError(f"time_limit={time_limit!r}: use a number of seconds above 0")
    if not callable(function):
        raise InvalidValueError(f"function must be callable, not {function!r}")
    check_names(space)
    sampler = BanditSampler(
        space,
        seed=seed,
        n_startup_trials=_startup(n_init, model, space),
        model=model,
        policy=policy,
        noise=noise,
    )
    study = _study(storage, study_name, check_direction(direction), sampler)
    called = list(callbacks)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    out: dict[int, optuna.Trial] = {}  # asked and not told yet
    with _Bar(n_trials, progress) as bar:
        try:
            done = _finished(study)
            if done:
                bar.update(done, _view(sampler, study))
            while done < n_trials:
                if deadline is not None and time.monotonic() >= deadline:
                    return StudyResult(_view(sampler, study), "time_limit", study)
                for _ in range(min(batch_size, n_trials - done)):
                    trial = study.ask()
                    out[trial.number] = trial
                numbers = list(out)
                asked = list(out.values())
                params = [suggest(trial, space) for trial in asked]
                proposed = _as_trials(space, asked, params)
                for one, outcome in _evaluate(function, proposed, executor):
                    _tell(study, out[one.number], outcome)
                    del out[one.number]
                before, done = done, _finished(study)
                optimizer = _view(sampler, study)
                bar.update(done - before, optimizer)
                if _any_stops(called, optimizer, numbers):
                    return StudyResult(optimizer, "callback", study)
                if optimizer.evaluated_all():
                    return StudyResult(optimizer, "exhausted", study)
        except KeyboardInterrupt:
            for left in out.values():  # leave none running for ever
                study.tell(left, state=TrialState.FAIL, skip_if_finished=True)
            return StudyResult(_view(sampler, study), "interrupted", study)
    return StudyResult(_view(sampler, study), "n_trials", study)


def _study(
    storage: str | optuna.storages.BaseStorage | None,
    study_name: str | None,
    direction: Literal["maximize", "minimize"],
    sampler: BanditSampler,
) -> optuna.Study:
    study = optuna.create_study(
        storage=storage,
        study_name=study_name or STUDY_NAME,
        direction=direction,
        sampler=sampler,
        load_if_exists=True,
    )
    if study.direction.name.lower() != direction:
        raise InvalidStateError(
            f"the study {study.study_name!r} in this storage is to be "
            f"{study.direction.name.lower()}d, not {direction}d: use another study_name"
        )
    return study


def _startup(
    n_init: int | Literal["auto"], model: str | ModelSetting, space: Space
) -> int | Literal["auto"]:
    if n_init == "auto" and model != "paper":
        return "auto"
    each = 2 if n_init == "auto" else check_number("n_init", n_init, 0)
    return each * len(space.arms)


def _finished(study: optuna.Study) -> int:
    return sum(t.state.is_finished() for t in study.get_trials(deepcopy=False))


def _view(sampler: BanditSampler, study: optuna.Study) -> Optimizer:
    optimizer = sampler.optimizer(study)
    if optimizer is None:
        raise InvalidStateError("the study has a space and no view of it")
    return optimizer


def _as_trials(
    space: Space, asked: list[optuna.Trial], params: list[dict[str, Any]]
) -> list[Trial]:
    return [Trial(t.number, space.arm_of(p), p) for t, p in zip(asked, params, strict=True)]


def _tell(study: optuna.Study, trial: optuna.Trial, outcome: Any) -> None:
    error = outcome if isinstance(outcome, Exception) else None
    if error is None:
        try:
            study.tell(trial, check_value(outcome, f"trial {trial.number}"))
        except InvalidValueError as refused:
            error = refused
        else:
            return
    trial.set_user_attr(ERROR, f"{type(error).__name__}: {error}"[:2000])
    study.tell(trial, state=TrialState.FAIL)


def _any_stops(called: list[Callback], optimizer: Optimizer, numbers: list[int]) -> bool:
    said = [bool(c(optimizer, optimizer.record(n))) for n in numbers for c in called]
    return any(said)
