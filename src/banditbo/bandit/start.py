"""The first trials, before there is anything to learn from, without any coordination.

What trial ``number`` proposes depends on (seed, number) alone: workers that know nothing of one
another visit different arms. Every decision runs through its alternatives in an order drawn from
the seed, anew for every round; a decision inside an alternative counts the visits of that
alternative. Numeric coordinates follow a Kronecker sequence whose offset is drawn from the seed.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from banditbo.bandit.candidates import Frame
from banditbo.bandit.streams import stream
from banditbo.space import Arm, Categorical, Choice, Parameter

__all__ = ["kronecker", "start_arm", "visit"]

Array = NDArray[np.float64]


def visit(seed: int, name: str, n: int, count: int) -> tuple[int, int]:
    """Return which of n alternatives visit ``count`` of a decision takes, and the round it is in.

    >>> sorted(visit(0, "model", 5, t)[0] for t in range(5))
    [0, 1, 2, 3, 4]
    """
    lap, at = divmod(count, n)
    order = stream(seed, lap, "start", name).permutation(n)
    return int(order[at]), lap


def start_arm(frame: Frame, seed: int, number: int) -> Arm:
    """Return the arm that trial ``number`` starts with: every alternative is visited in turn."""
    choices: dict[str, object] = {}

    def walk(parameters: Mapping[str, Parameter], count: int) -> None:
        for name, parameter in parameters.items():
            if isinstance(parameter, Categorical | Choice):
                at, lap = visit(seed, name, len(parameter.choices), count)
                choices[name] = parameter.choices[at]
                if isinstance(parameter, Choice):
                    walk(parameter.alternatives[parameter.choices[at]], lap)

    walk(frame.space.parameters, number)
    return frame.arm_with(choices)


def kronecker(seed: int, number: int, d: int) -> Array:
    """Return point ``number`` of a d-dimensional Kronecker sequence with a random offset.

    Increments are powers of the inverse of the root of x^(d+1) = x + 1 (the golden ratio for
    d = 1).

    >>> bool(np.ptp([kronecker(0, t, 1)[0] for t in range(8)]) > 0.7)
    True
    """
    root = 2.0
    for _ in range(64):
        root = (1.0 + root) ** (1.0 / (d + 1.0))
    increments = root ** -np.arange(1.0, d + 1.0)
    offset = stream(seed, 0, "start", "offset").random(d)
    return np.asarray((offset + number * increments) % 1.0)
