"""The hyperopt package's tpe.suggest, asked one point at a time; a batch is repeated draws.

Every choice is an ``hp.choice``; a parameter that several alternatives define alike is one node of
hyperopt's graph, used in each. Points measured elsewhere become finished trials.
"""

from __future__ import annotations

import logging
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.adapters.base import Budget, Pending, needs, take
from benchmarks.problems import Problem
from benchmarks.spaces import Node, Params, active, keys, walk

with needs("hyperopt"):
    from hyperopt import JOB_STATE_DONE, STATUS_OK, Trials, hp, tpe
    from hyperopt.base import Domain
    from hyperopt.pyll import scope


def _number(node: Node, key: str) -> Any:
    if node.kind == "float":
        if node.log:
            return hp.loguniform(key, math.log(node.low), math.log(node.high))
        return hp.uniform(key, node.low, node.high)
    if node.log:
        low, high = math.log(node.low - 0.5), math.log(node.high + 0.5)
        return scope.int(hp.qloguniform(key, low, high, 1))
    return hp.uniformint(key, int(node.low), int(node.high))


def expression(
    nodes: Sequence[Node], name: dict[str, str], made: dict[str, Any] | None = None
) -> dict[str, Any]:
    """Return hyperopt's space: a dict by path, in which an alternative is a dict of its own."""
    made = {} if made is None else made
    result = {}
    for node in nodes:
        key = name[node.path]
        if key not in made:
            if node.kind == "categorical":
                options = [
                    expression(node.children.get(value, ()), name, made) for value in node.values
                ]
                made[key] = hp.choice(key, options)
            else:
                made[key] = _number(node, key)
        result[key] = made[key]
    return result


class Hyperopt:
    """tpe.suggest as it comes."""

    def __init__(
        self, problem: Problem, seed: int, budget: Budget, options: dict[str, Any]
    ) -> None:
        chosen = take(options, "hyperopt", names="shared")
        logging.getLogger("hyperopt").setLevel(logging.ERROR)
        self._tree = problem.tree
        self._name = keys(self._tree, chosen["names"])
        self._labels = sorted({self._name[node.path] for node in walk(self._tree)})
        self._domain = Domain(lambda config: 0.0, expression(self._tree, self._name))
        self._trials = Trials()
        self._rng = np.random.default_rng([seed, 11])
        self._pending: Pending[dict[str, Any]] = Pending()

    def tell(self, params: Params, value: float) -> None:
        document = self._pending.pop(params) or self._document(params)
        document["state"] = JOB_STATE_DONE
        document["result"] = {"loss": -value, "status": STATUS_OK}
        self._trials.insert_trial_doc(document)
        self._trials.refresh()

    def ask(self, n: int) -> list[Params]:
        proposals = []
        for _ in range(n):
            ids = self._trials.new_trial_ids(1)
            seed = int(self._rng.integers(2**31 - 1))
            (document,) = tpe.suggest(ids, self._domain, self._trials, seed, verbose=False)
            params = self._params(document["misc"]["vals"])
            self._pending.add(params, document)
            proposals.append(params)
        return proposals

    def _params(self, vals: dict[str, list[Any]]) -> Params:
        params: Params = {}
        nodes = list(self._tree)
        while nodes:
            node = nodes.pop(0)
            value = vals[self._name[node.path]][0]
            if node.kind == "categorical":
                params[node.name] = node.values[int(value)]
                nodes.extend(node.children.get(params[node.name], ()))
            elif node.kind == "int":
                params[node.name] = int(min(max(round(value), node.low), node.high))
            else:
                params[node.name] = float(min(max(value, node.low), node.high))
        return params

    def _document(self, params: Params) -> dict[str, Any]:
        """Return an unfinished trial at a point that hyperopt did not propose."""
        (tid,) = self._trials.new_trial_ids(1)
        vals: dict[str, list[Any]] = {label: [] for label in self._labels}
        for node in active(self._tree, params):
            value = params[node.name]
            vals[self._name[node.path]] = [
                node.values.index(value) if node.kind == "categorical" else value
            ]
        idxs = {label: [tid] if value else [] for label, value in vals.items()}
        misc = {"tid": tid, "cmd": self._domain.cmd, "workdir": None, "idxs": idxs, "vals": vals}
        (document,) = self._trials.new_trial_docs([tid], [None], [{"status": "new"}], [misc])
        return dict(document)
