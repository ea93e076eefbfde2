"""Functions with a choice in them whose optimum is known; all are maximised.

``ackley``, ``2d`` and ``alpine`` are the paper's three, with C arms c = 0 .. C-1; ``jenatton`` is
the tree function of Jenatton et al. (2017), negated; ``groups`` has C alternatives which have no
parameter in common, for timing.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from scipy.optimize import minimize_scalar

from benchmarks.spaces import Params, PlainSpace

_GRID = 4001  # grid points of a one-dimensional global search, before refinement


def _arms(count: int, dimension: int, low: float, high: float) -> PlainSpace:
    inside = {f"x{i}": {"float": [low, high]} for i in range(dimension)}
    return {"c": {"choice": {str(c): dict(inside) for c in range(count)}}}


def _point(params: Params, dimension: int) -> tuple[int, np.ndarray]:
    return int(params["c"]), np.array([params[f"x{i}"] for i in range(dimension)])


def ackley_space(count: int) -> PlainSpace:
    return _arms(count, 5, -2.0, 2.0)


def ackley(params: Params) -> float:
    c, x = _point(params, 5)
    z = x + c
    bowl = -20.0 * math.exp(-0.2 * math.sqrt(float(np.mean(z * z))))
    waves = -math.exp(float(np.mean(np.cos(2.0 * np.pi * z))))
    return -(bowl + waves + 20.0 + math.e + c)


def ackley_optimum(count: int) -> float:
    """Attained in arm 0 at x = 0: every term is at its bound there, and -c is largest."""
    return 0.0


def two_space(count: int) -> PlainSpace:
    return _arms(count, 1, -2.0, 10.0)


def _two(c: int, x: float) -> float:
    z1, z2 = x - 0.05 * c, x + 0.05 * c
    peaks = math.exp(-((z1 - 2.0) ** 2)) + math.exp(-((z1 - 6.0) ** 2) / 10.0)
    return peaks + 1.0 / (z2 * z2 + 1.0) + c / 2.0


def two(params: Params) -> float:
    return _two(int(params["c"]), params["x0"])


def two_optimum(count: int) -> float:
    return max(highest(partial(_two, c), -2.0, 10.0) for c in range(count))


def alpine_space(count: int) -> PlainSpace:
    return _arms(count, 4, 1.0, 10.0)


def alpine(params: Params) -> float:
    c, x = _point(params, 4)
    z = x + 2.0 * c
    return float(np.prod(np.sqrt(z) * np.sin(z)) + 2.0 * c)


def alpine_optimum(count: int) -> float:
    """Return the fourth power of the largest |factor|: with four factors signs come in pairs."""

    def size(z: float) -> float:
        return abs(math.sqrt(z) * math.sin(z))

    return max(highest(size, 1.0 + 2 * c, 10.0 + 2 * c) ** 4 + 2 * c for c in range(count))


def jenatton_space() -> PlainSpace:
    unit, leaf = {"float": [0.0, 1.0]}, {"float": [-1.0, 1.0]}
    left = {"r8": unit, "x2": {"choice": {"0": {"x4": leaf}, "1": {"x5": leaf}}}}
    right = {"r9": unit, "x3": {"choice": {"0": {"x6": leaf}, "1": {"x7": leaf}}}}
    return {"x1": {"choice": {"0": left, "1": right}}}


def jenatton(params: Params) -> float:
    if params["x1"] == "0":
        leaf, height = ("x4", 0.1) if params["x2"] == "0" else ("x5", 0.2)
        return -float(params[leaf] ** 2 + height + params["r8"])
    leaf, height = ("x6", 0.3) if params["x3"] == "0" else ("x7", 0.4)
    return -float(params[leaf] ** 2 + height + params["r9"])


JENATTON_OPTIMUM = -0.1


def _dimension(g: int) -> int:
    return 1 + g % 4


def groups_space(count: int) -> PlainSpace:
    return {
        "g": {
            "choice": {
                f"g{g}": {f"g{g}_x{i}": {"float": [0.0, 1.0]} for i in range(_dimension(g))}
                for g in range(count)
            }
        }
    }


def groups(params: Params) -> float:
    """Return a paraboloid in each alternative, centre and height by the alternative's number."""
    g = int(params["g"][1:])
    x = np.array([params[f"g{g}_x{i}"] for i in range(_dimension(g))])
    centre = (0.31 + 0.17 * g + 0.23 * np.arange(len(x))) % 1.0
    return float(math.cos(1.7 * g) - np.sum((x - centre) ** 2))


def groups_optimum(count: int) -> float:
    return max(math.cos(1.7 * g) for g in range(count))


def highest(f: Callable[[float], float], low: float, high: float) -> float:
    """Return the maximum of f on [low, high] to 1e-12: a grid, then Brent at its best points."""
    grid = np.linspace(low, high, _GRID)
    values = np.array([f(x) for x in grid])
    best = float(values.max())
    for i in np.argsort(values)[-5:]:
        bounds = (grid[max(i - 1, 0)], grid[min(i + 1, _GRID - 1)])
        found = minimize_scalar(
            lambda x: -f(x), bounds=bounds, method="bounded", options={"xatol": 1e-12}
        )
        best = max(best, -float(found.fun))
    return best


Family = tuple[Callable[[int], PlainSpace], Callable[[Params], float], Callable[[int], float]]
FAMILIES: dict[str, Family] = {
    "ackley": (ackley_space, ackley, ackley_optimum),
    "2d": (two_space, two, two_optimum),
    "alpine": (alpine_space, alpine, alpine_optimum),
    "groups": (groups_space, groups, groups_optimum),
}


@lru_cache(maxsize=64)
def optimum(family: str, count: int) -> float:
    """Return the optimum of a family with so many arms."""
    return FAMILIES[family][2](count)
