"""How likely an evaluation is to fail: a smoothed frequency, one number per arm and point.

Notation
--------
    w_i(c, x)   weight of observation i: SAME_ARM + (1 - SAME_ARM) exp(-r2 / 2) in its own arm,
                RELATED exp(-r2 / 2) in another arm of its group, 0 elsewhere
    p(c, x) = (PRIOR * STRENGTH + sum of w_i over failures) / (STRENGTH + sum of all w_i)

An arm that always fails is believed to fail everywhere, one that fails in a corner, there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from banditbo.model.kernels import squared_distance
from banditbo.model.layout import Layout

__all__ = ["Feasibility"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

SAME_ARM = 0.2
RELATED = 0.25
LENGTHSCALE = 0.25
PRIOR = 0.02
STRENGTH = 0.5


@dataclass(frozen=True, slots=True)
class Feasibility:
    """Outcomes of all evaluations: arm (n,), point (n, D), failed (n,) as 0 or 1."""

    layout: Layout
    arm: Ints
    point: Array
    failed: Array

    def failure(self, arms: Ints, x: Array) -> tuple[Array, Array]:
        """Probability of failure (P,) of arms (P,) at points (P, D), and its gradient (P, D).

        Cost: n a pair.
        """
        near = np.exp(-0.5 * squared_distance(x / LENGTHSCALE, self.point / LENGTHSCALE))
        own = arms[:, None] == self.arm
        near *= np.where(own, 1.0 - SAME_ARM, RELATED)
        near *= self.layout.group[arms][:, None] == self.layout.group[self.arm]
        weight = near + SAME_ARM * own
        total = STRENGTH + weight.sum(axis=1)
        p = (PRIOR * STRENGTH + weight @ self.failed) / total
        # dw_i/dx = near_i (x_i - x) / l^2 ; dp/dx = sum_i (failed_i - p) dw_i/dx / total
        pull = near * (self.failed - p[:, None]) / (total[:, None] * LENGTHSCALE**2)
        return p, pull @ self.point - x * pull.sum(axis=1)[:, None]

    def screen(self, points: Array) -> Array:
        """Probability of failure (A, M) of all arms at the candidates of their group (G, M, D)."""
        layout = self.layout
        m = points.shape[1]
        near = np.exp(-0.5 * squared_distance(points / LENGTHSCALE, self.point / LENGTHSCALE))
        groups = np.arange(len(points))[:, None] == layout.group[self.arm]
        near *= groups[:, None, :]
        done, lost = np.zeros((2, len(layout.group), m))
        at = near[layout.group[self.arm], :, np.arange(len(self.arm))]
        np.add.at(done, self.arm, at)
        np.add.at(lost, self.arm, at * self.failed[:, None])
        own = np.stack([done, lost], axis=1)
        n_arms = len(layout.group)
        pulls = np.stack(
            [np.bincount(self.arm, w, n_arms) for w in (np.ones(len(self.arm)), self.failed)],
            axis=1,
        )
        related = np.stack([near.sum(axis=2), near @ self.failed], axis=1)[layout.group]
        weight = (
            RELATED * related + (1.0 - SAME_ARM - RELATED) * own + SAME_ARM * pulls[:, :, None]
        )
        return np.asarray((PRIOR * STRENGTH + weight[:, 1]) / (STRENGTH + weight[:, 0]))
