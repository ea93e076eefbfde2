"""Values to the scale on which they are modelled: one monotone map for all arms together.

Notation
--------
    y   (n,)   values as told, to be maximised
    u   (n,)   y with its location and scale taken away, extreme low values pulled in
    z   (n,)   what the model sees: mean 0, variance 1 over all observations of the space

A power transform has its exponent in a grid; ``log_jacobian`` is what makes the marginal
likelihoods of two exponents comparable.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

__all__ = ["EXPONENTS", "Scale", "Warp", "power", "power_inverse", "ranks", "scale_of", "warp"]

Array = NDArray[np.float64]

#: Exponents of the power transform that are compared: 1 leaves the values as they are.
EXPONENTS: Array = 3.0 ** np.linspace(-1.0, 2.0, 16)

#: A value lower than best - REACH * (best - median) says nothing more than that it is bad.
REACH = 100.0

LARGEST = float(np.finfo(np.float64).max)

#: Known noise variance on the modelled scale beyond which a value says nothing.
DEAF = 1e12


@dataclass(frozen=True, slots=True)
class Scale:
    """Location and scale of the values, free of overflow: u = (y / unit - centre) / sd."""

    unit: float
    low: float
    centre: float
    sd: float

    def forward(self, y: Array) -> Array:
        """Map values to u."""
        return np.asarray((np.maximum(y / self.unit, self.low) - self.centre) / self.sd)

    def inverse(self, u: Array) -> Array:
        """Map u back to values, the largest float standing for what is beyond it."""
        with np.errstate(over="ignore"):
            y = (u * self.sd + self.centre) * self.unit
        return np.clip(y, -LARGEST, LARGEST)


def scale_of(y: Array) -> Scale:
    """Fit location and scale; constant values, one value and none at all have scale 1.

    >>> scale_of(np.array([1.0, 3.0])).forward(np.array([1.0, 3.0])).tolist()
    [-1.0, 1.0]
    >>> scale_of(np.array([-1e300, 1e300])).forward(np.array([1e300])).tolist()
    [1.0]
    """
    if y.size == 0:
        return Scale(1.0, -REACH, 0.0, 1.0)
    biggest = float(np.max(np.abs(y)))
    unit = math.ldexp(1.0, math.frexp(biggest)[1] - 1) if biggest > 0.0 else 1.0
    v = y / unit
    best, median = float(np.max(v)), float(np.median(v))
    low = best - REACH * (best - median or float(np.std(v)) or 1.0)
    v = np.maximum(v, low)
    centre, sd = float(np.mean(v)), float(np.std(v))
    if not sd > 1e-14 * max(1.0, abs(centre)):
        sd = 1.0
    return Scale(unit, low, centre, sd)


def power(u: Array, exponent: float) -> tuple[Array, Array]:
    """Yeo and Johnson's (2000) transform of u, and the logarithm of its derivative.

    >>> z, log_slope = power(np.array([-1.0, 0.0, 1.0]), 2.0)
    >>> [round(float(v), 4) for v in z], [round(float(v), 4) for v in log_slope]
    ([-0.6931, 0.0, 1.5], [-0.6931, 0.0, 0.6931])
    """
    a = np.log1p(np.abs(u))
    positive = u >= 0.0
    lam = np.where(positive, exponent, 2.0 - exponent)
    near = np.abs(lam) < 1e-8
    safe = np.where(near, 1.0, lam)
    size = np.where(near, a, np.expm1(lam * a) / safe)
    return np.where(positive, size, -size), np.where(positive, 1.0, -1.0) * (exponent - 1.0) * a


def power_inverse(z: Array, exponent: float) -> Array:
    """Undo ``power``; where the transform is bounded below, what is lower maps to -inf.

    >>> power_inverse(power(np.array([-1.0, 0.5]), 3.0)[0], 3.0).round(12).tolist()
    [-1.0, 0.5]
    """
    size = np.abs(z)
    positive = z >= 0.0
    lam = np.where(positive, exponent, 2.0 - exponent)
    near = np.abs(lam) < 1e-8
    safe = np.where(near, 1.0, lam)
    inner = np.maximum(lam * size, -1.0)
    with np.errstate(divide="ignore", over="ignore"):
        grown = np.expm1(np.where(near, size, np.log1p(inner) / safe))
    return np.where(positive, grown, -grown)


def ranks(y: Array) -> Array:
    """Normal scores of the ranks of y, ties sharing the mean of theirs.

    >>> ranks(np.array([10.0, 20.0, 20.0, 1e9])).round(2).tolist()
    [-1.15, 0.0, 0.0, 1.15]
    """
    _, inverse, counts = np.unique(y, return_inverse=True, return_counts=True)
    mean_rank = np.cumsum(counts) - 0.5 * (counts - 1)
    return np.asarray(ndtri((mean_rank[inverse.reshape(-1)] - 0.5) / max(y.size, 1)))


@dataclass(frozen=True, slots=True)
class Warp:
    """A fitted transform: the modelled values, and the way there and back.

    ``slope`` is dz/dy at each observation, for noise that is given in the units of y.
    """

    z: Array
    slope: Array
    log_jacobian: float
    scale: Scale
    exponent: float
    mean: float
    sd: float
    knots: tuple[Array, Array] | None = None

    def noise(self, sd: Array) -> Array:
        """Turn standard deviations in the units of y into variances of z."""
        with np.errstate(over="ignore", invalid="ignore"):
            variance = (sd * self.slope) ** 2
        return np.where(sd > 0.0, np.minimum(variance, DEAF), 0.0)

    def inverse(self, z: Array) -> Array:
        """Map modelled values back to values as told."""
        if self.knots is not None:
            return np.asarray(np.interp(z, *self.knots) * self.scale.unit)
        u = power_inverse(np.asarray(z) * self.sd + self.mean, self.exponent)
        return self.scale.inverse(np.maximum(u, self.scale.forward(np.array(-np.inf))))


def warp(y: Array, kind: str, exponent: float = 1.0) -> Warp:
    """Transform y: ``kind`` is ``standard``, ``power`` (with its exponent) or ``ranks``.

    >>> warp(np.array([1.0, 2.0, 3.0]), "standard").z.round(3).tolist()
    [-1.225, 0.0, 1.225]
    """
    scale = scale_of(y)
    u = scale.forward(y)
    if kind == "ranks":
        z = ranks(y)
        order = np.unique(y, return_index=True)[1]
        knots = (z[order], y[order] / scale.unit) if y.size else (np.zeros(1), np.zeros(1))
        return Warp(
            z, np.full(y.size, 1.0 / (scale.sd * scale.unit)), 0.0, scale, 1.0, 0.0, 1.0, knots
        )
    z, log_slope = power(u, exponent if kind == "power" else 1.0)
    mean = float(np.mean(z)) if y.size else 0.0
    sd = float(np.std(z)) if y.size else 1.0
    if not sd > 1e-12:
        sd = 1.0
    with np.errstate(over="ignore"):
        slope = np.exp(log_slope) / (sd * scale.sd) / scale.unit
    log_jacobian = float(np.sum(log_slope)) - y.size * float(np.log(sd))
    return Warp(
        (z - mean) / sd, slope, log_jacobian, scale, exponent if kind == "power" else 1.0, mean, sd
    )
