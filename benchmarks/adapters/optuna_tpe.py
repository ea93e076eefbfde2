"""Optuna's TPE through ask and tell, define-by-run as its users write it.

A parameter that several alternatives define alike is suggested under its one name by each of them
(``names=path`` gives every alternative parameters of its own instead). Points measured elsewhere
become complete trials that hold the active parameters only, as if they had been suggested.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

from benchmarks.adapters.base import Budget, Pending, needs, take
from benchmarks.problems import Problem
from benchmarks.spaces import Node, Params, active, keys

with needs("optuna"):
    import optuna


def suggest(trial: optuna.Trial, nodes: Sequence[Node], name: dict[str, str]) -> Params:
    """Return the point that a trial suggests, walking down the alternatives it chooses."""
    params: Params = {}
    for node in nodes:
        key = name[node.path]
        if node.kind == "categorical":
            value = trial.suggest_categorical(key, node.values)
            params[node.name] = value
            params.update(suggest(trial, node.children.get(value, ()), name))
        elif node.kind == "int":
            params[node.name] = trial.suggest_int(key, int(node.low), int(node.high), log=node.log)
        else:
            params[node.name] = trial.suggest_float(key, node.low, node.high, log=node.log)
    return params


def distribution(node: Node) -> optuna.distributions.BaseDistribution:
    """Return what ``suggest`` declares for a parameter."""
    if node.kind == "categorical":
        return optuna.distributions.CategoricalDistribution(node.values)
    if node.kind == "int":
        low, high = int(node.low), int(node.high)
        return optuna.distributions.IntDistribution(low, high, log=node.log)
    return optuna.distributions.FloatDistribution(node.low, node.high, log=node.log)


class TPE:
    """Optuna's TPESampler as it comes."""

    method = "tpe"

    def __init__(
        self, problem: Problem, seed: int, budget: Budget, options: dict[str, Any]
    ) -> None:
        chosen = take(options, self.method, names="shared")
        self._tree = problem.tree
        self._name = keys(self._tree, chosen["names"])
        optuna.logging.set_verbosity(optuna.logging.ERROR)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            sampler = self._sampler(seed, budget)
        self._study = optuna.create_study(direction="maximize", sampler=sampler)
        self._pending: Pending[optuna.Trial] = Pending()

    def _sampler(self, seed: int, budget: Budget) -> optuna.samplers.BaseSampler:
        return optuna.samplers.TPESampler(seed=seed)

    def tell(self, params: Params, value: float) -> None:
        trial = self._pending.pop(params)
        if trial is not None:
            self._study.tell(trial, value)
            return
        nodes = list(active(self._tree, params))
        self._study.add_trial(
            optuna.trial.create_trial(
                params={self._name[node.path]: params[node.name] for node in nodes},
                distributions={self._name[node.path]: distribution(node) for node in nodes},
                value=value,
            )
        )

    def ask(self, n: int) -> list[Params]:
        proposals = []
        for _ in range(n):
            trial = self._study.ask()
            params = suggest(trial, self._tree, self._name)
            self._pending.add(params, trial)
            proposals.append(params)
        return proposals


class GroupTPE(TPE):
    """TPE with a joint model of each group of parameters that occur together."""

    method = "tpe-group"

    def _sampler(self, seed: int, budget: Budget) -> optuna.samplers.BaseSampler:
        return optuna.samplers.TPESampler(
            multivariate=True, group=True, constant_liar=budget.batch > 1, seed=seed
        )
