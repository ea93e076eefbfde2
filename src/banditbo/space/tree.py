"""The tree, compiled: scopes of parameters that are active together, with arms numbered in them.

A `Scope` is a mapping of parameters; its arms are the cross product of the arms of its entries,
first entry slowest. The arms of a `Fork` (a decision) are those of its alternatives' scopes, one
after the other. So the number of an arm is read off while walking down the tree (a mixed-radix
number), and arms are counted without being made.

Symbols: `D` depth of the tree, `P` parameters active at once.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from banditbo.errors import InvalidSpaceError, InvalidValueError
from banditbo.space.choices import Categorical, Choice, Decision, Parameter, position
from banditbo.space.parameters import Float, Int
from banditbo.space.values import Value, did_you_mean

__all__ = [
    "Fork",
    "Leaf",
    "PartialArm",
    "Scope",
    "compile_scope",
    "lay_out",
    "limit_message",
    "list_arms",
    "missing",
    "refuse",
    "sample",
    "walk",
]


@dataclass(frozen=True, slots=True, eq=False)
class Leaf:
    """A numeric parameter in its place."""

    name: str
    parameter: Float | Int
    dimension: int
    """The same number wherever name and range are the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Fork:
    """A decision in its place: the scope below each alternative, and the arms before it."""

    name: str
    decision: Decision
    choices: tuple[Value, ...]
    scopes: tuple[Scope, ...]
    firsts: tuple[int, ...]
    count: int


@dataclass(frozen=True, slots=True, eq=False)
class Scope:
    """Parameters that are active together, in tree order, and the number of their arms."""

    entries: tuple[Leaf | Fork, ...]
    count: int


NOTHING = Scope((), 1)

PartialArm: TypeAlias = tuple[tuple[tuple[str, Value], ...], tuple[Leaf, ...]]
"""The decisions of an arm, or of a part of it, and its leaves; both in tree order."""


def compile_scope(
    parameters: Mapping[str, Parameter],
    path: str = "",
    dimensions: dict[Hashable, int] | None = None,
) -> tuple[Scope, dict[str, str]]:
    """Compile a mapping of parameters; also return the names below it, with a path to each.

    Everything in one scope may be active at once, so no name may occur in two of its entries,
    nor a decision's name again inside its alternatives.
    """
    dimensions = {} if dimensions is None else dimensions
    entries: list[Leaf | Fork] = []
    names: dict[str, str] = {}
    count = 1
    for name, parameter in parameters.items():
        here = f"{path}{name}"
        if isinstance(parameter, Float | Int):
            identity = name, parameter.range
            dimension = dimensions.setdefault(identity, len(dimensions))
            entries.append(Leaf(name, parameter, dimension))
            _merge(names, {name: here})
            continue
        fork, below = _compile_fork(name, parameter, here, dimensions)
        _merge(names, {name: here})
        _merge(names, below)
        entries.append(fork)
        count *= fork.count
    return Scope(tuple(entries), count), names


def _compile_fork(
    name: str, decision: Decision, path: str, dimensions: dict[Hashable, int]
) -> tuple[Fork, dict[str, str]]:
    choices = decision.choices
    if isinstance(decision, Categorical):
        n = len(choices)
        return Fork(name, decision, choices, (NOTHING,) * n, tuple(range(n)), n), {}
    scopes, firsts, count = [], [], 0
    below: dict[str, str] = {}
    for value, parameters in decision.alternatives.items():
        if parameters:
            scope, names = compile_scope(parameters, f"{path}.{value}.", dimensions)
        else:
            scope, names = NOTHING, {}
        for other, where in names.items():
            below.setdefault(other, where)
        scopes.append(scope)
        firsts.append(count)
        count += scope.count
    return Fork(name, decision, choices, tuple(scopes), tuple(firsts), count), below


def _merge(names: dict[str, str], more: Mapping[str, str]) -> None:
    for name, path in more.items():
        if name in names:
            raise InvalidSpaceError(
                f"the name {name!r} would be active twice at once, as {names[name]} and as "
                f"{path}: rename one of them, or keep only the outer one (it is shared)"
            )
        names[name] = path


def list_arms(scope: Scope) -> list[PartialArm]:
    """Return every arm of `scope`, in order. Cost: the number of arms times P."""
    arms: list[PartialArm] = [((), ())]
    found: tuple[Leaf, ...] = ()
    for entry in scope.entries:
        if isinstance(entry, Leaf):
            found = (*found, entry)
            continue
        options = list(_fork_arms(entry))
        arms = [(a + c, b + found + d) for a, b in arms for c, d in options]
        found = ()
    return [(a, b + found) for a, b in arms] if found else arms


def _fork_arms(fork: Fork) -> Iterator[PartialArm]:
    for value, scope in zip(fork.choices, fork.scopes, strict=True):
        decision = ((fork.name, value),)
        if scope is NOTHING:
            yield decision, ()
        else:
            for decisions, leaves in list_arms(scope):
                yield decision + decisions, leaves


def walk(scope: Scope, params: Mapping[str, Any], clip: bool, values: dict[str, Any]) -> int:
    """Check `params` down the tree, fill `values` in tree order, return the arm's number.

    Raises InvalidValueError, and KeyError for the first name that is missing. Cost: O(P).
    """
    index = 0
    for entry in scope.entries:
        name = entry.name
        value = params[name]
        if isinstance(entry, Leaf):
            values[name] = entry.parameter.check(name, value, clip=clip)
        else:
            number = position(entry.decision, name, value)
            values[name] = entry.choices[number]
            index = index * entry.count + entry.firsts[number]
            below = entry.scopes[number]
            if below.entries:
                index += walk(below, params, clip, values)
    return index


def sample(scope: Scope, rng: np.random.Generator, params: dict[str, Any]) -> None:
    """Fill `params` in tree order: alternatives equally likely, numbers uniform in [0, 1]."""
    for entry in scope.entries:
        if isinstance(entry, Leaf):
            params[entry.name] = entry.parameter.axis.decode(rng.random())
        else:
            number = int(rng.integers(len(entry.choices)))
            params[entry.name] = entry.choices[number]
            sample(entry.scopes[number], rng, params)


def lay_out(
    scope: Scope,
    choices: Mapping[str, Value],
    numbers: Mapping[str, float],
    params: dict[str, Any],
) -> None:
    """Fill `params` in tree order with an arm's choices and its numbers."""
    for entry in scope.entries:
        name = entry.name
        if isinstance(entry, Leaf):
            params[name] = numbers[name]
        else:
            value = params[name] = choices[name]
            below = entry.scopes[entry.decision.by_key[type(value), value]]
            if below.entries:
                lay_out(below, choices, numbers, params)


def refuse(
    params: Mapping[str, Any], values: Mapping[str, Any], names: Mapping[str, str], arm: str
) -> None:
    """Raise InvalidValueError for a name of `params` that is not in `values`, if there is one."""
    for name in params:
        if name in values:
            continue
        if name in names:
            raise InvalidValueError(
                f"{name!r} = {params[name]!r} is not active in arm ({arm}): leave it out "
                f"(it belongs to {names[name]})"
            )
        raise InvalidValueError(
            f"{name!r} is not a parameter of this space{did_you_mean(name, names)}"
        )


def missing(
    name: str, params: Mapping[str, Any], values: Mapping[str, Any], names: Mapping[str, str]
) -> InvalidValueError:
    """Return the error that `name` is not in `params`, or that another name was meant for it."""
    refuse({other: params[other] for other in params if other not in names}, {}, names, "")
    given = ", ".join(f"{other}={value}" for other, value in values.items())
    active = f", which is active with {given}" if given else ""
    return InvalidValueError(f"{name!r} is missing{active}: give it a value")


def limit_message(parameters: Mapping[str, Parameter], count: int, limit: int) -> str:
    """Return what to do about a space with too many arms."""
    sizes = [
        (compile_scope({name: parameter})[0].count, name)
        for name, parameter in parameters.items()
        if isinstance(parameter, Categorical | Choice)
    ]
    largest = ", ".join(f"{name} ({n})" for n, name in sorted(sizes, reverse=True)[:5])
    return (
        f"the space has {count} arms, more than the limit of {limit}: an arm is one assignment "
        f"of all choices and categoricals, here {largest}. Make what has an order an Int or a "
        "Float with a step, drop alternatives, or search parts of the space one after the other"
    )
