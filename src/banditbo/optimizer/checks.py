"""Input that is refused: every message names the thing, the value and the remedy."""

from __future__ import annotations

import math
import numbers
from typing import Any, Literal, cast

import numpy as np

from banditbo.errors import InvalidValueError
from banditbo.space import Space

__all__ = [
    "check_direction",
    "check_list",
    "check_noise",
    "check_number",
    "check_seed",
    "check_space",
    "check_value",
]


def check_space(space: Any) -> None:
    """Refuse what is not a space."""
    if not isinstance(space, Space):
        raise InvalidValueError(
            f"space must be a Space, not {space!r}: Space.from_dict reads a dict"
        )


def check_list(values: Any) -> list[Any]:
    """Refuse what is not a list of values."""
    if isinstance(values, str) or np.ndim(values) == 0:
        raise InvalidValueError(f"{values!r} is not a list: give one value a trial")
    return list(values)


def check_direction(direction: str) -> Literal["maximize", "minimize"]:
    """Refuse anything but the two directions."""
    if direction not in ("maximize", "minimize"):
        raise InvalidValueError(f"direction={direction!r}: use 'maximize' or 'minimize'")
    return cast(Literal["maximize", "minimize"], direction)


def check_seed(seed: Any) -> int:
    """Refuse what is not an integer of at least 0."""
    if isinstance(seed, bool) or not isinstance(seed, numbers.Integral) or seed < 0:
        raise InvalidValueError(f"seed={seed!r}: use an integer of at least 0, or leave it out")
    return int(seed)


def check_number(name: str, n: Any, least: int) -> int:
    """Refuse what is not an integer of at least ``least``."""
    if isinstance(n, bool) or not isinstance(n, numbers.Integral) or n < least:
        raise InvalidValueError(f"{name}={n!r}: use an integer of at least {least}")
    return int(n)


def check_noise(noise: Any) -> float:
    """Refuse what is not a standard deviation."""
    if isinstance(noise, bool) or not isinstance(noise, numbers.Real):
        raise InvalidValueError(
            f"noise={noise!r}: use a number, the standard deviation of the values"
        )
    sd = _float(noise)
    if not 0.0 <= sd < math.inf:
        raise InvalidValueError(f"noise={noise!r}: a standard deviation is at least 0 and finite")
    return sd


def _float(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:  # an integer beyond the largest float
        return math.inf


def check_value(value: Any, where: str) -> float:
    """Refuse what is not a finite number.

    >>> check_value(1, "trial 0")
    1.0
    """
    item = getattr(value, "item", None)
    if item is not None and getattr(value, "size", 1) == 1:
        value = item()
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise InvalidValueError(
            f"{where}: the value {value!r} is a {type(value).__name__}, not a number: "
            "tell a float, or failed=True"
        )
    number = _float(value)
    if not math.isfinite(number):
        raise InvalidValueError(
            f"{where}: the value {value!r} cannot be ranked: tell failed=True for an evaluation "
            "that came to nothing"
        )
    return number
