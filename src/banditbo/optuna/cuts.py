"""Where a number separates sets of parameters: ``if x > 0.5: y = ...``."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from optuna.distributions import BaseDistribution, FloatDistribution

__all__ = ["cut", "simplest"]

Extent = tuple[float, float]


def cut(
    distribution: BaseDistribution, seen: Sequence[Sequence[Extent | None]]
) -> list[Extent] | None:
    """Return the range of a number for every set, if the values that went with them lie apart.

    A cut is the simplest fraction of the range that separates the values seen, so that it stays
    where it is while new values agree with it.

    >>> cut(FloatDistribution(0, 1), [[(0.1, 0.3)], [(0.6, 0.9)]])
    [(0.0, 0.5), (0.5, 1.0)]
    >>> cut(FloatDistribution(0, 1), [[(0.1, 0.7)], [(0.6, 0.9)]]) is None
    True
    """
    if not isinstance(distribution, FloatDistribution) or distribution.step is not None:
        return None
    hulls = []
    for extents in seen:
        there = [e for e in extents if e is not None]
        if not there:
            return None
        hulls.append((min(e[0] for e in there), max(e[1] for e in there)))
    order = sorted(range(len(hulls)), key=lambda i: hulls[i])
    to = math.log if distribution.log else float
    back = math.exp if distribution.log else float
    low, high = distribution.low, distribution.high
    start, span = to(low), to(high) - to(low)
    edges = [low]
    for a, b in itertools.pairwise(order):
        below, above = hulls[a][1], hulls[b][0]
        if below >= above:
            return None
        fraction = simplest((to(below) - start) / span, (to(above) - start) / span)
        edges.append(min(max(back(start + fraction * span), below), above))
    edges.append(high)
    out: list[Extent] = [(low, high)] * len(hulls)
    for position, i in enumerate(order):
        out[i] = edges[position], edges[position + 1]
    return out


def simplest(low: float, high: float) -> float:
    """Return the fraction k / 2^n with the smallest n between two numbers.

    >>> simplest(0.3, 0.7), simplest(0.3, 0.45)
    (0.5, 0.375)
    """
    for n in range(1, 50):
        fraction = math.ceil(low * 2.0**n) / 2.0**n
        if low <= fraction <= high:
            return fraction
    return (low + high) / 2.0
