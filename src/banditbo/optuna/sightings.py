"""What has been seen of a study's parameters: the kinds of trials, and their distributions.

Notation
--------
    kind   trials that asked for the same names and had the same discrete values
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from optuna.distributions import BaseDistribution

from banditbo.optuna.ranges import Last, few_values, is_discrete, key_of

__all__ = ["Kind", "Sightings", "lasts"]


@dataclass(slots=True)
class Kind:
    """One kind of trial.

    row: every name, with its value's key where it is discrete; seen: for every name, each of its
    distributions with the number of the last trial that had it; extent: for every number, the
    lowest and highest value; complete: whether any of these trials came to its end.
    """

    row: Mapping[str, Hashable]
    seen: dict[str, dict[BaseDistribution, int]] = field(default_factory=dict)
    extent: dict[str, tuple[float, float]] = field(default_factory=dict)
    complete: bool = False


class Sightings:
    """All kinds of trials, told one trial after another in any order."""

    def __init__(self) -> None:
        self._kinds: dict[Hashable, Kind] = {}
        self._few: dict[BaseDistribution, bool] = {}
        self._of_name: dict[str, set[BaseDistribution]] = {}

    def add(
        self,
        number: int,
        params: Mapping[str, Any],
        distributions: Mapping[str, BaseDistribution],
        complete: bool = True,
    ) -> bool:
        """Take note of a trial; ``complete`` says that it asked for all it needed.

        Returns whether the tree may be another one now.
        """
        before = len(self._kinds)
        row: dict[str, Hashable] = {}
        for name, distribution in distributions.items():
            few = self._few.get(distribution)
            if few is None:
                few = self._few[distribution] = few_values(distribution)
            row[name] = key_of(params[name]) if few else None
        kind = self._kinds.setdefault(frozenset(row.items()), Kind(row))
        news = len(self._kinds) > before or complete > kind.complete
        kind.complete |= complete
        for name, distribution in distributions.items():
            last = kind.seen.setdefault(name, {})
            last[distribution] = max(last.get(distribution, -1), number)
            of_name = self._of_name.setdefault(name, set())
            of_name.add(distribution)
            news |= len(of_name) > 1
            value = params[name]
            if row[name] is None and isinstance(value, int | float):
                low, high = kind.extent.get(name, (value, value))
                kind.extent[name] = min(low, value), max(high, value)
        return news

    def kinds(self) -> list[Kind]:
        """Return the kinds that tell what is asked for, in an order of their own.

        A trial that failed may have asked for less than it needed: it only tells of values that
        no other trial has had.
        """
        known = {item for kind in self._kinds.values() if kind.complete for item in _values(kind)}
        out = [k for k in self._kinds.values() if k.complete or not known.issuperset(_values(k))]
        return sorted(out, key=lambda k: sorted((n, repr(v)) for n, v in k.row.items()))

    def discrete(self) -> set[str]:
        """Return the names that may decide."""
        return {name for name, seen in self._of_name.items() if is_discrete(seen)}


def _values(kind: Kind) -> list[tuple[str, Hashable]]:
    return [(name, value) for name, value in kind.row.items() if value is not None]


def lasts(kinds: Iterable[Kind], name: str) -> Last:
    """Return the distributions of a name in some kinds, each with its last trial."""
    out: dict[BaseDistribution, int] = {}
    for kind in kinds:
        for distribution, number in kind.seen.get(name, {}).items():
            out[distribution] = max(out.get(distribution, -1), number)
    return out
