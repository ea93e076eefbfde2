"""Where a score is looked at first: candidates that the arms of a group share.

Notation
--------
    G, M, D   groups, candidates of each, numeric parameters of the widest (padded with 0.5)
    anchors   (G, K, D)   the best points known in a group, n_anchors (G,) of them
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from banditbo.model import Posterior
from banditbo.space import Arm, Group, Space
from banditbo.space.axes import Grid, LogGrid

__all__ = [
    "ANCHORS",
    "CANDIDATES",
    "Anchors",
    "Frame",
    "best_points",
    "candidates",
    "every_point",
    "how_many",
]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

#: Candidates of a group: half uniform, half perturbations of the best points known.
CANDIDATES = 512
#: Fewer where there are many observations: no more than so many pairs of the two.
PAIRS = 128_000
ANCHORS = 6
SCALES = np.array([0.2, 0.05, 0.01])

#: Finite groups of more points than this are never listed.
LISTED = 20_000


@dataclass(frozen=True, slots=True)
class Frame:
    """A space in numbers, for the rooms that do not care what its parameters are called.

    continuous (G, D): coordinates that move freely; active (G, D): coordinates that exist;
    grids: the points of every finite group small enough to be listed, else None.
    """

    space: Space
    group: Ints
    dims: Ints
    continuous: Bools
    active: Bools
    finite: Bools
    grids: tuple[Array | None, ...]
    by_choices: Mapping[Hashable, int]

    @property
    def width(self) -> int:
        """D: numeric parameters of the widest group."""
        return int(self.continuous.shape[1])

    @property
    def size(self) -> Array:
        """How many points every group has (G,); inf where a coordinate is continuous."""
        return np.array([float(np.prod(g.cells)) for g in self.space.groups])

    @staticmethod
    def of(space: Space) -> Frame:
        """Measure a space."""
        groups = space.groups
        width = max(len(g.names) for g in groups)
        continuous = np.zeros((len(groups), width), dtype=bool)
        active = np.zeros_like(continuous)
        grids: list[Array | None] = []
        for i, g in enumerate(groups):
            continuous[i, : len(g.names)] = np.isinf(g.cells)
            active[i, : len(g.names)] = True
            size = float(np.prod(g.cells))
            grids.append(_grid(g, width) if size <= CANDIDATES else None)
        finite = np.array([bool(np.isfinite(g.cells).all()) for g in groups])
        return Frame(
            space,
            np.array([a.group for a in space.arms], dtype=np.intp),
            np.array([len(g.names) for g in groups], dtype=np.intp),
            continuous,
            active,
            finite,
            tuple(grids),
            {_key(arm.choices): arm.index for arm in space.arms},
        )

    def arm_with(self, choices: Mapping[str, Any]) -> Arm:
        """Return the arm of a complete assignment of choices, given in tree order."""
        return self.space.arms[self.by_choices[_key(choices)]]

    def layout(self) -> list[tuple[int, Ints, Ints]]:
        """Groups as the model takes them: (d, arms, codes)."""
        return [(len(g.names), np.asarray(g.arms), np.asarray(g.codes)) for g in self.space.groups]

    def pad(self, point: Array) -> Array:
        """Fill a point (d,) up to width D."""
        out = np.full(self.width, 0.5)
        out[: len(point)] = point
        return out


def _key(choices: Mapping[str, Any]) -> Hashable:
    return tuple((name, type(value), value) for name, value in choices.items())


def _grid(group: Group, width: int) -> Array:
    """List the points of a finite group."""
    finite = [cast("Grid | LogGrid", p.axis) for p in group.parameters]
    axes = [[axis.encode(axis.value(k)) for k in range(axis.cells)] for axis in finite]
    points = np.full((int(np.prod(group.cells)), width), 0.5)
    if axes:
        mesh = np.meshgrid(*axes, indexing="ij")
        points[:, : len(axes)] = np.stack([m.ravel() for m in mesh], axis=1)
    return points


@dataclass(frozen=True, slots=True)
class Anchors:
    """The best points known of every group: point (G, K, D), count (G,)."""

    point: Array
    count: Ints


def best_points(frame: Frame, posterior: Posterior, arm: Ints, point: Array) -> Anchors:
    """Take the observed points with the highest posterior mean, ANCHORS a group."""
    n_groups = len(frame.dims)
    out = np.full((n_groups, ANCHORS, frame.width), 0.5)
    index, mean = posterior.observed()
    group = frame.group[arm[index]]
    order = np.lexsort((index, -mean, group))
    group = group[order]
    rank = np.arange(len(order)) - np.searchsorted(group, group)
    kept = rank < ANCHORS
    out[group[kept], rank[kept]] = point[index[order[kept]]]
    count = np.minimum(np.bincount(group, minlength=n_groups), ANCHORS)
    return Anchors(out, count)


def how_many(frame: Frame, n: int) -> int:
    """Return the number of candidates that n observations leave time for; grids always fit."""
    grids = [len(g) for g in frame.grids if g is not None]
    return max(min(CANDIDATES, PAIRS // max(n, 1)), 64, *grids)


def candidates(
    frame: Frame, anchors: Anchors, rng: np.random.Generator, m: int = CANDIDATES
) -> Array:
    """Candidates (G, M, D): half uniform, half around the anchors; small finite groups in full."""
    n_groups, width = frame.continuous.shape
    half = m // 2
    points = np.empty((n_groups, m, width))
    points[:] = rng.random((m, width))
    rest = m - half
    pick = (rng.random(rest) * np.maximum(anchors.count, 1)[:, None]).astype(np.intp)
    step = rng.standard_normal((rest, width)) * rng.choice(SCALES, rest)[:, None]
    near = np.take_along_axis(anchors.point, pick[:, :, None], axis=1) + step
    there = anchors.count > 0
    points[there, half:] = np.clip(near[there], 0.0, 1.0)
    points = np.where(frame.active[:, None, :], points, 0.5)
    for g, group in enumerate(frame.space.groups):
        grid = frame.grids[g]
        if grid is not None:
            points[g] = np.resize(grid, (m, width))
        elif not frame.continuous[g, : frame.dims[g]].all():
            points[g, :, : frame.dims[g]] = group.snap(points[g, :, : frame.dims[g]])
    return points


def every_point(frame: Frame, points: Array, arms: Bools) -> Array:
    """Every point (G, M, D) of the finite groups of some arms; of the others, the first known."""
    listed = {
        g: _grid(frame.space.groups[g], frame.width)
        for g in np.unique(frame.group[arms])
        if frame.size[g] <= LISTED
    }
    m = max((len(grid) for grid in listed.values()), default=1)
    out = np.repeat(points[:, :1], m, axis=1)
    for g, grid in listed.items():
        out[g] = np.resize(grid, (m, frame.width))
    return out
