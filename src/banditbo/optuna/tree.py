"""The tree of a study's parameters: the engine's space, and the way there and back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from optuna.distributions import BaseDistribution

from banditbo.optuna.ranges import key_of, label
from banditbo.optuna.slots import (
    PATTERN,
    Branch,
    Slot,
    all_slots,
    middle,
    patterns_of,
    title_of,
)
from banditbo.space import Space

__all__ = ["Tree"]


@dataclass(frozen=True, slots=True)
class Tree:
    """A discovered space; ``loose`` names the parameters whose presence nothing explains."""

    root: Branch
    space: Space
    loose: frozenset[str]
    dimensions: frozenset[str]

    def encode(self, params: Mapping[str, Any], partial: bool = False) -> dict[str, Any] | None:
        """Return a trial's parameters as the space's, or None if they have no place in it.

        Parameters that the space does not know are left out. A trial that failed before it had
        asked for everything (``partial``) stands in the middle of what it did not ask for.
        """
        out: dict[str, Any] = {}
        return out if self._encode(self.root, params, partial, out) else None

    def _encode(
        self, branch: Branch, params: Mapping[str, Any], partial: bool, out: dict[str, Any]
    ) -> bool:
        for slot in branch.slots:
            if slot.name in params:
                value = slot.encode(params[slot.name])
            elif partial and slot.alternatives is None:
                value = middle(slot.parameter)
            else:
                return False
            if value is None:
                return False
            out[slot.name] = value
            if slot.alternatives is not None:
                behind = slot.alternatives[key_of(params[slot.name])][1]
                if not self._encode(behind, params, partial, out):
                    return False
        if branch.patterns:
            title = out[PATTERN] = branch.pattern_of(set(params))
            behind = next(b for p, b in branch.patterns if title_of(p) == title)
            return self._encode(behind, params, partial, out)
        return True

    def decode(self, params: Mapping[str, Any]) -> dict[str, tuple[Any, BaseDistribution]]:
        """Return the value and the distribution of everything in the space's parameters."""
        return {
            slot.name: (slot.decode(params[slot.name]), slot.distribution)
            for slot in self._along(self.root, params)
        }

    def given(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """Return what is known of the space's parameters, given some of a trial's."""
        slots: dict[str, list[Slot]] = {}
        for slot in all_slots(self.root):
            slots.setdefault(slot.name, []).append(slot)
        out = {}
        for name, value in params.items():
            encoded = [slot.encode(value) for slot in slots.get(name, ())]
            known = [v for v in encoded if v is not None]
            if known:
                out[name] = known[0]
        return out

    def _along(self, branch: Branch, params: Mapping[str, Any]) -> Iterator[Slot]:
        for slot in branch.slots:
            yield slot
            if slot.alternatives is not None:
                yield from self._along(slot.alternatives[key_of(params[slot.name])][1], params)
        for pattern, behind in branch.patterns:
            if params[PATTERN] == title_of(pattern):
                yield from self._along(behind, params)

    def arms_with(self, name: str, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the decisions that lead to a name, those that agree most with the given first."""
        paths = list(_paths(self.root, name, {}))
        return sorted(paths, key=lambda p: sum(given.get(n, v) != v for n, v in p.items()))

    def wanders(self, name: str) -> bool:
        """Tell whether the range of a name changes from trial to trial."""
        return any(slot.wanders for slot in all_slots(self.root) if slot.name == name)

    @property
    def titles(self) -> list[str]:
        """The sets of loose names, as the engine's space calls them."""
        return sorted({title_of(pattern) for pattern in patterns_of(self.root)})

    @property
    def names(self) -> set[str]:
        """All names of parameters."""
        return {slot.name for slot in all_slots(self.root)}


def _paths(branch: Branch, name: str, so_far: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for slot in branch.slots:
        if slot.name == name:
            yield so_far
        for value, behind in (slot.alternatives or {}).values():
            yield from _paths(behind, name, {**so_far, slot.name: label(value)})
    for pattern, behind in branch.patterns:
        yield from _paths(behind, name, {**so_far, PATTERN: title_of(pattern)})
