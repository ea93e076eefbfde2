"""How likely a constraint is to be violated: a Gaussian process of the violation itself.

Notation
--------
    v(c, x)   largest constraint value; above 0 it is violated. Modelled is -v, as a value
    p(c, x) = 1 - (1 - q(c, x)) Phi((mean - z0) / sd), with q the frequency of failures and z0
              what v = 0 is on the modelled scale
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr

from banditbo.model.feasibility import Feasibility
from banditbo.model.posterior import Posterior

__all__ = ["Constrained"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

#: No point is believed to be more hopeless than this.
CERTAIN = 1.0 - 1e-12


@dataclass(frozen=True, slots=True)
class Constrained(Feasibility):
    """Failures, and a posterior of minus the violation."""

    limit: Posterior

    @staticmethod
    def of(failures: Feasibility, limit: Posterior) -> Constrained:
        """Put the two together."""
        return Constrained(failures.layout, failures.arm, failures.point, failures.failed, limit)

    @property
    def threshold(self) -> float:
        """z0: what a violation of 0 is on the modelled scale."""
        warp = self.limit.warp
        return float((warp.scale.forward(np.zeros(1))[0] - warp.mean) / warp.sd)

    def failure(self, arms: Ints, x: Array) -> tuple[Array, Array]:
        """Probability (P,) that a point fails or violates, and its gradient (P, D)."""
        q, dq = Feasibility.failure(self, arms, x)
        at = self.limit.moments(arms, x)
        sd = np.sqrt(at.variance)
        t = (self.threshold - at.mean) / sd
        v = ndtr(t)
        density = np.exp(-0.5 * t * t) / np.sqrt(2.0 * np.pi)
        by_sd = (t / (2.0 * at.variance))[:, None] * at.variance_slope
        dv = -density[:, None] * (at.mean_slope / sd[:, None] + by_sd)
        p = np.minimum(1.0 - (1.0 - q) * (1.0 - v), CERTAIN)
        return p, (1.0 - v)[:, None] * dq + (1.0 - q)[:, None] * dv

    def screen(self, points: Array) -> Array:
        """Probability (A, M) of all arms at the candidates of their group (G, M, D)."""
        q = Feasibility.screen(self, points)
        seen = self.limit.screen(points)
        v = ndtr((self.threshold - seen.mean) / np.sqrt(seen.variance))
        return np.minimum(1.0 - (1.0 - q) * (1.0 - v), CERTAIN)
