"""A space that was given, as a tree: an engine's ``Space``, or one of ConfigSpace."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from banditbo.errors import InvalidValueError
from banditbo.optuna.ranges import key_of
from banditbo.optuna.slots import Branch, Slot
from banditbo.optuna.tree import Tree
from banditbo.space import Categorical, Choice, Float, Parameter, Space

__all__ = ["as_space", "as_tree", "distribution_of"]


def as_space(space: Any) -> Space:
    """Return a space as the engine's; anything but that and a ConfigSpace is refused."""
    if isinstance(space, Space):
        return space
    if type(space).__module__.startswith("ConfigSpace"):
        return Space.from_configspace(space)
    if isinstance(space, Mapping):
        return Space.from_dict(space)
    raise InvalidValueError(
        f"space must be a Space, a ConfigSpace or a dict, not {space!r}: "
        "leave it out and the sampler learns it from the trials"
    )


def as_tree(space: Space) -> Tree:
    """Return the tree of a given space.

    >>> sorted(as_tree(Space({"x": Float(0, 1)})).names)
    ['x']
    """
    return Tree(_branch(space.parameters), space, frozenset(), frozenset())


def _branch(parameters: Mapping[str, Parameter]) -> Branch:
    return Branch(tuple(_slot(name, p) for name, p in parameters.items()))


def _slot(name: str, parameter: Parameter) -> Slot:
    distribution = distribution_of(parameter)
    if isinstance(parameter, Categorical):
        values = {key_of(v): (v, Branch()) for v in parameter.choices}
        return Slot(name, distribution, values)
    if isinstance(parameter, Choice):
        behind = {key_of(v): (v, _branch(p)) for v, p in parameter.alternatives.items()}
        return Slot(name, distribution, behind)
    return Slot(name, distribution)


def distribution_of(parameter: Parameter) -> BaseDistribution:
    """Return what Optuna calls a parameter.

    >>> distribution_of(Categorical(["a", "b"]))
    CategoricalDistribution(choices=('a', 'b'))
    """
    p = parameter
    if isinstance(p, Categorical | Choice):
        return CategoricalDistribution(p.choices)
    if isinstance(p, Float):
        return FloatDistribution(p.low, p.high, log=p.log, step=p.step)
    return IntDistribution(p.low, p.high, log=p.log, step=p.step)
