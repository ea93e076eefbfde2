"""What is asked for in a context: slots, branches of them, and what they are to the engine.

Notation
--------
    branch   what is asked for in a context: slots, and perhaps patterns of loose names
    slot     one parameter: its name, its distribution, and what depends on it
    key      what stands for an alternative in a mapping (``True``, ``1`` and ``1.0`` differ)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from optuna.distributions import BaseDistribution

from banditbo.optuna.ranges import external, key_of, label, numeric
from banditbo.space import Categorical, Choice, Float, Int, Parameter

__all__ = ["PATTERN", "Branch", "Slot", "all_slots", "middle", "patterns_of", "title_of"]

#: The name of the choice between sets of parameters that nothing explains.
PATTERN = "parameters asked for"


@dataclass(frozen=True, slots=True)
class Slot:
    """One parameter in its context.

    alternatives: for a decision, each value's key with the value and the branch behind it;
    order: for a categorical that is a dimension, its values in the order of the coordinate;
    within: the part of its range in which a set of loose names occurs; wanders: its range changes
    from trial to trial, and the distribution is the union.
    """

    name: str
    distribution: BaseDistribution
    alternatives: Mapping[Hashable, tuple[Any, Branch]] | None = None
    order: tuple[Any, ...] = ()
    within: tuple[float, float] | None = None
    wanders: bool = False

    @property
    def parameter(self) -> Parameter:
        """The engine's parameter."""
        if self.alternatives is not None:
            choices = {label(value): branch for value, branch in self.alternatives.values()}
            if any(branch for branch in choices.values()):
                return Choice({value: branch.parameters for value, branch in choices.items()})
            return Categorical(choices)
        if self.order:
            return Int(0, len(self.order) - 1)
        found = numeric(self.distribution)
        if self.within is not None and isinstance(found, Float) and found.step is None:
            low, high = self.within
            return Float(max(found.low, low), min(found.high, high), log=found.log)
        return found

    def encode(self, value: Any) -> Any:
        """Return the engine's value, or None where there is none."""
        key = key_of(value)
        if self.alternatives is not None:
            return label(value) if key in self.alternatives else None
        if self.order:
            keys = [key_of(v) for v in self.order]
            return keys.index(key) if key in keys else None
        return value if isinstance(value, int | float) else None

    def decode(self, value: Any) -> Any:
        """Return the value as Optuna knows it."""
        if self.alternatives is not None:
            return self.alternatives[key_of(value)][0]
        return self.order[value] if self.order else external(self.distribution, value)


@dataclass(frozen=True, slots=True)
class Branch:
    """Slots by name, and the sets of loose names with a branch each."""

    slots: tuple[Slot, ...] = ()
    patterns: tuple[tuple[frozenset[str], Branch], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.slots or self.patterns)

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The engine's parameters."""
        out = {slot.name: slot.parameter for slot in self.slots}
        if self.patterns:
            alternatives = {title_of(p): branch.parameters for p, branch in self.patterns}
            out[PATTERN] = Choice(alternatives)
        return out

    def pattern_of(self, names: set[str]) -> str:
        """Return which of the patterns a trial with these names has: the one most like it."""
        return title_of(
            max(
                (p for p, _ in self.patterns),
                key=lambda p: (p <= names, len(p & names) - len(p - names)),
            )
        )


def title_of(pattern: frozenset[str]) -> str:
    """Return what a set of loose names is called in the engine's space."""
    return ", ".join(sorted(pattern)) or "none"


def all_slots(branch: Branch) -> Iterator[Slot]:
    """Walk through all slots of a branch."""
    for slot in branch.slots:
        yield slot
        for _, behind in (slot.alternatives or {}).values():
            yield from all_slots(behind)
    for _, behind in branch.patterns:
        yield from all_slots(behind)


def patterns_of(branch: Branch) -> Iterator[frozenset[str]]:
    """Walk through all sets of loose names of a branch."""
    for pattern, behind in branch.patterns:
        yield pattern
        yield from patterns_of(behind)
    for slot in branch.slots:
        for _, behind in (slot.alternatives or {}).values():
            yield from patterns_of(behind)


def middle(parameter: Parameter) -> Any:
    """Return the value in the middle of a number's range, or None."""
    if isinstance(parameter, Float | Int):
        return parameter.axis.decode(0.5)
    return None
