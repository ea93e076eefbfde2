"""The numeric parameters, `Float` and `Int`: a range, its scale, its grid."""

from __future__ import annotations

import math
import numbers
from dataclasses import dataclass, field
from typing import Any

from banditbo.errors import InvalidSpaceError, InvalidValueError
from banditbo.space.axes import MAX_CELLS, Axis, Grid, Linear, Log, LogGrid, count_cells
from banditbo.space.values import plain

__all__ = ["Float", "Int"]

LARGEST = 2**53
"""The largest integer up to which a float holds them all."""


@dataclass(frozen=True, slots=True, repr=False)
class Float:
    """A real number between `low` and `high`, both included.

    Parameters
    ----------
    low, high : float
        The range. Equal ends are allowed: one value.
    log : bool
        Search on a logarithmic scale; `low` must then be positive.
    step : float, optional
        Only low, low + step, low + 2 step, ... up to the last value not above `high`.
    default : float, optional
        Where an arm that has this parameter is tried first.

    Examples
    --------
    >>> Float(1e-5, 1.0, log=True)
    Float(1e-05, 1.0, log=True)
    >>> Float(0, 1, step=0.25).check("dropout", 0.3)
    Traceback (most recent call last):
    banditbo.errors.InvalidValueError: 'dropout' = 0.3 is not on the grid of its step 0.25: give
    0.25 or 0.5
    """

    low: float
    high: float
    log: bool = field(default=False, kw_only=True)
    step: float | None = field(default=None, kw_only=True)
    default: float | None = field(default=None, kw_only=True)
    axis: Axis = field(init=False, compare=False)
    """How the parameter lies on its axis of the unit cube."""

    def __post_init__(self) -> None:
        for end in ("low", "high", "step"):
            given = getattr(self, end)
            if given is not None or end != "step":
                object.__setattr__(self, end, _real(end, given, InvalidSpaceError) + 0.0)
        _check_range(self)
        object.__setattr__(self, "axis", self._axis())
        _check_default(self)

    def _axis(self) -> Axis:
        low, high, step = self.low, self.high, self.step
        if step is None:
            if low == high:
                return Grid(low, high, 1.0, 1)
            return Log(low, high) if self.log else Linear(low, high)
        if self.log:
            raise InvalidSpaceError(
                f"log=True and step={step!r} exclude one another: leave one of them out"
            )
        cells = count_cells(low, high, step)
        if cells > MAX_CELLS or step < 4 * math.ulp(max(abs(low), abs(high))):
            raise InvalidSpaceError(
                f"step={step!r} is too fine for the range {low!r} to {high!r}: leave it out"
            )
        return Grid(low, high, step, cells)

    @property
    def range(self) -> tuple[type, float, float, bool, float | None]:
        """What two parameters share if they are one dimension of a group: all but the default."""
        return Float, self.low, self.high, self.log, self.step

    def check(self, name: str, value: Any, *, clip: bool = False) -> float:
        """Return `value` as this parameter holds it, or refuse it, naming `name`.

        With `clip`, a number outside the range moves to its border and one beside the grid to
        the nearest grid value.
        """
        if type(value) is not float:
            value = _real(repr(name), value, InvalidValueError)
        if not self.low <= value <= self.high:
            value = _outside(self, name, value, clip)
        return _on_grid(self, name, value, clip) if isinstance(self.axis, Grid) else value + 0.0

    def __repr__(self) -> str:
        step = "" if self.step is None else f", step={self.step!r}"
        return _shown(self, step)


@dataclass(frozen=True, slots=True, repr=False)
class Int:
    """An integer between `low` and `high`, both included.

    Parameters
    ----------
    low, high : int
        The range. Equal ends are allowed: one value.
    log : bool
        Search on a logarithmic scale; `low` must then be at least 1.
    step : int
        Only low, low + step, low + 2 step, ... up to the last value not above `high`.
    default : int, optional
        Where an arm that has this parameter is tried first.

    Examples
    --------
    >>> Int(1, 1024, log=True)
    Int(1, 1024, log=True)
    >>> Int(10, 50).check("n_estimators", 60)
    Traceback (most recent call last):
    banditbo.errors.InvalidValueError: 'n_estimators' = 60 is outside its range 10 to 50: give a
    value inside, or widen the range
    """

    low: int
    high: int
    log: bool = field(default=False, kw_only=True)
    step: int = field(default=1, kw_only=True)
    default: int | None = field(default=None, kw_only=True)
    axis: Axis = field(init=False, compare=False)
    """How the parameter lies on its axis of the unit cube."""

    def __post_init__(self) -> None:
        for end in ("low", "high", "step"):
            object.__setattr__(self, end, _whole(end, getattr(self, end)))
        _check_range(self)
        object.__setattr__(self, "axis", self._axis())
        _check_default(self)

    def _axis(self) -> Axis:
        low, high, step = self.low, self.high, self.step
        if self.log and step != 1:
            raise InvalidSpaceError(
                f"log=True and step={step!r} exclude one another: leave one of them out"
            )
        cells = (high - low) // step + 1
        if max(abs(low), abs(high)) > LARGEST or cells > MAX_CELLS:
            raise InvalidSpaceError(
                f"the range {low!r} to {high!r} holds integers that a float cannot tell apart: "
                f"at most {MAX_CELLS} values up to {LARGEST}; use a Float"
            )
        return LogGrid(low, high) if self.log else Grid(low, high, step, cells)

    @property
    def range(self) -> tuple[type, int, int, bool, int]:
        """What two parameters share if they are one dimension of a group: all but the default."""
        return Int, self.low, self.high, self.log, self.step

    def check(self, name: str, value: Any, *, clip: bool = False) -> int:
        """Return `value` as this parameter holds it, or refuse it, naming `name`.

        With `clip`, a number outside the range moves to its border and one beside the grid to
        the nearest grid value.
        """
        if type(value) is not int:
            value = _real(repr(name), value, InvalidValueError)
        if not self.low <= value <= self.high:
            value = _outside(self, name, value, clip)
        if type(value) is int and self.step == 1:
            return value
        return int(_on_grid(self, name, value, clip))

    def __repr__(self) -> str:
        step = "" if self.step == 1 else f", step={self.step!r}"
        return _shown(self, step)


def _real(what: str, value: Any, error: type[ValueError]) -> float:
    """Return a finite number (an int stays an int), or raise `error`."""
    number = plain(value)
    if isinstance(number, bool) or not isinstance(number, numbers.Real):
        hint = ": leave out the quotes" if isinstance(number, str) else ""
        raise error(f"{what} must be a number, not {value!r} ({type(value).__name__}){hint}")
    if error is InvalidValueError and isinstance(number, int):
        return int(number)
    try:
        result = float(number)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise error(f"{what} must be finite, not {result!r}")
    return result


def _whole(what: str, value: Any) -> int:
    """Return `value` as an int, or raise InvalidSpaceError."""
    number = plain(value)
    if type(number) is int:
        return number
    number = _real(what, number, InvalidSpaceError)
    if not number.is_integer():
        raise InvalidSpaceError(f"{what} of an Int must be a whole number, not {value!r}")
    return int(number)


def _check_range(parameter: Float | Int) -> None:
    low, high, step = parameter.low, parameter.high, parameter.step
    if low > high:
        raise InvalidSpaceError(f"low={low!r} is above high={high!r}: swap them")
    if not isinstance(parameter.log, bool):
        raise InvalidSpaceError(f"log must be True or False, not {parameter.log!r}")
    if parameter.log and (low < 1 if isinstance(parameter, Int) else low <= 0):
        least = "at least 1" if isinstance(parameter, Int) else "above 0"
        raise InvalidSpaceError(f"log=True needs low {least}, not {low!r}: raise it or drop log")
    if step is not None and step <= 0:
        raise InvalidSpaceError(f"step must be above 0, not {step!r}")


def _check_default(parameter: Float | Int) -> None:
    if parameter.default is None:
        return
    try:
        default = parameter.check("default", parameter.default)
    except InvalidValueError as error:
        raise InvalidSpaceError(str(error)) from None
    object.__setattr__(parameter, "default", default)


def _outside(parameter: Float | Int, name: str, value: float, clip: bool) -> float:
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidValueError(f"{name!r} must be finite, not {value!r}")
    if clip:
        return parameter.low if value < parameter.low else parameter.high
    raise InvalidValueError(
        f"{name!r} = {value!r} is outside its range {parameter.low!r} to {parameter.high!r}: "
        "give a value inside, or widen the range"
    )


def _on_grid(parameter: Float | Int, name: str, value: float, clip: bool) -> float:
    """Return the grid value that `value` is (but for rounding), or refuse it."""
    axis = parameter.axis
    if not isinstance(axis, Grid | LogGrid):
        return value
    k = axis.nearest(value)
    there = axis.value(k)
    step = parameter.step or 0.0
    if clip or value == there or abs(value - there) <= 1e-9 * step:
        return there
    below = k if there <= value else k - 1
    neighbours = [axis.value(i) for i in (below, below + 1) if 0 <= i < axis.cells]
    raise InvalidValueError(
        f"{name!r} = {value!r} is not on the grid of its step {step!r}: "
        f"give {' or '.join(map(repr, neighbours))}"
    )


def _shown(parameter: Float | Int, step: str) -> str:
    log = ", log=True" if parameter.log else ""
    default = "" if parameter.default is None else f", default={parameter.default!r}"
    ends = f"{parameter.low!r}, {parameter.high!r}"
    return f"{type(parameter).__name__}({ends}{log}{step}{default})"
