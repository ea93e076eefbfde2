"""Proposals of which some parameters are fixed: the arms that agree, the coordinates that stay.

Notation
--------
    A, G, M, D   arms, groups, candidates, numeric parameters
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditbo.bandit import Frame
from banditbo.errors import InvalidValueError
from banditbo.space.values import key

__all__ = ["Given"]

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Given:
    """Arms that may be played (A,), and coordinates (G, D) that are fixed, nan where free."""

    arms: Bools
    coordinates: Array

    @staticmethod
    def of(frame: Frame, open_arms: Bools, params: Mapping[str, Any]) -> Given:
        """Restrict to the open arms in which all of these parameters have these values."""
        space = frame.space
        coordinates = np.full(frame.continuous.shape, np.nan)
        if not params:
            return Given(open_arms, coordinates)
        group_has: list[set[str]] = []
        for g, group in enumerate(space.groups):
            fixed: set[str] = set()
            for j, (name, parameter) in enumerate(zip(group.names, group.parameters, strict=True)):
                if name in params:
                    try:
                        value = parameter.check(name, params[name])
                    except InvalidValueError:
                        continue
                    coordinates[g, j] = parameter.axis.encode(value)
                    fixed.add(name)
            group_has.append(fixed)
        agree = np.array(
            [
                all(
                    n in group_has[arm.group]
                    or (n in arm.choices and key(arm.choices[n]) == key(v))
                    for n, v in params.items()
                )
                for arm in space.arms
            ]
        )
        return Given(agree & open_arms, coordinates)

    def freeze(self, frame: Frame) -> Frame:
        """Let fixed coordinates not move."""
        return replace(frame, continuous=frame.continuous & np.isnan(self.coordinates))

    def put(self, points: Array) -> Array:
        """Put the fixed coordinates into candidates (G, M, D)."""
        fixed = self.coordinates[:, None, :]
        return np.where(np.isnan(fixed), points, fixed)
