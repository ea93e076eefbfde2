"""Arms that are proposed no more, by the choices they have in common."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditbo.errors import InvalidValueError
from banditbo.space import Space
from banditbo.space.values import key

__all__ = ["matching", "open_arms"]

Bools = NDArray[np.bool_]


def matching(choices: Mapping[str, Any], space: Space) -> Bools:
    """Tell which arms (A,) have all of these choices."""
    wanted = {name: key(value) for name, value in choices.items()}
    return np.array(
        [
            all(n in arm.choices and key(arm.choices[n]) == v for n, v in wanted.items())
            for arm in space.arms
        ]
    )


def open_arms(retired: Sequence[Mapping[str, Any]], space: Space) -> Bools:
    """Tell which arms (A,) may be proposed; refuse to retire what is not there, or all."""
    is_open = np.ones(len(space.arms), dtype=bool)
    for choices in retired:
        match = matching(choices, space)
        if not match.any():
            raise InvalidValueError(f"{choices} names no arm: use choices of {space.arms[0]}, ...")
        is_open &= ~match
    if not is_open.any():
        raise InvalidValueError(f"{retired[-1]} would retire the last arm: leave at least one")
    return is_open
