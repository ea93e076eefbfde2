"""The engine itself: the default, the same with Thompson sampling, and the published algorithm."""

from __future__ import annotations

from typing import Any

from benchmarks.adapters.base import Budget, Pending, needs
from benchmarks.problems import Problem
from benchmarks.spaces import Params

with needs("banditbo"):
    from banditbo import Optimizer, Space


class Bandit:
    """``Optimizer`` with its defaults; options are keywords of its constructor."""

    defaults: dict[str, Any] = {}  # noqa: RUF012

    def __init__(
        self, problem: Problem, seed: int, budget: Budget, options: dict[str, Any]
    ) -> None:
        self._optimizer = Optimizer(
            Space.from_dict(problem.space()),
            direction="maximize",
            seed=seed,
            **{**self.defaults, **options},
        )
        self._pending: Pending[Any] = Pending()

    def tell(self, params: Params, value: float) -> None:
        self._optimizer.tell(self._pending.pop(params) or params, value)

    def ask(self, n: int) -> list[Params]:
        proposals = []
        for trial in self._optimizer.ask(n):
            params = dict(trial.params)
            self._pending.add(params, trial)
            proposals.append(params)
        return proposals


class Thompson(Bandit):
    defaults = {"policy": "thompson"}  # noqa: RUF012


class Paper(Bandit):
    defaults = {"model": "paper", "policy": "thompson"}  # noqa: RUF012
