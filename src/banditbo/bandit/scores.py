"""What is maximised in every arm: a drawn function, the expected improvement, an upper bound.

A score is asked in two ways: ``screen`` for all arms at the candidates of their groups, cheaply,
perhaps as an upper bound only; ``value_and_slope`` for a few pairs of an arm and a point, exactly.

Notation
--------
    A, M   arms; candidates of a group
    P      pairs of an arm and a point
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.special import erfcx, log_ndtr, ndtr

from banditbo.model import Draw, Feasibility, Posterior

__all__ = ["DrawnFunction", "ExpectedImprovement", "Score", "UpperBound", "log_improvement"]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]

_LOG_2PI = float(np.log(2.0 * np.pi))


class Score(Protocol):
    """Something to maximise over arms and points."""

    def screen(self, points: Array) -> tuple[Array, bool]:
        """Value (A, M) at the candidates (G, M, D) of every group; exact, or an upper bound."""

    def value_and_slope(self, arms: Ints, x: Array) -> tuple[Array, Array]:
        """Value (P,) and gradient (P, D)."""

    def value(self, arms: Ints, x: Array) -> Array:
        """Value (P,)."""


@dataclass(frozen=True, slots=True)
class DrawnFunction:
    """Thompson sampling: one function drawn for every arm; a failure counts as the worst value."""

    draw: Draw
    feasibility: Feasibility | None = None

    def screen(self, points: Array) -> tuple[Array, bool]:
        """Values of the drawn functions."""
        value = self.draw.screen(points)
        if self.feasibility is None:
            return value, True
        p = self.feasibility.screen(points)
        return (1.0 - p) * value + p * self._worst(), True

    def value_and_slope(self, arms: Ints, x: Array) -> tuple[Array, Array]:
        """Values and gradients of the drawn functions."""
        value, slope = self.draw.value_and_slope(arms, x)
        if self.feasibility is None:
            return value, slope
        p, dp = self.feasibility.failure(arms, x)
        gap = self._worst() - value
        return value + p * gap, (1.0 - p)[:, None] * slope + gap[:, None] * dp

    def value(self, arms: Ints, x: Array) -> Array:
        """Values of the drawn functions."""
        return self.value_and_slope(arms, x)[0]

    def _worst(self) -> float:
        return float(np.min(self.draw.posterior.warp.z, initial=0.0))


@dataclass(frozen=True, slots=True)
class ExpectedImprovement:
    """Logarithm of the expected improvement over the best posterior mean (an incumbent)."""

    posterior: Posterior
    incumbent: float
    feasibility: Feasibility | None = None

    @staticmethod
    def over_best_mean(
        posterior: Posterior, feasibility: Feasibility | None = None
    ) -> ExpectedImprovement:
        """Improvement over the best posterior mean among the observed points."""
        fitted = posterior.observed()[1]
        incumbent = float(np.max(fitted)) if len(fitted) else 0.0
        return ExpectedImprovement(posterior, incumbent, feasibility)

    def screen(self, points: Array) -> tuple[Array, bool]:
        """Log expected improvement; an upper bound where the variance is one."""
        seen = self.posterior.screen(points)
        value = log_improvement(seen.mean, np.sqrt(seen.variance), self.incumbent)
        if self.feasibility is not None:
            value = value + np.log1p(-self.feasibility.screen(points))
        return value, seen.exact

    def value(self, arms: Ints, x: Array) -> Array:
        """Log expected improvement, exact."""
        mean, variance = self.posterior.mean_variance(arms, x)
        value = log_improvement(mean, np.sqrt(variance), self.incumbent)
        if self.feasibility is not None:
            value = value + np.log1p(-self.feasibility.failure(arms, x)[0])
        return value

    def value_and_slope(self, arms: Ints, x: Array) -> tuple[Array, Array]:
        """Log expected improvement and gradient: dEI/dmean = Phi(u), dEI/dsd = phi(u)."""
        at = self.posterior.moments(arms, x)
        sd = np.sqrt(at.variance)
        value = log_improvement(at.mean, sd, self.incumbent)
        u = (at.mean - self.incumbent) / sd
        by_mean = np.exp(log_ndtr(u) - value)
        by_sd = np.exp(-0.5 * (u * u + _LOG_2PI) - value)
        slope = by_mean[:, None] * at.mean_slope
        slope += (by_sd / (2.0 * sd))[:, None] * at.variance_slope
        if self.feasibility is not None:
            p, dp = self.feasibility.failure(arms, x)
            value = value + np.log1p(-p)
            slope = slope - dp / (1.0 - p)[:, None]
        return value, slope


@dataclass(frozen=True, slots=True)
class UpperBound:
    """GP-UCB: mean + width * standard deviation (Srinivas et al., 2012)."""

    posterior: Posterior
    width: float
    feasibility: Feasibility | None = None

    def screen(self, points: Array) -> tuple[Array, bool]:
        """Upper confidence bounds."""
        seen = self.posterior.screen(points)
        value = seen.mean + self.width * np.sqrt(seen.variance)
        if self.feasibility is not None:
            p = self.feasibility.screen(points)
            value = (1.0 - p) * value + p * self._worst()
        return value, seen.exact

    def value_and_slope(self, arms: Ints, x: Array) -> tuple[Array, Array]:
        """Upper confidence bounds and gradients."""
        at = self.posterior.moments(arms, x)
        sd = np.sqrt(at.variance)
        value = at.mean + self.width * sd
        slope = at.mean_slope + (0.5 * self.width / sd)[:, None] * at.variance_slope
        if self.feasibility is not None:
            p, dp = self.feasibility.failure(arms, x)
            gap = self._worst() - value
            value, slope = value + p * gap, (1.0 - p)[:, None] * slope + gap[:, None] * dp
        return value, slope

    def value(self, arms: Ints, x: Array) -> Array:
        """Upper confidence bounds."""
        return self.value_and_slope(arms, x)[0]

    def _worst(self) -> float:
        return float(np.min(self.posterior.warp.z, initial=0.0))


def log_improvement(mean: Array, sd: Array, incumbent: float) -> Array:
    """Log of E max(0, f - incumbent), f ~ N(mean, sd^2), without underflow.

    With u = (mean - incumbent) / sd it is log sd + log(phi(u) + u Phi(u)); for u < -1 the sum is
    taken as phi(u) (1 - |u| sqrt(pi/2) erfcx(|u| / sqrt 2)), and for u < -1e4 as phi(u) / u^2.

    >>> bool(np.isclose(log_improvement(np.zeros(1), np.ones(1), 0.0)[0], np.log(0.3989422804)))
    True
    """
    u = (mean - incumbent) / sd
    phi = np.exp(-0.5 * (u * u + _LOG_2PI))
    with np.errstate(divide="ignore"):
        out = np.log(np.maximum(phi + u * ndtr(u), 0.0))
    low = u < -1.0
    if low.any():
        v = -u[low]
        with np.errstate(divide="ignore", invalid="ignore"):
            tail = np.log(
                np.maximum(1.0 - v * np.sqrt(0.5 * np.pi) * erfcx(v / np.sqrt(2.0)), 0.0)
            )
        tail = np.where(v > 1e4, -2.0 * np.log(v), tail)
        out[low] = -0.5 * (v * v + _LOG_2PI) + tail
    return np.asarray(out + np.log(sd))
