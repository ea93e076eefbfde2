"""What happened, in the order it was told: the only state there is.

Notation
--------
    record   one proposal, or one point measured elsewhere, and its outcome
    sign     +1 when maximising, -1 when minimising: inside, everything is maximised
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from banditbo.bandit import Frame, Pulls, Taken
from banditbo.errors import InvalidValueError
from banditbo.model import Feasibility, Layout, Observations
from banditbo.space import Arm

__all__ = ["History", "Record", "Trial"]

Array = NDArray[np.float64]
Status = Literal["pending", "complete", "failed"]


@dataclass(frozen=True, slots=True)
class Trial:
    """One proposal: its number, its arm, and a flat dict of external values.

    ``why`` is what ``Optimizer.explain`` puts into words.
    """

    number: int
    arm: Arm
    params: dict[str, Any]
    why: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)


@dataclass(frozen=True, slots=True)
class Record:
    """A trial and its outcome; ``noise`` is the known standard deviation of the value.

    ``violation`` is the largest value of its constraints, if there are any: above 0 the trial has
    failed, at a place where it is known by how much.
    """

    number: int
    params: dict[str, Any]
    status: Status
    value: float | None = None
    noise: float = 0.0
    error: str | None = None
    why: Mapping[str, Any] = field(default_factory=dict, repr=False)
    violation: float | None = None


@dataclass(frozen=True, slots=True)
class _Placed:
    """A record's arm and point (D,) in the space as it is now."""

    arm: int
    point: Array


class History:
    """Records in the order they were told, and the trials that are still out."""

    def __init__(self, frame: Frame, sign: float) -> None:
        self.frame = frame
        self.sign = sign
        self.told: list[Record] = []
        self.pending: dict[int, Trial] = {}
        self._placed: list[_Placed | None] = []

    def __iter__(self) -> Iterator[Record]:
        """All records by number, pending ones included."""
        waiting = [Record(t.number, t.params, "pending", why=t.why) for t in self.pending.values()]
        return iter(sorted([*self.told, *waiting], key=lambda r: r.number))

    def place(self, params: Mapping[str, Any]) -> _Placed:
        """Encode params in the space."""
        arm, point = self.frame.space.encode(params)
        return _Placed(arm.index, self.frame.pad(point))

    def add(self, record: Record) -> None:
        """Append what was told; in a space that has since changed it may have no place."""
        self.told.append(record)
        self._placed.append(self._place_or_none(record.params))

    def observations(self) -> Observations:
        """Values of the complete records, to be maximised."""
        rows = [
            (p.arm, p.point, self.sign * r.value, r.noise)
            for r, p in zip(self.told, self._placed, strict=True)
            if p is not None and r.value is not None
        ]
        return Observations(
            np.array([r[0] for r in rows], dtype=np.intp),
            np.array([r[1] for r in rows]).reshape(len(rows), self.frame.width),
            np.array([r[2] for r in rows]),
            np.array([r[3] for r in rows]),
        )

    def observed(self) -> list[Record]:
        """The records behind ``observations``, in its order."""
        pairs = zip(self.told, self._placed, strict=True)
        return [r for r, p in pairs if p is not None and r.value is not None]

    def feasibility(self, layout: Layout) -> Feasibility | None:
        """What the failures teach, if there were any."""
        pairs = [(r, p) for r, p in zip(self.told, self._placed, strict=True) if p is not None]
        failed = np.array([float(r.status == "failed" and r.violation is None) for r, _ in pairs])
        if not any(r.status == "failed" for r, _ in pairs):
            return None
        arm = np.array([p.arm for _, p in pairs], dtype=np.intp)
        return Feasibility(layout, arm, np.array([p.point for _, p in pairs]), failed)

    def limits(self) -> Observations:
        """Minus the violations, where constraints were told."""
        rows = [
            (p.arm, p.point, -r.violation)
            for r, p in zip(self.told, self._placed, strict=True)
            if p is not None and r.violation is not None
        ]
        return Observations(
            np.array([r[0] for r in rows], dtype=np.intp),
            np.array([r[1] for r in rows]).reshape(len(rows), self.frame.width),
            np.array([r[2] for r in rows], dtype=np.float64),
            np.zeros(len(rows)),
        )

    def replaced(self, records: Iterable[Record]) -> History:
        """Return a history of these records; the places of those already here are known."""
        known = {id(r): p for r, p in zip(self.told, self._placed, strict=True)}
        other = History(self.frame, self.sign)
        for record in records:
            if id(record) in known:
                other.told.append(record)
                other._placed.append(known[id(record)])
            else:
                other.add(record)
        return other

    def taken(self, avoid: Iterable[Mapping[str, Any]] = (), evaluated: bool = True) -> Taken:
        """Points that were evaluated, are out, or are to be avoided."""
        places = [p for p in self._placed if p is not None] if evaluated else []
        out = [*(t.params for t in self.pending.values()), *avoid]
        places += [p for p in map(self._place_or_none, out) if p is not None]
        return Taken(
            np.array([p.arm for p in places], dtype=np.intp),
            np.array([p.point for p in places]).reshape(len(places), self.frame.width),
        )

    def pulls(self, open_arms: NDArray[np.bool_]) -> Pulls:
        """What a classical bandit looks at."""
        pairs = [(r, p) for r, p in zip(self.told, self._placed, strict=True) if p is not None]
        value = [np.nan if r.value is None else self.sign * r.value for r, _ in pairs]
        waiting = [
            p.arm
            for p in map(self._place_or_none, (t.params for t in self.pending.values()))
            if p is not None
        ]
        return Pulls.of(
            self.frame.space,
            np.array([p.arm for _, p in pairs], dtype=np.intp),
            np.array(value, dtype=np.float64),
            np.array(waiting, dtype=np.intp),
            open_arms,
        )

    def _place_or_none(self, params: Mapping[str, Any]) -> _Placed | None:
        try:
            return self.place(params)
        except InvalidValueError:
            return None

    def __len__(self) -> int:
        return len(self.told)
