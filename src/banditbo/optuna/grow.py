"""From what has been seen of a study to the tree of its parameters."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from optuna.distributions import CategoricalDistribution

from banditbo.bandit.streams import stream
from banditbo.optuna.cuts import cut
from banditbo.optuna.presence import Node, Row, discover
from banditbo.optuna.ranges import key_of, labels, newest, newest_by_value
from banditbo.optuna.sightings import Kind, Sightings, lasts
from banditbo.optuna.slots import Branch, Slot, all_slots, patterns_of
from banditbo.optuna.tree import Tree
from banditbo.space import Space

__all__ = ["MAX_ARMS", "grow"]

#: While there are no more arms than this, categoricals that decide nothing make arms too.
MAX_ARMS = 200


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
    loose = frozenset(n for s in patterns_of(root) for n in s)
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
