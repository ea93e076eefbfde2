"""Values as they are compared and kept: type-aware keys, plain Python scalars, read-only maps."""

from __future__ import annotations

import difflib
import math
from collections.abc import Hashable, Iterable
from enum import Enum
from typing import Any, NoReturn, TypeAlias, TypeVar

import numpy as np

from banditbo.errors import InvalidSpaceError

__all__ = ["NO_DEFAULT", "FrozenMap", "NoDefault", "Value", "did_you_mean", "key", "value_of"]

Value: TypeAlias = bool | int | float | str | None
"""What an alternative of a decision may be."""

K = TypeVar("K")
V = TypeVar("V")


class NoDefault(Enum):
    """The default of a decision that has none; ``None`` may be one of its alternatives."""

    NO_DEFAULT = "no default"


NO_DEFAULT = NoDefault.NO_DEFAULT


class FrozenMap(dict[K, V]):
    """A dict that refuses to be changed: picklable, and as quick to read as a dict."""

    __slots__ = ()

    def _refuse(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError("read-only: make a new space instead of changing this one")

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __reduce__(self) -> tuple[type[FrozenMap[K, V]], tuple[dict[K, V]]]:
        return type(self), (dict(self),)


def plain(value: Any) -> Any:
    """Turn a numpy scalar or 0-d array into the Python value it holds; leave the rest alone.

    Examples
    --------
    >>> plain(np.float64(0.5)), plain("rbf")
    (0.5, 'rbf')
    """
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return value.item()
    return value


def key(value: Any) -> Hashable:
    """Return what two values share exactly if they are the same alternative.

    Python's ``True == 1 == 1.0`` would merge three alternatives into one.

    Examples
    --------
    >>> key(True) == key(1), key(np.str_("rbf")) == key("rbf")
    (False, True)
    """
    value = plain(value)
    return type(value), value


def value_of(value: Any) -> Value:
    """Return `value` as an alternative of a decision, or refuse it."""
    value = plain(value)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidSpaceError(
            f"{value!r} cannot be an alternative: write it as a string, for instance '{value}'"
        )
    if value is None or type(value) in (bool, int, float, str):
        return value  # type: ignore[no-any-return]
    raise InvalidSpaceError(
        f"an alternative must be a str, bool, int, float or None, not {value!r} "
        f"({type(value).__name__}): name it by a string and look the object up in the objective"
    )


def did_you_mean(name: object, known: Iterable[object]) -> str:
    """Return ``"; did you mean 'C'?"`` for the nearest of `known`, or nothing if none is near.

    Examples
    --------
    >>> did_you_mean("gama", ["C", "gamma"])
    "; did you mean 'gamma'?"
    """
    near = {str(other): other for other in known}
    match = difflib.get_close_matches(str(name), near, n=1, cutoff=0.5)
    if not match:
        match = [other for other in near if other.lower() == str(name).lower()]
    return f"; did you mean {near[match[0]]!r}?" if match else ""
