"""SMAC's facade for hyper-parameters as it comes, through ask and tell.

SMAC minimises a cost whose logarithm its forest learns. The cost is the shortfall from an upper
bound that is known beforehand (``Problem.bound``), plus one: positive. Its encoder scales costs
linearly to the range seen before it takes the logarithm, so the shift tells SMAC nothing (a test
shows that what the forest is trained on does not depend on it).
Batches: points that were asked for and not told of are SMAC's running trials.
"""

from __future__ import annotations

import logging
import tempfile
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.adapters.base import Budget, Pending, needs, take
from benchmarks.problems import Problem
from benchmarks.spaces import Node, Params, active, keys, walk

with needs("smac"):
    from ConfigSpace import (
        Categorical,
        Configuration,
        ConfigurationSpace,
        Float,
        InCondition,
        Integer,
        OrConjunction,
    )
    from smac import HyperparameterOptimizationFacade, Scenario
    from smac.main.config_selector import ConfigSelector
    from smac.runhistory import TrialInfo, TrialValue


def _hyperparameter(node: Node, key: str) -> Any:
    if node.kind == "categorical":
        return Categorical(key, list(node.values))
    if node.kind == "int":
        return Integer(key, (int(node.low), int(node.high)), log=node.log)
    return Float(key, (node.low, node.high), log=node.log)


def configuration_space(nodes: tuple[Node, ...], name: dict[str, str], seed: int) -> Any:
    """Return the conditional ConfigSpace: a parameter is active where an alternative has it."""
    space = ConfigurationSpace(seed=seed)
    made: dict[str, Any] = {}
    where: dict[str, dict[str, list[Any]]] = defaultdict(lambda: defaultdict(list))
    always = {name[node.path] for node in nodes}
    for node in walk(nodes):
        key = name[node.path]
        if key not in made:
            made[key] = _hyperparameter(node, key)
        for alternative, inside in node.children.items():
            for child in inside:
                where[name[child.path]][key].append(alternative)
    space.add(list(made.values()))
    for key, parents in where.items():
        conditions = [
            InCondition(made[key], made[parent], alternatives)
            for parent, alternatives in parents.items()
            if len(alternatives) < len(made[parent].choices) or parent not in always
        ]
        if len(conditions) == 1:
            space.add(conditions[0])
        elif conditions:
            space.add(OrConjunction(*conditions))
    return space


class SMAC:
    """HyperparameterOptimizationFacade; ``retrain`` is how many proposals a forest serves."""

    def __init__(
        self, problem: Problem, seed: int, budget: Budget, options: dict[str, Any]
    ) -> None:
        chosen = take(options, "smac", retrain=8, names="shared", shift=1.0)
        self._tree = problem.tree
        self._name = keys(self._tree, chosen["names"])
        self._ceiling = problem.bound + chosen["shift"]
        self._space = configuration_space(self._tree, self._name, seed)
        self._seed = seed
        self._budget = budget
        self._retrain = chosen["retrain"]
        self._started: list[tuple[Params, float]] = []
        self._smac: Any = None
        self._folder = tempfile.TemporaryDirectory(prefix="banditbo-smac-")
        self._pending: Pending[TrialInfo] = Pending()

    def _facade(self) -> Any:
        """Make the optimizer when it is first asked: points it then knows replace its start."""
        logging.getLogger("smac").setLevel(logging.ERROR)
        scenario = Scenario(
            self._space,
            deterministic=True,
            n_trials=self._budget.evaluations,
            seed=self._seed,
            output_directory=Path(self._folder.name),
        )
        facade = HyperparameterOptimizationFacade
        design = facade.get_initial_design(scenario, n_configs=0) if self._started else None
        return facade(
            scenario,
            lambda config, seed=0: 0.0,
            initial_design=design,
            config_selector=ConfigSelector(scenario, retrain_after=self._retrain),
            logging_level=False,
            overwrite=True,
        )

    def tell(self, params: Params, value: float) -> None:
        if self._smac is None:
            self._started.append((params, value))
            return
        info = self._pending.pop(params) or TrialInfo(self._configuration(params), seed=0)
        self._smac.tell(info, TrialValue(self._ceiling - value), save=False)

    def ask(self, n: int) -> list[Params]:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if self._smac is None:
                self._smac = self._facade()
                for params, value in self._started:
                    self.tell(params, value)
            proposals = []
            for _ in range(n):
                info = self._smac.ask()
                params = self._params(info.config)
                self._pending.add(params, info)
                proposals.append(params)
        return proposals

    def _configuration(self, params: Params) -> Configuration:
        nodes = active(self._tree, params)
        return Configuration(
            self._space, values={self._name[node.path]: params[node.name] for node in nodes}
        )

    def _params(self, config: Configuration) -> Params:
        """Return the plain Python values of the active parameters."""
        values = dict(config)
        params: Params = {}
        nodes = list(self._tree)
        while nodes:
            node = nodes.pop(0)
            value = values[self._name[node.path]]
            if node.kind == "categorical":
                value = next(own for own in node.values if own == value)
                nodes.extend(node.children.get(value, ()))
            params[node.name] = (
                int(value)
                if node.kind == "int"
                else (float(value) if node.kind == "float" else value)
            )
        return params
