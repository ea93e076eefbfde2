"""Run a function in rounds of a batch, on any executor: what ``maximize`` and ``minimize`` do.

A round asks for a batch, evaluates it, and tells the outcomes in the order of their numbers, so
that a seeded run is the same at any number of workers.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from dataclasses import dataclass
from numbers import Real
from typing import Any, Literal

from banditbo.errors import InvalidValueError, SpaceExhaustedError
from banditbo.optimizer.checks import check_number, check_value
from banditbo.optimizer.history import Record, Trial
from banditbo.optimizer.optimizer import Optimizer
from banditbo.optimizer.tables import Best, Rows

__all__ = ["Callback", "Result", "Stop", "run"]

#: Called after every trial with the optimizer and the trial's record; True ends the run.
Callback = Callable[[Optimizer, Record], Any]


@dataclass(frozen=True, slots=True)
class Result:
    """What came of a run: ``best`` is the recommended trial, ``optimizer`` can go on."""

    optimizer: Optimizer
    stopped: Literal[
        "n_trials", "time_limit", "callback", "exhausted", "interrupted", "broken executor"
    ]

    @property
    def best(self) -> Best:
        """The recommended trial."""
        return self.optimizer.best

    @property
    def arms(self) -> Rows:
        """A row an arm."""
        return self.optimizer.arms

    @property
    def history(self) -> Rows:
        """A row a trial."""
        return self.optimizer.history


@dataclass(frozen=True, slots=True)
class Stop:
    """A callback that ends a run when little is left to be had.

    Parameters
    ----------
    improvement
        Stop when the expected gain over the recommended point, in units of the value, is lower.
    confidence
        Stop when the probability that the likeliest arm is the best is higher, if given; with
        both, both must hold.
    every
        Look after so many trials.
    """

    improvement: float | None = None
    confidence: float | None = None
    every: int = 5

    def __post_init__(self) -> None:
        if self.improvement is None and self.confidence is None:
            raise InvalidValueError("Stop() needs improvement=, confidence= or both")
        check_number("every", self.every, 1)

    def __call__(self, optimizer: Optimizer, record: Record) -> bool:
        """Tell whether it is time to stop."""
        if (record.number + 1) % self.every:
            return False
        view = optimizer.outlook()
        enough = self.improvement is None or view.improvement < self.improvement
        return enough and (self.confidence is None or view.best > self.confidence)


def run(
    opt: Optimizer,
    function: Callable[..., float],
    n_trials: int,
    *,
    batch_size: int = 1,
    executor: Executor | None = None,
    time_limit: float | None = None,
    callbacks: Iterable[Callback] = (),
    progress: bool | None = None,
) -> Result:
    """Ask, evaluate and tell until n_trials are done; see ``banditbo.maximize``."""
    check_number("n_trials", n_trials, 1)
    check_number("batch_size", batch_size, 1)
    if time_limit is not None and not (isinstance(time_limit, Real) and time_limit > 0):
        raise InvalidValueError(f"time_limit={time_limit!r}: use a number of seconds above 0")
    if not callable(function):
        raise InvalidValueError(f"function must be callable, not {function!r}")
    called = list(callbacks)
    deadline = None if time_limit is None else time.monotonic() + time_limit
    done = 0
    with _Bar(n_trials, progress) as bar:
        try:
            while done < n_trials:
                if deadline is not None and time.monotonic() >= deadline:
                    return Result(opt, "time_limit")
                trials = opt.ask(min(batch_size, n_trials - done))
                stop = False
                for trial, outcome in _evaluate(function, trials, executor):
                    record = _tell(opt, trial, outcome)
                    for callback in called:
                        stop |= bool(callback(opt, record))
                done += len(trials)
                bar.update(len(trials), opt)
                if stop:
                    return Result(opt, "callback")
        except SpaceExhaustedError:
            return Result(opt, "exhausted")
        except KeyboardInterrupt:
            return Result(opt, "interrupted")
        except BrokenExecutor:  # a worker died: its trials have failed, no others can be begun
            return Result(opt, "broken executor")
    return Result(opt, "n_trials")


def _evaluate(
    function: Callable[..., float], trials: Sequence[Trial], executor: Executor | None
) -> Iterator[tuple[Trial, Any]]:
    """Yield every trial with its value, or with the exception it ended with."""
    if executor is None:
        for trial in trials:
            yield trial, _call(function, trial.params)
        return
    waiting = [(trial, executor.submit(function, **trial.params)) for trial in trials]
    try:
        while waiting:
            outcome = _call(waiting[0][1].result, {})
            yield waiting.pop(0)[0], outcome
    except KeyboardInterrupt:
        for trial, future in waiting:  # what is done already counts, what has not begun never does
            if not future.cancel() and future.done():
                yield trial, _call(future.result, {})
        raise


def _call(function: Callable[..., float], params: dict[str, Any]) -> Any:
    try:
        return function(**params)
    except Exception as error:
        return error


def _tell(opt: Optimizer, trial: Trial, outcome: Any) -> Record:
    """Tell a value, or that there is none and why."""
    error = outcome if isinstance(outcome, Exception) else None
    if error is None:
        try:
            value = check_value(outcome, f"trial {trial.number}")
        except InvalidValueError as refused:
            error = refused
        else:
            opt.tell(trial, value)
            return opt.record(trial.number)
    opt.tell(trial, error=f"{type(error).__name__}: {error}")
    return opt.record(trial.number)


class _Bar:
    """A progress bar that shows the best so far, or nothing."""

    def __init__(self, total: int, wanted: bool | None) -> None:
        self._bar: Any = None
        if wanted is False or (wanted is None and not sys.stderr.isatty()):
            return
        try:
            from tqdm.auto import tqdm
        except ImportError:
            if wanted:
                raise InvalidValueError(
                    "progress=True needs tqdm: pip install 'banditbo[progress]'"
                ) from None
            return
        self._bar = tqdm(total=total, unit="trial")

    def __enter__(self) -> _Bar:
        return self

    def __exit__(self, *_: object) -> None:
        if self._bar is not None:
            self._bar.close()

    def update(self, n: int, opt: Optimizer) -> None:
        """Move on by n trials."""
        if self._bar is None:
            return
        if (best := opt.best_so_far) is not None:
            self._bar.set_postfix_str(f"best {best.value:.6g} ({best.arm})", refresh=False)
        self._bar.update(n)
