"""Which arms share a covariance matrix, and the observations laid out for it.

Notation
--------
    A, D      arms; numeric parameters of the widest arm (points are padded with 0.5 up to D)
    block     arms with hyper-parameters in common: a group, or a single arm
    cell      arms with one covariance matrix: a block, or one of its arms when the block has
              more than LIMIT observations (arms with as many as that have no need of relatives)
    stack     S cells with about as many observations each, padded to n: everything that is
              done for every cell is done for a stack at once
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["LIMIT", "Block", "Layout", "Observations", "Stack", "stacks"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

#: More observations than this never share one covariance matrix.
LIMIT = 2000

#: Cells whose observation counts differ by less than this factor are padded to one stack.
SPREAD = 1.5


@dataclass(frozen=True, slots=True)
class Observations:
    """What is known: arm (n,), point (n, D), value (n,) to be maximised, noise sd (n,)."""

    arm: Ints
    point: Array
    value: Array
    noise: Array

    def __len__(self) -> int:
        return len(self.arm)

    def first(self, n: int) -> Observations:
        """Return the first n."""
        return Observations(self.arm[:n], self.point[:n], self.value[:n], self.noise[:n])


@dataclass(frozen=True, slots=True)
class Block:
    """Arms with hyper-parameters in common: arms (R,), codes (R, J), d active coordinates."""

    arms: Ints
    codes: Ints
    d: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The space in numbers: blocks, and for every arm its block, row and group.

    >>> groups = [(2, np.array([0, 1]), np.array([[0], [1]]))]
    >>> [len(Layout.of(groups, sharing).blocks) for sharing in ("correlated", "independent")]
    [1, 2]
    """

    blocks: tuple[Block, ...]
    block: Ints
    row: Ints
    group: Ints
    dims: Ints

    @staticmethod
    def of(groups: Sequence[tuple[int, Ints, Ints]], sharing: str) -> Layout:
        """Lay out groups, each (d, arms (R,), codes (R, J)); the arms are numbered 0 to A - 1."""
        blocks: list[Block] = []
        n_arms = sum(len(arms) for _, arms, _ in groups)
        block, row, group, dims = (np.zeros(n_arms, dtype=np.intp) for _ in range(4))
        for g, (d, arms, codes) in enumerate(groups):
            group[arms], dims[arms] = g, d
            if sharing == "independent":
                block[arms] = len(blocks) + np.arange(len(arms))
                blocks += [
                    Block(arms[i : i + 1], codes[i : i + 1, :0], d) for i in range(len(arms))
                ]
            else:
                block[arms], row[arms] = len(blocks), np.arange(len(arms))
                blocks.append(Block(arms, codes, d))
        return Layout(tuple(blocks), block, row, group, dims)

    @property
    def width(self) -> int:
        """D: numeric parameters of the widest arm."""
        return max((b.d for b in self.blocks), default=0)

    def codes(self, arms: Ints, j: int) -> Ints:
        """Levels of the decisions of some arms of one block, padded to J = j."""
        block = self.blocks[self.block[arms[0]]] if len(arms) else None
        out = np.zeros((len(arms), j), dtype=np.intp)
        if block is not None:
            out[:, : block.codes.shape[1]] = block.codes[self.row[arms]]
        return out


@dataclass(frozen=True, slots=True)
class Stack:
    """S cells: which block each belongs to, its arms, and where its observations are.

    block (S,); arms (S, R) padded with -1; arm_codes (S, R, J); index (S, n) into the
    observations padded with -1; x (S, n, D); codes (S, n, J); row (S, n): position in ``arms``.
    """

    block: Ints
    arms: Ints
    arm_codes: Ints
    index: Ints
    x: Array
    codes: Ints
    row: Ints

    @property
    def there(self) -> NDArray[np.bool_]:
        """Which observations are real, not padding (S, n)."""
        return np.asarray(self.index >= 0)


def stacks(layout: Layout, data: Observations) -> tuple[list[Stack], list[str]]:
    """Lay the observations out in stacks of cells; notes say what had to be left out."""
    notes: list[str] = []
    of_block = layout.block[data.arm]
    order = np.argsort(of_block, kind="stable")
    counts = np.bincount(of_block, minlength=len(layout.blocks))
    ends = np.cumsum(counts)
    cells: list[tuple[int, Ints, Ints]] = []  # block, arms, observations
    for b, block in enumerate(layout.blocks):
        members = order[ends[b] - counts[b] : ends[b]]
        if counts[b] <= LIMIT:
            cells.append((b, block.arms, members))
            continue
        if len(block.arms) > 1:
            notes.append(
                f"{counts[b]} observations in {len(block.arms)} correlated arms: "
                "modelled arm by arm"
            )
        for arm in block.arms:
            own = members[data.arm[members] == arm]
            if len(own) > LIMIT:
                notes.append(f"{len(own)} observations of one arm: {LIMIT} of them used")
                own = thin(own, data.value, LIMIT)
            cells.append((b, np.array([arm]), own))
    by_size: dict[int, list[tuple[int, Ints, Ints]]] = {}
    for cell in cells:
        size = len(cell[2])
        by_size.setdefault(int(np.log(max(size, 8) / 8) / np.log(SPREAD)), []).append(cell)
    return [_stack(layout, data, by_size[key]) for key in sorted(by_size)], notes


def thin(members: Ints, value: Array, n: int) -> Ints:
    """Keep the best half and an even spread of the rest, in their order."""
    best = np.argsort(-value[members], kind="stable")
    rest = best[n // 2 :]
    kept = np.concatenate(
        [best[: n // 2], rest[np.linspace(0, len(rest) - 1, n - n // 2).astype(np.intp)]]
    )
    return np.asarray(members[np.sort(np.unique(kept))])


def _stack(layout: Layout, data: Observations, cells: list[tuple[int, Ints, Ints]]) -> Stack:
    s = len(cells)
    n = max(len(c[2]) for c in cells)
    r = max(len(c[1]) for c in cells)
    j = max(layout.blocks[c[0]].codes.shape[1] for c in cells)
    arms, index = np.full((s, r), -1, dtype=np.intp), np.full((s, n), -1, dtype=np.intp)
    arm_codes = np.zeros((s, r, j), dtype=np.intp)
    for i, (_, members, observed) in enumerate(cells):
        arms[i, : len(members)] = members
        index[i, : len(observed)] = observed
        arm_codes[i, : len(members)] = layout.codes(members, j)
    there = index >= 0
    x = np.where(there[..., None], data.point[index], 0.5)
    alone = np.array([len(c[1]) == 1 for c in cells])
    row = np.where(there & ~alone[:, None], layout.row[data.arm[index]], 0)
    codes = (
        np.take_along_axis(arm_codes, row[..., None], axis=1)
        if j
        else np.zeros((s, n, 0), np.intp)
    )
    return Stack(np.array([c[0] for c in cells]), arms, arm_codes, index, x, codes, row)
