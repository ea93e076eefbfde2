"""Arms and groups: what a space compiles to, and what the model works on."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from banditbo.space.parameters import Float, Int
from banditbo.space.tree import Leaf, PartialArm
from banditbo.space.values import FrozenMap, Value, key

__all__ = ["Arm", "Group", "compile_arms"]


@dataclass(frozen=True, slots=True)
class Arm:
    """One complete assignment of all choices and categoricals.

    Attributes
    ----------
    index : int
        Its number in ``space.arms``.
    choices : mapping
        The decisions active in it, in tree order.
    group : int
        The number of its group in ``space.groups``.
    row : int
        Its position inside the group: ``group.arms[row] == index``.
    """

    index: int
    choices: Mapping[str, Value] = field(hash=False)
    group: int
    row: int

    def __str__(self) -> str:
        return ", ".join(f"{name}={value}" for name, value in self.choices.items()) or "-"


@dataclass(frozen=True, slots=True, eq=False)
class Group:
    """The arms that share exactly the same numeric parameters.

    Attributes
    ----------
    index : int
        Its number in ``space.groups``.
    names : tuple of str
        The d numeric parameters, in the order of a point's coordinates.
    parameters : tuple of Float or Int
        Their ranges (the defaults are those of the first arm).
    arms : (n,) int array
        The arms' numbers.
    codes : (n, J) int array
        The level of each decision that varies inside the group; where a decision is absent, that
        is a level of its own.
    sizes : tuple of int
        How many levels each of the J decisions has.
    decisions : tuple of str
        The names of the J decisions.
    cells : (d,) float array
        How many values a dimension has; inf where it is continuous.
    defaults : (n, d) float array
        The coordinate of each arm's default; nan where there is none.
    """

    index: int
    names: tuple[str, ...]
    parameters: tuple[Float | Int, ...]
    arms: NDArray[np.intp]
    codes: NDArray[np.intp]
    sizes: tuple[int, ...]
    decisions: tuple[str, ...]
    cells: NDArray[np.float64]
    defaults: NDArray[np.float64]

    def snap(self, points: ArrayLike) -> NDArray[np.float64]:
        """Move points to the grid of the integers and steps, and into the unit cube.

        Continuous coordinates are only clipped. What is returned is, to the last bit, what
        encoding the decoded point would give for the coordinates on a grid.

        Parameters
        ----------
        points : (..., d) array_like

        Examples
        --------
        >>> from banditbo.space import Float, Int, Space
        >>> group = Space({"n": Int(1, 4), "x": Float(0, 1)}).groups[0]
        >>> group.snap([[0.1, 0.1], [0.9, 1.3]])
        array([[0.125, 0.1  ],
               [0.875, 1.   ]])
        """
        snapped = np.clip(np.asarray(points, dtype=np.float64), 0.0, 1.0)
        for j, parameter in enumerate(self.parameters):
            if parameter.axis.cells != np.inf:
                snapped[..., j] = parameter.axis.snap(snapped[..., j])
        return snapped


def compile_arms(partial: Sequence[PartialArm]) -> tuple[tuple[Arm, ...], tuple[Group, ...]]:
    """Return the arms of a whole tree, numbered, and the groups they form."""
    members: dict[frozenset[int], list[int]] = {}
    arms = []
    known: dict[tuple[Leaf, ...], frozenset[int]] = {}
    numbers: dict[frozenset[int], int] = {}
    for index, (decisions, leaves) in enumerate(partial):
        dimensions = known.get(leaves)
        if dimensions is None:
            dimensions = known[leaves] = frozenset(leaf.dimension for leaf in leaves)
        group = numbers.setdefault(dimensions, len(numbers))
        rows = members.setdefault(dimensions, [])
        arms.append(Arm(index, FrozenMap(decisions), group, len(rows)))
        rows.append(index)
    groups = (
        _group(number, rows, [arms[i].choices for i in rows], [partial[i][1] for i in rows])
        for number, rows in enumerate(members.values())
    )
    return tuple(arms), tuple(groups)


def _group(
    index: int,
    arms: list[int],
    choices: list[Mapping[str, Value]],
    leaves: list[tuple[Leaf, ...]],
) -> Group:
    names = tuple(leaf.name for leaf in leaves[0])
    parameters = tuple(leaf.parameter for leaf in leaves[0])
    decisions, sizes, codes = _codes(choices)
    return Group(
        index,
        names,
        parameters,
        _fixed(np.array(arms, dtype=np.intp)),
        _fixed(codes),
        sizes,
        decisions,
        _fixed(np.array([p.axis.cells for p in parameters], dtype=np.float64)),
        _fixed(_defaults(names, leaves)),
    )


def _codes(
    choices: list[Mapping[str, Value]],
) -> tuple[tuple[str, ...], tuple[int, ...], NDArray[np.intp]]:
    """Return the decisions that vary between arms, their level counts, and the (n, J) levels."""
    decisions, sizes, columns = [], [], []
    absent = object()
    if len(choices) > 1:
        for name in dict.fromkeys(name for row in choices for name in row):
            levels: dict[Hashable, int] = {}
            column = [
                levels.setdefault(key(row.get(name, absent)), len(levels)) for row in choices
            ]
            if len(levels) > 1:
                decisions.append(name)
                sizes.append(len(levels))
                columns.append(column)
    codes = np.array(columns, dtype=np.intp).reshape(len(columns), len(choices))
    return tuple(decisions), tuple(sizes), codes.T.copy()


def _defaults(names: tuple[str, ...], leaves: list[tuple[Leaf, ...]]) -> NDArray[np.float64]:
    """Return the (n, d) coordinates of the defaults, nan where there is none."""
    defaults = np.full((len(leaves), len(names)), np.nan)
    known = {leaf: leaf.parameter.default for leaf in set(chain.from_iterable(leaves))}
    coordinates = {
        leaf: (names.index(leaf.name), leaf.parameter.axis.encode(default))
        for leaf, default in known.items()
        if default is not None
    }
    if coordinates:
        for i, row in enumerate(leaves):
            for leaf in row:
                if leaf in coordinates:
                    j, defaults[i, j] = coordinates[leaf]
    return defaults


S = TypeVar("S", bound=np.generic)


def _fixed(array: NDArray[S]) -> NDArray[S]:
    array.flags.writeable = False
    return array
