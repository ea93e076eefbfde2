"""The tree of a study's parameters: the engine's space, and the way there and back.

Notation
--------
    branch   what is asked for in a context: slots, and perhaps a pattern of loose names
    slot     one parameter: its name, its distribution, and what depends on it
    key      what stands for an alternative in a mapping (``True``, ``1`` and ``1.0`` differ)
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution

from banditbo.bandit.streams import stream
from banditbo.optuna.cuts import cut
from banditbo.optuna.presence import Node, Row, discover
from banditbo.optuna.ranges import (
    external,
    key_of,
    label,
    labels,
    newest,
    newest_by_value,
    numeric,
)
from banditbo.optuna.sightings import Kind, Sightings, lasts
from banditbo.space import Categorical, Choice, Float, Int, Parameter, Space

__all__ = ["MAX_ARMS", "Branch", "Slot", "Tree", "grow"]

#: While there are no more arms than this, categoricals that decide nothing make arms too.
MAX_ARMS = 200

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
            alternatives = {_title(p): branch.parameters for p, branch in self.patterns}
            out[PATTERN] = Choice(alternatives)
        return out

    def pattern_of(self, names: set[str]) -> str:
        """Return which of the patterns a trial with these names has: the one most like it."""
        return _title(
            max(
                (p for p, _ in self.patterns),
                key=lambda p: (p <= names, len(p & names) - len(p - names)),
            )
        )


def _title(pattern: frozenset[str]) -> str:
    return ", ".join(sorted(pattern)) or "none"


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
                value = _middle(slot.parameter)
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
            behind = next(b for p, b in branch.patterns if _title(p) == title)
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
            if params[PATTERN] == _title(pattern):
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
        return sorted({_title(pattern) for pattern in _patterns(self.root)})

    @property
    def names(self) -> set[str]:
        """All names of parameters."""
        return {slot.name for slot in all_slots(self.root)}


def all_slots(branch: Branch) -> Iterator[Slot]:
    """Walk through all slots of a branch."""
    for slot in branch.slots:
        yield slot
        for _, behind in (slot.alternatives or {}).values():
            yield from all_slots(behind)
    for _, behind in branch.patterns:
        yield from all_slots(behind)


def _paths(branch: Branch, name: str, so_far: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for slot in branch.slots:
        if slot.name == name:
            yield so_far
        for value, behind in (slot.alternatives or {}).values():
            yield from _paths(behind, name, {**so_far, slot.name: label(value)})
    for pattern, behind in branch.patterns:
        yield from _paths(behind, name, {**so_far, PATTERN: _title(pattern)})


def _middle(parameter: Parameter) -> Any:
    if isinstance(parameter, Float | Int):
        return parameter.axis.decode(0.5)
    return None


def grow(sightings: Sightings) -> Tree | None:
    """Discover the tree; None while there is nothing to choose.

    >>> from optuna.distributions import FloatDistribution
    >>> seen = Sightings()
    >>> f, x = CategoricalDistribution(["a", "b", "c"]), FloatDistribution(0, 1)
    >>> _ = seen.add(0, {"f": "a", "x": 0.5}, {"f": f, "x": x})
    >>> _ = seen.add(1, {"f": "b"}, {"f": f})
    >>> [str(arm) for arm in grow(seen).space.arms]
    ['f=a', 'f=b', 'f=c']
    """
    kinds = sightings.kinds()
    by_row = {id(kind.row): kind for kind in kinds}

    def varies(name: str, decider: str, rows: Sequence[Row]) -> bool:
        return _varies(name, decider, [by_row[id(row)] for row in rows])

    node = discover([kind.row for kind in kinds], sightings.discrete(), varies)
    root = _branch(node, kinds)
    if not root:
        return None
    root, dimensions = _fold(root)
    loose = frozenset(n for s in _patterns(root) for n in s)
    return Tree(root, Space(root.parameters), loose, dimensions)


def _varies(name: str, decider: str, kinds: Sequence[Kind]) -> bool:
    if len(lasts(kinds, name)) < 2:
        return False
    by_value = {
        value: lasts([k for k in kinds if k.row[decider] == value], name)
        for value in {k.row[decider] for k in kinds}
    }
    return len(set(newest_by_value(by_value).values())) > 1 and (
        len(lasts(kinds, name)) <= len(by_value)
        or all(len(last) == 1 for last in by_value.values())
    )


def _branch(node: Node, kinds: Sequence[Kind]) -> Branch:
    slots = []
    for name in node.names:
        last = lasts(kinds, name)
        distribution = newest(last)
        if distribution.single():
            continue
        slot = Slot(name, distribution, wanders=distribution not in last)
        if name in node.choices or isinstance(distribution, CategoricalDistribution):
            behind = {
                value: _branch(child, [k for k in kinds if k.row[name] == value])
                for value, child in node.choices.get(name, {}).items()
            }
            slot = replace(
                slot,
                alternatives={
                    key_of(v): (v, behind.get(key_of(v), Branch())) for v in labels(distribution)
                },
            )
        slots.append(slot)
    return _with_patterns(node, slots, kinds)


def _with_patterns(node: Node, slots: list[Slot], kinds: Sequence[Kind]) -> Branch:
    """Make every set of loose names an alternative; a number that separates them is cut there."""
    if not node.loose:
        return Branch(tuple(slots))
    loose = frozenset(n for pattern in node.loose for n in pattern)
    members = [[k for k in kinds if loose & k.row.keys() == pattern] for pattern in node.loose]
    separated = None
    for slot in slots:
        if slot.alternatives is None:
            ranges = cut(
                slot.distribution, [[k.extent.get(slot.name) for k in m] for m in members]
            )
            if ranges is not None:
                separated = slot, ranges
                break
    patterns = []
    for i, (pattern, own) in enumerate(zip(node.loose, members, strict=True)):
        inner = _branch(Node(tuple(sorted(pattern)), {}), own)
        if separated is not None:
            slot, ranges = separated
            inner = Branch((*inner.slots, replace(slot, within=ranges[i])))
        patterns.append((pattern, inner))
    if not any(inner for _, inner in patterns):
        return Branch(tuple(slots))
    if separated is not None:
        slots = [s for s in slots if s is not separated[0]]
    return Branch(tuple(slots), tuple(patterns))


def _patterns(branch: Branch) -> Iterator[frozenset[str]]:
    for pattern, behind in branch.patterns:
        yield pattern
        yield from _patterns(behind)
    for slot in branch.slots:
        for _, behind in (slot.alternatives or {}).values():
            yield from _patterns(behind)


def _fold(root: Branch) -> tuple[Branch, frozenset[str]]:
    """Make categoricals that decide nothing dimensions, the largest first, until arms are few."""
    folded: set[str] = set()
    while _count(root) > MAX_ARMS:
        sizes = {
            slot.name: len(slot.alternatives)
            for slot in all_slots(root)
            if slot.alternatives and not any(b for _, b in slot.alternatives.values())
        }
        if not sizes:
            break
        name = max(sizes, key=lambda n: (sizes[n], n))
        root = _folded(root, name)
        folded.add(name)
    return root, frozenset(folded)


def _folded(branch: Branch, name: str) -> Branch:
    slots = []
    for slot in branch.slots:
        if slot.alternatives is None:
            slots.append(slot)
        elif slot.name == name and not any(b for _, b in slot.alternatives.values()):
            values = [value for value, _ in slot.alternatives.values()]
            turn = stream(0, 0, "order", name).permutation(len(values))
            order = tuple(values[i] for i in turn)
            slots.append(replace(slot, alternatives=None, order=order))
        else:
            behind = {k: (v, _folded(b, name)) for k, (v, b) in slot.alternatives.items()}
            slots.append(replace(slot, alternatives=behind))
    return Branch(tuple(slots), tuple((p, _folded(b, name)) for p, b in branch.patterns))


def _count(branch: Branch) -> int:
    """Return the number of arms of a branch."""
    count = 1
    for slot in branch.slots:
        if slot.alternatives is not None:
            count *= sum(_count(behind) for _, behind in slot.alternatives.values())
    if branch.patterns:
        count *= sum(_count(behind) for _, behind in branch.patterns)
    return count
