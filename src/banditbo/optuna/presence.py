"""Who decides who is there: from which names trials asked for, a tree of decisions.

Works on names and on the values of discrete parameters only; no order of names is looked at.

Notation
--------
    row      what one kind of trial asked for: every name, with its value where it is discrete
    always   names that all rows of a context have; sometimes: names that only some have
    decider  a discrete name whose value says whether another name is there
    loose    a name whose presence nothing explains
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

__all__ = ["Node", "Row", "discover"]

#: A name is looked for behind at most so many decisions that lie on the same level.
DEPTH = 2

Row = Mapping[str, Hashable]
#: The value of a name that is not discrete.
ANY = None


@dataclass(frozen=True, slots=True)
class Node:
    """What is asked for in a context.

    Attributes
    ----------
    names : tuple of str
        The names that are always there, deciders included, sorted.
    choices : mapping
        From each decider to the node of each of its values that were seen.
    loose : tuple of frozenset of str
        Sets of further names that occurred together, where nothing explains when; empty if
        everything is explained.
    """

    names: tuple[str, ...]
    choices: Mapping[str, Mapping[Hashable, Node]]
    loose: tuple[frozenset[str], ...] = ()


def discover(
    rows: Sequence[Row],
    discrete: Collection[str],
    varies: Callable[[str, str, Sequence[Row]], bool] = lambda name, decider, rows: False,
    names: Collection[str] | None = None,
) -> Node:
    """Find the tree that explains which names are there.

    Parameters
    ----------
    rows
        Different kinds of trials, each once.
    discrete
        Names that may decide.
    varies
        Tells whether a name that is always there differs (in its range) between the values of a
        decider, so that it belongs to each of them by itself.
    names
        Names to explain; all if not given.

    Examples
    --------
    >>> node = discover([{"f": "a", "x": None}, {"f": "b", "y": None}], {"f"})
    >>> node.names, node.choices["f"]["a"].names, node.choices["f"]["b"].names
    (('f',), ('x',), ('y',))
    """
    wanted = {n for row in rows for n in row} if names is None else set(names)
    there = {n: [n in row for row in rows] for n in wanted}
    always = {n for n in wanted if all(there[n])}
    sometimes = {n for n in wanted if any(there[n])} - always
    deciders = sorted(always & set(discrete))
    inside = _assign(rows, sometimes, deciders, set(discrete))
    _push_ranges(rows, always, deciders, inside, varies)
    moved = set().union(*inside.values()) if inside else set()
    loose = sometimes - moved
    choices = {
        d: {
            value: discover(own, discrete, varies, inside[d])
            for value, own in _split(rows, d).items()
        }
        for d in inside
        if d not in moved
    }
    patterns = {frozenset(loose & row.keys()) for row in rows} if loose else set()
    return Node(
        tuple(sorted(always - moved)), choices, tuple(sorted(patterns, key=lambda s: sorted(s)))
    )


def _split(rows: Sequence[Row], decider: str) -> dict[Hashable, list[Row]]:
    out: dict[Hashable, list[Row]] = {}
    for row in rows:
        out.setdefault(row[decider], []).append(row)
    return out


def _assign(
    rows: Sequence[Row], sometimes: set[str], deciders: Sequence[str], discrete: set[str]
) -> dict[str, set[str]]:
    """Give every name that is not always there to the decider that explains it, if one does."""
    inside: dict[str, set[str]] = {}
    left = set(sometimes)
    levels = {d: len({row[d] for row in rows}) for d in deciders}
    while left:
        explained = {d: {n for n in left if _decides(d, n, rows)} for d in deciders}
        # The one that explains most; of several the one with fewest values, which took most luck.
        best = min(deciders, key=lambda d: (-len(explained[d]), levels[d], d), default=None)
        if best is None or not explained[best]:
            break
        inside.setdefault(best, set()).update(explained[best])
        left -= explained[best]
    for name in sorted(left):
        owner = _owner_by_parent(name, rows, inside, left, discrete)
        needs: frozenset[str] = frozenset()
        if owner is None:
            found = _behind(name, rows, deciders, discrete) or _partly(name, rows, inside)
            if found is None:
                continue
            owner, needs = found
        _put(inside, owner, name, needs)
    return inside


def _decides(decider: str, name: str, rows: Sequence[Row]) -> bool:
    """Tell whether the presence of a name is a function of the decider's value, and varies.

    A row without the decider must be without the name.
    """
    seen: dict[Hashable, bool] = {}
    for row in rows:
        present = name in row
        if decider not in row:
            if present:
                return False
        elif seen.setdefault(row[decider], present) is not present:
            return False
    return len(set(seen.values())) == 2


def _owner_by_parent(
    name: str,
    rows: Sequence[Row],
    inside: Mapping[str, set[str]],
    left: set[str],
    discrete: set[str],
) -> str | None:
    """Return the decider behind which the parent of a name, itself not always there, lies."""
    parents = [q for q in sorted(discrete) if q != name and _decides(q, name, rows)]
    for parent in parents:
        for decider in sorted(inside):
            if parent in inside[decider]:
                return decider
    for parent in parents:
        if parent in left and parent < name:
            continue
        if parent in left:
            owner = _owner_by_parent(parent, rows, inside, left - {name}, discrete - {name})
            if owner is not None:
                return owner
    return None


def _behind(
    name: str, rows: Sequence[Row], deciders: Sequence[str], discrete: set[str]
) -> tuple[str, frozenset[str]] | None:
    """Return the decider after whose split a name is explained soonest, and what that needs."""
    found = []
    for d in deciders:
        cost, needs = 0, frozenset[str]()
        for own in _split(rows, d).values():
            step = _cost(name, own, discrete - {d}, DEPTH)
            if step is None:
                break
            cost, needs = max(cost, step[0]), needs | step[1]
        else:
            found.append((cost, len(needs), d, needs))
    if not found:
        return None
    _, _, best, needs = min(found, key=lambda f: f[:3])
    return best, needs


def _partly(
    name: str, rows: Sequence[Row], inside: Mapping[str, set[str]]
) -> tuple[str, frozenset[str]] | None:
    """Return the decider that at least says where a name never is, if there is one."""
    found = []
    for d in inside:
        split = _split(rows, d)
        having = sum(any(name in row for row in own) for own in split.values())
        if having < len(split):
            found.append((having, d))
    return (min(found)[1], frozenset()) if found else None


def _cost(
    name: str, rows: Sequence[Row], discrete: set[str], depth: int
) -> tuple[int, frozenset[str]] | None:
    """Return how many splits explain a name, and by what; None if so few do not."""
    if len({name in row for row in rows}) == 1:
        return 0, frozenset()
    if depth == 0:
        return None
    common = sorted(d for d in discrete if d != name and all(d in row for row in rows))
    for d in common:
        if _decides(d, name, rows):
            return 1, frozenset([d])
    for d in common if depth > 1 else ():
        steps = [_cost(name, own, discrete - {d}, depth - 1) for own in _split(rows, d).values()]
        known = [s for s in steps if s is not None]
        if len(known) == len(steps) > 1:
            return 1 + max(s[0] for s in known), frozenset([d]).union(*(s[1] for s in known))
    return None


def _put(inside: dict[str, set[str]], owner: str, name: str, needs: frozenset[str]) -> None:
    """Put a name behind its owner, with the decisions that it needs and what those decide."""
    own = inside.setdefault(owner, set())
    own.add(name)
    for needed in needs - {owner}:
        own.add(needed)
        own.update(inside.pop(needed, set()) - {owner})


def _push_ranges(
    rows: Sequence[Row],
    always: set[str],
    deciders: Sequence[str],
    inside: dict[str, set[str]],
    varies: Callable[[str, str, Sequence[Row]], bool],
) -> None:
    """Put a name whose range depends on a decider behind it."""
    moved = set().union(*inside.values()) if inside else set()
    for name in sorted(always - moved - set(inside)):
        for d in [*sorted(inside), *(d for d in deciders if d not in inside)]:
            if d != name and d not in moved and varies(name, d, rows):
                inside.setdefault(d, set()).add(name)
                break
