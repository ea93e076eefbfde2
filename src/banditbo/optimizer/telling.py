"""Outcomes as they are told, checked and made into records; nothing is changed here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from banditbo.errors import InvalidTrialError, InvalidValueError
from banditbo.optimizer.checks import check_noise, check_value
from banditbo.optimizer.history import History, Record, Trial

__all__ = ["Outcome", "read_outcomes"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was told of one trial, or of parameters measured elsewhere."""

    trial: Any
    value: Any
    failed: bool
    error: str | None
    noise: float
    clip: bool


def read_outcomes(outcomes: list[Outcome], history: History, next_number: int) -> list[Record]:
    """Return a record an outcome, or refuse them all."""
    records: list[Record] = []
    for outcome in outcomes:
        record = _read(outcome, history, next_number)
        next_number += not isinstance(outcome.trial, Trial)
        records.append(record)
    numbers = [r.number for r in records]
    if len(set(numbers)) < len(numbers):
        twice = next(k for k in numbers if numbers.count(k) > 1)
        raise InvalidTrialError(f"trial {twice} is in the list twice: tell it once")
    return records


def _read(outcome: Outcome, history: History, next_number: int) -> Record:
    trial, value = outcome.trial, outcome.value
    if isinstance(trial, Trial):
        asked = _pending(trial, history)
        number, params, why = asked.number, asked.params, asked.why
    elif isinstance(trial, Mapping):
        params = history.frame.space.validate(trial, clip=outcome.clip)
        number, why = next_number, {"by": "told"}
    else:
        raise InvalidTrialError(
            f"{trial!r} is not a trial: tell a Trial from ask(), or a dict of parameters"
        )
    if outcome.failed or outcome.error is not None:
        if value is not None:
            raise InvalidValueError(
                f"trial {number} is told failed and has the value {value!r}: leave one of them out"
            )
        return Record(number, params, "failed", error=outcome.error, why=why)
    checked = check_value(value, f"trial {number}")
    return Record(number, params, "complete", checked, check_noise(outcome.noise), why=why)


def _pending(trial: Trial, history: History) -> Trial:
    """Return the trial as it was asked, whatever was done to the caller's copy."""
    pending = history.pending.get(trial.number)
    if pending is not None and pending.params == trial.params:
        return pending
    before = next((r for r in history.told if r.number == trial.number), None)
    if before is not None and before.params == trial.params:
        said = "failed" if before.value is None else f"the value {before.value!r}"
        raise InvalidTrialError(
            f"trial {trial.number} was told already ({said}): it is kept as it was"
        )
    raise InvalidTrialError(
        f"trial {trial.number} was not asked of this optimizer: "
        "tell its parameters as a dict instead"
    )
