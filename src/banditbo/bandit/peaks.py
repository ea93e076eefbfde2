"""The peak of a score in every arm: one place finds them, for every score.

First all arms at the candidates of their groups, at once; where that gave only upper bounds, the
pairs whose bound is highest exactly, until no other bound exceeds the best; then an ascent along
the gradient from the best candidates of the arms that can still win.

Notation
--------
    A, G, M, D   arms, groups, candidates, numeric parameters
    P            pairs of an arm and a point
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from banditbo.bandit.candidates import Frame
from banditbo.bandit.scores import Score

__all__ = ["Peaks", "Taken", "find_peaks"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]

#: The ascent starts in this many arms, from this many candidates of each.
ASCENT_ARMS = 3
ASCENT_STARTS = 2
ASCENT_STEPS = 12

#: Pairs evaluated exactly at a time, and how often, where the first look gave bounds only.
EXACT_PAIRS = 512
EXACT_ROUNDS = 4


@dataclass(frozen=True, slots=True)
class Taken:
    """Points not to be proposed again: arm (T,), point (T, D)."""

    arm: Ints
    point: Array

    def has(self, arm: int, point: Array) -> bool:
        """Tell whether a point is taken, to the last bit."""
        return bool(np.any((self.arm == arm) & (self.point == point).all(axis=1)))

    def exhausts(self, frame: Frame) -> Bools:
        """Tell of which arms every point is taken (A,)."""
        size = frame.size[frame.group]
        if not (size <= len(self.arm)).any():
            return np.zeros(len(size), dtype=bool)
        different = np.unique(np.column_stack([self.arm, self.point]), axis=0)
        return np.asarray(np.bincount(different[:, 0].astype(int), minlength=len(size)) >= size)


@dataclass(frozen=True, slots=True)
class Peaks:
    """The peak of every arm: value (A,), -inf where nothing can be proposed; point (A, D)."""

    value: Array
    point: Array

    @property
    def arm(self) -> int:
        """The arm whose peak is highest: line 12 of Algorithm 1."""
        return int(np.argmax(self.value))

    def choose(self, rng: np.random.Generator) -> int:
        """Choose the arm whose peak is highest, by lot among equals."""
        highest = np.flatnonzero(self.value == self.value.max())
        return int(highest[0] if len(highest) == 1 else rng.choice(highest))


def find_peaks(score: Score, frame: Frame, points: Array, open_arms: Bools, taken: Taken) -> Peaks:
    """Find every arm's peak, starting from candidates (G, M, D)."""
    values, exact = score.screen(points)
    values[~open_arms] = -np.inf
    _cross_out(values, points, frame, taken)
    if not exact:
        values = _exactly(score, values, points, frame)
    best = np.argmax(values, axis=1)
    peak = Peaks(values[np.arange(len(best)), best].copy(), points[frame.group, best].copy())
    _ascend(score, frame, values, points, peak, taken)
    return peak


def _cross_out(values: Array, points: Array, frame: Frame, taken: Taken) -> None:
    """Give candidates that are taken the value -inf."""
    if not len(taken.arm):
        return
    # One number stands for a point: equal points have equal numbers, other points do not, but
    # for a coincidence that costs a candidate.
    key = np.sqrt(np.arange(2.0, 2.0 + frame.width))
    candidate, known = (points * key).sum(axis=-1), (taken.point * key).sum(axis=-1)
    same = candidate[frame.group[taken.arm]] == known[:, None]
    t, m = np.nonzero(same)
    values[taken.arm[t], m] = -np.inf


def _exactly(score: Score, bounds: Array, points: Array, frame: Frame) -> Array:
    """Replace upper bounds by values, best bounds first; what is never looked at stays -inf."""
    out = np.full(bounds.shape, -np.inf)
    left = bounds.ravel().copy()
    for _ in range(EXACT_ROUNDS):
        n = min(EXACT_PAIRS, left.size)
        pick = np.argpartition(-left, n - 1)[:n]
        pick = pick[np.isfinite(left[pick])]
        if not len(pick) or left[pick].max() <= out.max():
            break
        arms, at = np.divmod(pick, bounds.shape[1])
        out[arms, at] = score.value(arms, points[frame.group[arms], at])
        left[pick] = -np.inf
    return out


def _ascend(
    score: Score, frame: Frame, values: Array, points: Array, peak: Peaks, taken: Taken
) -> None:
    """Climb from the best candidates of the best arms; discrete coordinates stay."""
    arms = np.argsort(-peak.value, kind="stable")[:ASCENT_ARMS]
    arms = arms[np.isfinite(peak.value[arms])]
    arms = arms[frame.continuous[frame.group[arms]].any(axis=1)]
    if not len(arms):
        return
    n = min(ASCENT_STARTS, values.shape[1])
    at = np.argpartition(-values[arms], n - 1, axis=1)[:, :n]
    arms = np.repeat(arms, n)
    at = at.ravel()
    kept = np.isfinite(values[arms, at])
    arms, at = arms[kept], at[kept]
    start = points[frame.group[arms], at]
    free = frame.continuous[frame.group[arms]]

    def objective(flat: Array) -> tuple[float, Array]:
        x = start.copy()
        x[free] = flat
        value, slope = score.value_and_slope(arms, x)
        return -float(value.sum()), -slope[free]

    found = minimize(  # type: ignore[call-overload]  # the stubs know no array of bounds
        objective,
        start[free],
        jac=True,
        method="L-BFGS-B",
        bounds=np.tile([0.0, 1.0], (int(free.sum()), 1)),
        options={"maxiter": ASCENT_STEPS, "ftol": 1e-4, "gtol": 1e-2},
    )
    if not np.isfinite(found.fun):
        return
    x = start.copy()
    x[free] = np.clip(found.x, 0.0, 1.0)
    reached = score.value(arms, x)
    for i in np.argsort(reached, kind="stable"):
        if reached[i] > peak.value[arms[i]] and not taken.has(arms[i], x[i]):
            peak.value[arms[i]], peak.point[arms[i]] = reached[i], x[i]
