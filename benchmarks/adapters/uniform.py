"""Random search: every choice uniform over its alternatives, every number over its range."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.adapters.base import Budget, take
from benchmarks.problems import Problem
from benchmarks.spaces import Params, sample


class Random:
    """Uniform points, whatever it is told."""

    def __init__(
        self, problem: Problem, seed: int, budget: Budget, options: dict[str, Any]
    ) -> None:
        take(options, "random")
        self._tree = problem.tree
        self._rng = np.random.default_rng([seed, 7])

    def tell(self, params: Params, value: float) -> None:
        pass

    def ask(self, n: int) -> list[Params]:
        return [sample(self._tree, self._rng) for _ in range(n)]
