"""Plain-dict spaces (the YAML form of docs/design.md) as a tree that every adapter can walk.

A space maps names to one of

    {"float": [low, high], "log": bool}      {"int": [low, high], "log": bool}
    {"categorical": [value, ...]}            {"choice": {alternative: {name: ...}}}

A point is a flat dict of the values of the active parameters. A name may occur in several
alternatives, with the same definition or another.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

PlainSpace = Mapping[str, Mapping[str, Any]]
Params = dict[str, Any]


@dataclass(frozen=True)
class Node:
    """A parameter of the tree; a choice has an alternative's parameters in ``children``."""

    name: str
    path: str
    kind: str  # "float", "int" or "categorical" (a choice is one with children)
    low: float = 0.0
    high: float = 0.0
    log: bool = False
    values: tuple[Any, ...] = ()
    children: Mapping[Any, tuple[Node, ...]] = field(default_factory=dict)

    @property
    def definition(self) -> tuple[Any, ...]:
        """What must agree for two parameters of one name to be one parameter elsewhere."""
        return (self.kind, self.low, self.high, self.log, self.values)


def parse(space: PlainSpace, prefix: str = "") -> tuple[Node, ...]:
    """Return the tree of a plain-dict space."""
    return tuple(_node(name, spec, prefix + name) for name, spec in space.items())


def _node(name: str, spec: Mapping[str, Any], path: str) -> Node:
    extra = set(spec) - {"float", "int", "categorical", "choice", "log", "default"}
    if extra:
        raise ValueError(f"parameter {path!r}: the benchmarks do not know {sorted(extra)}")
    if "choice" in spec:
        children = {
            alternative: parse(inside, f"{path}={alternative}/")
            for alternative, inside in spec["choice"].items()
        }
        return Node(name, path, "categorical", values=tuple(children), children=children)
    if "categorical" in spec:
        return Node(name, path, "categorical", values=tuple(spec["categorical"]))
    kind = "float" if "float" in spec else "int"
    low, high = spec[kind]
    return Node(name, path, kind, low, high, bool(spec.get("log", False)))


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    """Every node of the tree, parents first."""
    for node in nodes:
        yield node
        for inside in node.children.values():
            yield from walk(inside)


def keys(nodes: Sequence[Node], names: str = "shared") -> dict[str, str]:
    """Return the name of each path in libraries that know no scopes.

    With ``names="shared"`` a parameter that is defined alike wherever it occurs keeps its name,
    and so is one parameter (what an Optuna user writes); otherwise, and with ``names="path"``, it
    is a parameter of its own in each alternative, named by its path.
    """
    definitions: dict[str, set[tuple[Any, ...]]] = {}
    for node in walk(nodes):
        definitions.setdefault(node.name, set()).add(node.definition)
    return {
        node.path: node.name
        if names == "shared" and len(definitions[node.name]) == 1
        else node.path
        for node in walk(nodes)
    }


def active(nodes: Sequence[Node], params: Params) -> Iterator[Node]:
    """Nodes that are active at a point, parents first."""
    for node in nodes:
        yield node
        if node.children:
            yield from active(node.children[params[node.name]], params)


def arms(nodes: Sequence[Node]) -> list[Params]:
    """All complete assignments of choices and categoricals."""
    partial: list[Params] = [{}]
    for node in nodes:
        if node.kind != "categorical":
            continue
        own = [
            {node.name: value, **inside}
            for value in node.values
            for inside in arms(node.children.get(value, ()))
        ]
        partial = [{**left, **right} for left in partial for right in own]
    return partial


def sample(
    nodes: Sequence[Node], rng: np.random.Generator, fixed: Mapping[str, Any] | None = None
) -> Params:
    """Draw a uniform point: each choice uniform over its alternatives, or as ``fixed`` says."""
    fixed = fixed or {}
    params: Params = {}
    for node in nodes:
        if node.kind == "categorical":
            value = (
                fixed[node.name]
                if node.name in fixed
                else node.values[int(rng.integers(len(node.values)))]
            )
            params[node.name] = value
            params.update(sample(node.children.get(value, ()), rng, fixed))
        else:
            params[node.name] = _number(node, rng.random())
    return params


def _number(node: Node, u: float) -> float | int:
    """Map u in [0, 1) to the parameter's range; integers have cells of equal width."""
    half = 0.5 if node.kind == "int" else 0.0
    low, high = node.low - half, node.high + half
    if node.log:
        low, high = math.log(low), math.log(high)
    value = low + u * (high - low)
    if node.log:
        value = math.exp(value)
    value = min(max(value, node.low), node.high)
    return int(min(max(round(value), node.low), node.high)) if node.kind == "int" else value


def canonical(params: Mapping[str, Any]) -> str:
    """Return a text that two points share exactly if they are equal."""
    return json.dumps(params, sort_keys=True, separators=(",", ":"))
