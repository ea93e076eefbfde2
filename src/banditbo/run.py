"""``maximize`` and ``minimize``: one call, in memory or, with a storage, as an Optuna study."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from typing import Any, Literal

from banditbo.bandit import Policy
from banditbo.errors import InvalidValueError
from banditbo.model import ModelSetting
from banditbo.optimizer import Callback, Optimizer, Result, run
from banditbo.space import Space

__all__ = ["maximize", "minimize"]


def maximize(
    function: Callable[..., float],
    space: Space,
    n_trials: int = 100,
    *,
    batch_size: int = 1,
    executor: Executor | None = None,
    storage: Any = None,
    study_name: str | None = None,
    time_limit: float | None = None,
    callbacks: Iterable[Callback] = (),
    progress: bool | None = None,
    seed: int | None = None,
    n_init: int | Literal["auto"] = "auto",
    model: str | ModelSetting = "auto",
    policy: str | Policy = "auto",
    noise: float | None = None,
) -> Result:
    """Maximise a function of keyword arguments over a space.

    Parameters
    ----------
    function
        Called with the parameters of a trial as keyword arguments. An exception it raises makes
        the trial a failed one; nan or infinity likewise.
    space
        What may be searched.
    n_trials
        Evaluations in all; with a storage, those of earlier calls included.
    batch_size, executor
        So many evaluations a round, on a ``concurrent.futures`` executor; one after another
        without one.
    storage, study_name
        Run as an Optuna study, kept where ``optuna.create_study`` would keep it, for example in
        ``"sqlite:///study.db"``. Killed at any moment, the same call goes on where it was; made
        in several processes, they share the work. Needs ``pip install "banditbo[optuna]"``.
    time_limit
        No round is begun after so many seconds.
    callbacks
        Called after every trial with the optimizer and the record; one that returns True ends
        the run after the round. See ``Stop``.
    progress
        A progress bar: if tqdm is installed and a terminal is there, unless told otherwise.
    seed, n_init, model, policy, noise
        As for ``Optimizer``.

    Examples
    --------
    >>> from banditbo import Choice, Float, Space, maximize
    >>> space = Space({"f": Choice({"hill": {"x": Float(-2, 2)}, "flat": None})})
    >>> def f(f, x=0.0):
    ...     return 1.0 - x * x if f == "hill" else 0.5
    >>> result = maximize(f, space, n_trials=20, seed=0)
    >>> result.best.value > 0.99
    True
    """
    return _run(
        "maximize",
        function,
        space,
        n_trials,
        (storage, study_name),
        {"seed": seed, "n_init": n_init, "model": model, "policy": policy, "noise": noise},
        {
            "batch_size": batch_size,
            "executor": executor,
            "time_limit": time_limit,
            "callbacks": callbacks,
            "progress": progress,
        },
    )


def minimize(
    function: Callable[..., float],
    space: Space,
    n_trials: int = 100,
    *,
    batch_size: int = 1,
    executor: Executor | None = None,
    storage: Any = None,
    study_name: str | None = None,
    time_limit: float | None = None,
    callbacks: Iterable[Callback] = (),
    progress: bool | None = None,
    seed: int | None = None,
    n_init: int | Literal["auto"] = "auto",
    model: str | ModelSetting = "auto",
    policy: str | Policy = "auto",
    noise: float | None = None,
) -> Result:
    """Minimise a function of keyword arguments over a space; all is as in ``maximize``."""
    return _run(
        "minimize",
        function,
        space,
        n_trials,
        (storage, study_name),
        {"seed": seed, "n_init": n_init, "model": model, "policy": policy, "noise": noise},
        {
            "batch_size": batch_size,
            "executor": executor,
            "time_limit": time_limit,
            "callbacks": callbacks,
            "progress": progress,
        },
    )


def _run(
    direction: Literal["maximize", "minimize"],
    function: Callable[..., float],
    space: Space,
    n_trials: int,
    kept: tuple[Any, str | None],
    search: Mapping[str, Any],
    how: Mapping[str, Any],
) -> Result:
    storage, study_name = kept
    if storage is None:
        if study_name is not None:
            raise InvalidValueError(
                f"study_name={study_name!r} without a storage: say where it is to be kept, "
                "storage='sqlite:///study.db'"
            )
        return run(Optimizer(space, direction, **search), function, n_trials, **how)
    try:
        from banditbo.optuna.study import run_study
    except ModuleNotFoundError as error:
        raise InvalidValueError(
            f"storage={storage!r} needs Optuna: pip install 'banditbo[optuna]'"
        ) from error
    return run_study(function, space, direction, n_trials, storage, study_name, **search, **how)
