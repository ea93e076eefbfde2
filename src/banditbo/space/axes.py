"""Axes: how one numeric parameter lies on [0, 1], and back.

Symbols: `u` a coordinate in [0, 1], `k` the number of a cell, `n` the number of cells.

===========  ========================================  =======================================
axis         value -> u                                 u -> value
===========  ========================================  =======================================
`Linear`     (value - low) / (high - low)               low + u (high - low), rounded
`Log`        log(value / low) / log(high / low)         low (high / low)^u, rounded
`Grid`       (k + 1/2) / n                              low + k step, k = floor(n u)
`LogGrid`    log((k + 1/2) / c + 1) / L                 low + k, k = floor(c (exp(L u) - 1))
===========  ========================================  =======================================

with c = low - 1/2 and L = log((high + 1/2) / c): the cell of an integer is as wide as the range
that rounds to it, so a uniform `u` gives uniform values (log-uniform ones on a `LogGrid`).

Continuous values are rounded to 13 significant digits (fewer where the range leaves fewer: the
axis knows what survives the way to `u` and back), so that what a person typed comes back as it
was typed, and what was decoded once decodes to itself for ever.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_CELLS", "Axis", "Grid", "Linear", "Log", "LogGrid", "count_cells"]

MAX_CELLS = 2**40
"""More cells than this do not survive the way through a float in [0, 1]: refused."""

DIGITS = 13
HALF_ULP = 2.0**-53
TINY = 5e-324
_EXACT = Context(prec=40, Emax=9999, Emin=-9999)


@dataclass(frozen=True, slots=True)
class _Rounding:
    """Round to `digits` significant digits, but never finer than `places` decimals.

    A narrow range (1000 to 1000.0001) asks for at least `least` decimals: there a float comes
    back exactly without being rounded.
    """

    digits: int
    places: float = math.inf
    least: float = -math.inf

    def __call__(self, value: float) -> float:
        if value == 0.0:
            return 0.0
        significant = self.digits - 1 - math.floor(math.log10(abs(value)))
        places = max(min(significant, self.places), self.least)
        try:
            return round(value, int(places)) + 0.0  # no negative zero
        except OverflowError:  # next to the largest float
            return value


def _least_places(low: float, high: float) -> float:
    """Return the decimals that leave a narrow range at least 1e9 values, if it is narrow."""
    span = high - low
    if 0.0 < span < 1e-3 * min(abs(low), abs(high)):
        return math.ceil(-math.log10(span)) + 9
    return -math.inf


def _at_end(axis: Linear | Log, u: float, value: float) -> float:
    """Return the end of the range if `value` is so close to it that both have its coordinate."""
    if 1e-9 < u < 1.0 - 1e-9:
        return value
    u = axis.encode(value)
    return value if 0.0 < u < 1.0 else axis.low if u <= 0.0 else axis.high


def count_cells(low: float, high: float, step: float) -> int:
    """Return how many of low, low + step, ... are not above high, as a person would count them.

    Examples
    --------
    >>> count_cells(0.0, 0.3, 0.1)
    4
    """
    ends = _EXACT.subtract(Decimal(repr(high)), Decimal(repr(low)))
    steps = _EXACT.divide(ends, Decimal(repr(step)))
    return math.floor(_EXACT.add(steps, Decimal("1e-9"))) + 1  # a high that was computed counts


@dataclass(frozen=True, slots=True)
class Linear:
    """A continuous axis, affine in the value."""

    low: float
    high: float
    cells: float = field(init=False, default=math.inf)
    _scale: float = field(init=False, repr=False)
    _rounded: _Rounding = field(init=False, repr=False)

    def __post_init__(self) -> None:
        low, high = self.low, self.high
        scale = 1.0 if math.isfinite(high - low) else 0.25  # -1e308 .. 1e308
        places = math.inf
        if low != 0.0:  # from zero on, the relative error of a value stays small; elsewhere not
            error = 6 * HALF_ULP * max(abs(low), abs(high), scale * high - scale * low)
            places = math.floor(-math.log10(max(2 * error, TINY)))
        object.__setattr__(self, "_scale", scale)
        object.__setattr__(self, "_rounded", _Rounding(DIGITS, places, _least_places(low, high)))

    def encode(self, value: float) -> float:
        """Return the coordinate of `value`."""
        s, low = self._scale, self.low
        return (s * value - s * low) / (s * self.high - s * low)

    def decode(self, u: float) -> float:
        """Return the value at coordinate `u`."""
        low, high, s = self.low, self.high, self._scale
        if not 0.0 < u < 1.0:
            return low if u <= 0.0 else high
        value = self._rounded((s * low + u * (s * high - s * low)) / s)
        return _at_end(self, u, min(max(value, low), high))

    def snap(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return `u` clipped to [0, 1]."""
        return np.clip(u, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Log:
    """A continuous axis, affine in the logarithm of the value."""

    low: float
    high: float
    cells: float = field(init=False, default=math.inf)
    _narrow: bool = field(init=False, repr=False)
    _length: float = field(init=False, repr=False)
    _rounded: _Rounding = field(init=False, repr=False)

    def __post_init__(self) -> None:
        low, high = self.low, self.high
        narrow = high < 1.5 * low
        length = math.log1p((high - low) / low) if narrow else math.log(high) - math.log(low)
        largest = max(abs(math.log(low)), abs(math.log(high)))
        error = HALF_ULP * (4 * length + 2 * largest + 4)  # relative, of a value there and back
        digits = min(DIGITS, math.floor(-math.log10(2 * error)))
        object.__setattr__(self, "_narrow", narrow)
        object.__setattr__(self, "_length", length)
        rounded = _Rounding(digits, least=_least_places(low, high))
        object.__setattr__(self, "_rounded", rounded)

    def encode(self, value: float) -> float:
        """Return the coordinate of `value`."""
        if self._narrow:
            return math.log1p((value - self.low) / self.low) / self._length
        return min(max((math.log(value) - math.log(self.low)) / self._length, 0.0), 1.0)

    def decode(self, u: float) -> float:
        """Return the value at coordinate `u`."""
        low, high, length = self.low, self.high, self._length
        if not 0.0 < u < 1.0:
            return low if u <= 0.0 else high
        if self._narrow:
            value = low + low * math.expm1(u * length)
        else:
            value = math.exp(min(math.log(low) + u * length, math.log(high)))
        return _at_end(self, u, min(max(self._rounded(value), low), high))

    def snap(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return `u` clipped to [0, 1]."""
        return np.clip(u, 0.0, 1.0)


@dataclass(frozen=True, slots=True)
class Grid:
    """Evenly spaced values: low, low + step, ... (`cells` of them), all int or all float."""

    low: float
    high: float
    step: float
    cells: int
    _decimal: tuple[Decimal, Decimal] | None = field(init=False, repr=False)

    def __post_init__(self) -> None:
        whole = isinstance(self.low, int)
        exact = None if whole else (Decimal(repr(self.low)), Decimal(repr(self.step)))
        object.__setattr__(self, "_decimal", exact)

    def value(self, k: int) -> float:
        """Return value number `k`, as a person would write it: 0.1 * 3 is 0.3."""
        if self._decimal is None:
            return self.low + k * self.step
        low, step = self._decimal
        return min(float(_EXACT.fma(Decimal(k), step, low)), self.high)

    def nearest(self, value: float) -> int:
        """Return the number of the grid value next to `value`."""
        if self.cells == 1:
            return 0
        if self._decimal is None and isinstance(value, int):
            k = (value - self.low + self.step // 2) // self.step
        else:
            k = (value - self.low) / self.step
            if not math.isfinite(k):
                k = value / self.step - self.low / self.step
            k = round(k)
        return int(min(max(k, 0), self.cells - 1))

    def encode(self, value: float) -> float:
        """Return the centre of the cell of `value`."""
        return (self.nearest(value) + 0.5) / self.cells

    def decode(self, u: float) -> float:
        """Return the value whose cell holds coordinate `u`."""
        return self.value(max(min(math.floor(u * self.cells), self.cells - 1), 0))

    def snap(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the centres of the cells that hold `u`."""
        return (np.clip(np.floor(u * self.cells), 0, self.cells - 1) + 0.5) / self.cells


@dataclass(frozen=True, slots=True)
class LogGrid:
    """The integers from `low` (at least 1) to `high` on a logarithmic scale."""

    low: int
    high: int
    cells: int = field(init=False)
    _length: float = field(init=False, repr=False)

    def __post_init__(self) -> None:
        cells = self.high - self.low + 1
        object.__setattr__(self, "cells", cells)
        object.__setattr__(self, "_length", math.log1p(cells / (self.low - 0.5)))

    def value(self, k: int) -> int:
        """Return value number `k`."""
        return self.low + k

    def nearest(self, value: float) -> int:
        """Return the number of the integer next to `value`."""
        return min(max(round(value) - self.low, 0), self.cells - 1)

    # np.log1p and np.expm1 also for one number: they may differ from math's in the last bit, and
    # encode(decode(u)) must be snap(u) to that bit.

    def encode(self, value: float) -> float:
        """Return the coordinate of the integer `value` itself."""
        k = value - self.low
        return float(np.log1p((k + 0.5) / (self.low - 0.5))) / self._length

    def decode(self, u: float) -> int:
        """Return the integer whose cell holds coordinate `u`."""
        k = math.floor((self.low - 0.5) * float(np.expm1(u * self._length)))
        return self.low + max(min(k, self.cells - 1), 0)

    def snap(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the coordinates of the integers whose cells hold `u`."""
        u = np.ascontiguousarray(np.clip(u, 0.0, 1.0))
        k = np.clip(np.floor((self.low - 0.5) * np.expm1(u * self._length)), 0, self.cells - 1)
        return np.log1p((k + 0.5) / (self.low - 0.5)) / self._length


Axis: TypeAlias = Linear | Log | Grid | LogGrid
