"""Stationary kernels, as functions of the squared scaled distance.

Notation
--------
    r2      (..., n, m)   squared distance, each coordinate divided by its lengthscale
    k       (..., n, m)   correlation, k(0) = 1
    slope   (..., n, m)   dk / dr2, of which every gradient is made:
                          dk/dx_d = slope * 2 (x_d - x'_d) / l_d^2
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["KERNELS", "Kernel", "Matern52", "SquaredExponential", "squared_distance"]

Array = NDArray[np.float64]

_SQRT5 = 5.0**0.5


class Kernel(Protocol):
    """A stationary correlation function and its spectral density."""

    def value(self, r2: Array) -> Array:
        """Return the correlation at squared distance r2."""

    def value_and_slope(self, r2: Array) -> tuple[Array, Array]:
        """Return the correlation and its derivative by r2."""

    def frequencies(self, rng: np.random.Generator, n: int, d: int) -> Array:
        """Draw n frequencies of dimension d from the spectral density, unit lengthscale."""


@dataclass(frozen=True, slots=True)
class Matern52:
    """Matern kernel with smoothness 5/2: twice differentiable draws.

    >>> float(Matern52().value(np.zeros(1))[0])
    1.0
    """

    def value(self, r2: Array) -> Array:
        """Return (1 + sqrt5 r + 5/3 r2) exp(-sqrt5 r)."""
        r = np.sqrt(r2)
        r *= _SQRT5
        out: Array = r * (1.0 / 3.0)
        out += 1.0
        out *= r
        out += 1.0
        np.negative(r, out=r)
        out *= np.exp(r, out=r)
        return out

    def value_and_slope(self, r2: Array) -> tuple[Array, Array]:
        """Return the correlation and -5/6 (1 + sqrt5 r) exp(-sqrt5 r)."""
        r = np.sqrt(r2)
        r *= _SQRT5
        e: Array = np.exp(-r)
        slope = r + 1.0
        r *= r
        r *= 1.0 / 3.0
        r += slope
        r *= e
        slope *= e
        slope *= -5.0 / 6.0
        return r, slope

    def frequencies(self, rng: np.random.Generator, n: int, d: int) -> Array:
        """Draw from the multivariate t with 5 degrees of freedom."""
        normal = rng.standard_normal((n, d))
        return np.asarray(normal / np.sqrt(rng.chisquare(5.0, (n, 1)) / 5.0))


@dataclass(frozen=True, slots=True)
class SquaredExponential:
    """The paper's kernel: exp(-r2 / 2).

    >>> round(float(SquaredExponential().value(np.ones(1))[0]), 4)
    0.6065
    """

    def value(self, r2: Array) -> Array:
        """Return exp(-r2 / 2)."""
        return np.asarray(np.exp(-0.5 * r2))

    def value_and_slope(self, r2: Array) -> tuple[Array, Array]:
        """Return the correlation and minus half of it."""
        k = self.value(r2)
        return k, -0.5 * k

    def frequencies(self, rng: np.random.Generator, n: int, d: int) -> Array:
        """Draw from the standard normal."""
        return rng.standard_normal((n, d))


KERNELS: dict[str, Kernel] = {"matern52": Matern52(), "se": SquaredExponential()}


def squared_distance(x: Array, y: Array) -> Array:
    """Squared Euclidean distances between the rows of x (..., n, d) and y (..., m, d).

    One matrix product; what cancellation leaves below zero is cut off, so that the error is
    that of one rounding of |x|^2, not of the distance.

    >>> squared_distance(np.array([[0.0, 0.0]]), np.array([[3.0, 4.0]])).tolist()
    [[25.0]]
    """
    out = x @ np.swapaxes(y, -1, -2)
    out *= -2.0
    out += np.einsum("...nd,...nd->...n", x, x)[..., :, None]
    out += np.einsum("...md,...md->...m", y, y)[..., None, :]
    return np.asarray(np.maximum(out, 0.0, out=out))
