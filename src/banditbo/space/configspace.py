"""Spaces to ConfigSpace and back.

====================  ===========================================================================
parameter             hyperparameter
====================  ===========================================================================
`Float`, `Int`        `UniformFloat`, `UniformInteger`; with a step, an `Ordinal` of its values;
                      with one value, a `Constant`
`Categorical`         `Categorical`
`Choice`              `Categorical`, with conditions on it: `EqualsCondition`, or `InCondition`
                      for a parameter that is the same in several alternatives
====================  ===========================================================================

Where a name occurs in several alternatives with different ranges, its hyperparameters are called
``svm:linear:C``. What ConfigSpace has no place for (that name, the order of the parameters, a
step, the last digits of a range) is written to ``meta["banditbo"]``, so that a space reads back
as it was.

Read from others: every condition on categoricals, ordinals and constants that nests, such as
conjunctions along one path; an `Ordinal` of evenly spaced numbers becomes an `Int` or a `Float`
with a step, any other a `Categorical`; a `Constant` becomes a `Categorical` with one alternative;
default values are kept. Weights and other meta are not: every alternative counts alike. Refused
by name: forbidden clauses, conditions on numbers, alternatives of an `OrConjunction` on several
parents, normal and beta distributions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from banditbo.errors import InvalidSpaceError
from banditbo.space.axes import Grid
from banditbo.space.choices import Categorical, Choice, Parameter
from banditbo.space.parameters import Float, Int
from banditbo.space.plain import read_parameters, write_parameters
from banditbo.space.values import NO_DEFAULT, Value

__all__ = ["from_configspace", "to_configspace"]

MAX_ORDINAL = 1000
"""The longest grid that is written out as an Ordinal."""


def _import() -> Any:
    try:
        import ConfigSpace
    except ImportError as error:
        raise ImportError('this needs ConfigSpace: pip install "banditbo[configspace]"') from error
    return ConfigSpace


# --- to ConfigSpace -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class _Place:
    """A parameter that becomes one hyperparameter, and its position in each alternative above."""

    name: str
    parameter: Parameter
    parent: _Place | None
    positions: Mapping[int, int]
    path: tuple[str, ...]
    """The first alternatives that lead to it, without the names of their decisions."""

    @property
    def where(self) -> str:
        if self.parent is None:
            return self.name
        return f"{self.parent.where}.{self.path[-1]}.{self.name}"


def to_configspace(parameters: Mapping[str, Parameter]) -> Any:
    """Return a tree of parameters as a ConfigurationSpace."""
    module = _import()
    places = list(_places([(None, parameters)], None, ()))
    names = _names(places)
    configspace = module.ConfigurationSpace()
    made: dict[_Place, Any] = {}
    for place in places:
        made[place] = _hyperparameter(module, place, names[place])
        configspace.add(made[place])
        if place.parent is not None:
            parent = made[place.parent]
            configspace.add(_condition(module, place.positions, made[place], parent))
    return configspace


def _condition(module: Any, positions: Mapping[int, int], child: Any, parent: Any) -> Any:
    """Return the condition that `child` is active under these alternatives of `parent`."""
    values = [parent.choices[i] for i in positions]
    if len(values) == 1:
        return module.EqualsCondition(child, parent, values[0])
    return module.InCondition(child, parent, values)


def _places(
    scopes: list[tuple[Value, Mapping[str, Parameter]]],
    parent: _Place | None,
    path: tuple[str, ...],
) -> Iterator[_Place]:
    """Yield a place for each different parameter below one decision, parents first."""
    found: dict[tuple[str, Parameter], dict[int, int]] = {}
    for number, (_, parameters) in enumerate(scopes):
        for position, item in enumerate(parameters.items()):
            found.setdefault(item, {})[number] = position
    for (name, parameter), positions in found.items():
        first = next(iter(positions))
        inner = path if parent is None else (*path, str(scopes[first][0]))
        place = _Place(name, parameter, parent, positions, inner)
        yield place
        if isinstance(parameter, Choice):
            yield from _places(list(parameter.alternatives.items()), place, inner)


def _names(places: list[_Place]) -> dict[_Place, str]:
    """Return a different name for each place: its own if it is the only one that has it."""
    counts = Counter(place.name for place in places)
    names = {place: place.name for place in places if counts[place.name] == 1}
    used = set(names.values())
    for place in places:
        if place not in names:
            base = name = ":".join((*place.path, place.name))
            number = 2
            while name in used:
                name = f"{base}#{number}"
                number += 1
            names[place] = name
            used.add(name)
    return names


def _hyperparameter(module: Any, place: _Place, name: str) -> Any:
    try:
        return _make(module, place, name)
    except InvalidSpaceError:
        raise
    except (ValueError, TypeError, OverflowError, ZeroDivisionError) as error:
        raise InvalidSpaceError(
            f"{place.where}: ConfigSpace cannot hold {place.parameter!r}: {error}"
        ) from None


def _make(module: Any, place: _Place, name: str) -> Any:
    parameter = place.parameter
    note: dict[str, Any] = {"name": place.name}
    parent = place.parent.parameter if place.parent is not None else None
    n = len(parent.choices) if isinstance(parent, Choice) else 1
    note["positions"] = [place.positions.get(i, -1) for i in range(n)]
    meta = {"banditbo": note}
    if isinstance(parameter, Categorical | Choice):
        note["choice"] = isinstance(parameter, Choice)  # even if no alternative has parameters
        note["has_default"] = parameter.default is not NO_DEFAULT
        default = parameter.default if note["has_default"] else parameter.choices[0]
        return module.CategoricalHyperparameter(
            name, list(parameter.choices), default_value=default, meta=meta
        )
    note["parameter"] = write_parameters({"_": parameter})["_"]
    axis = parameter.axis
    if axis.cells == 1:
        return module.Constant(name, parameter.low, meta=meta)
    if isinstance(axis, Grid) and (isinstance(parameter, Float) or parameter.step != 1):
        if axis.cells > MAX_ORDINAL:
            raise InvalidSpaceError(
                f"{place.where}: ConfigSpace has no steps, and {parameter!r} has {axis.cells} "
                f"values, too many to list (at most {MAX_ORDINAL}): leave out the step"
            )
        values = [axis.value(k) for k in range(axis.cells)]
        default = values[0] if parameter.default is None else parameter.default
        return module.OrdinalHyperparameter(name, values, default_value=default, meta=meta)
    make = (
        module.UniformFloatHyperparameter
        if isinstance(parameter, Float)
        else module.UniformIntegerHyperparameter
    )
    low, high = parameter.low, parameter.high
    return make(name, low, high, parameter.default, log=parameter.log, meta=meta)


# --- from ConfigSpace ---------------------------------------------------------------------


def from_configspace(configspace: Any) -> dict[str, Parameter]:
    """Return the tree of parameters that a ConfigurationSpace stands for, or refuse it."""
    return _Reader(_import(), configspace).read()


class _Reader:
    """Puts each hyperparameter below its anchor: the deepest of the parents it depends on."""

    def __init__(self, module: Any, configspace: Any) -> None:
        if not isinstance(configspace, module.ConfigurationSpace):
            raise InvalidSpaceError(f"expected a ConfigurationSpace, not {configspace!r}")
        if configspace.forbidden_clauses:
            clause = configspace.forbidden_clauses[0]
            raise InvalidSpaceError(
                f"the forbidden clause {clause} cannot be expressed: let the objective report "
                "a failed trial there, or put the parameters that exclude one another in a Choice"
            )
        self.module = module
        self.space = configspace
        self.conditions = {name: configspace.parent_conditions_of[name] for name in configspace}
        self.parents = {
            name: self._check(name, conditions) for name, conditions in self.conditions.items()
        }
        self.chains: dict[str, tuple[str, ...]] = {}
        self.below: dict[str | None, list[str]] = {}
        for name in configspace:
            chain = self._chain(name)
            self.below.setdefault(chain[-1] if chain else None, []).append(name)

    def read(self) -> dict[str, Parameter]:
        return self._scope(None, {}, 0)

    def _check(self, name: str, conditions: list[Any]) -> frozenset[str]:
        """Return the parents of a hyperparameter, whose conditions must be ones that nest."""
        module = self.module
        finite = (
            module.CategoricalHyperparameter,
            module.OrdinalHyperparameter,
            module.Constant,
        )
        parents = set()
        todo = list(conditions)
        while todo:
            condition = todo.pop()
            if isinstance(condition, module.AndConjunction | module.OrConjunction):
                todo.extend(condition.components)
                several = len({literal.parent.name for literal in condition.dlcs}) > 1
                if several and isinstance(condition, module.OrConjunction):
                    raise InvalidSpaceError(
                        f"{name}: the condition {condition} is on several parents: give the "
                        "parameter one parent, or one name under each"
                    )
            elif not isinstance(condition.parent, finite):
                raise InvalidSpaceError(
                    f"{name}: the condition {condition} is on a number: only categoricals, "
                    "ordinals and constants can decide what is active"
                )
            else:
                parents.add(condition.parent.name)
        return frozenset(parents)

    def _chain(self, name: str) -> tuple[str, ...]:
        """Return the decisions above a hyperparameter, outermost first, the anchor last."""
        if name not in self.chains:
            parents = self.parents[name]
            chain: tuple[str, ...] = ()
            if parents:
                chains = [(*self._chain(parent), parent) for parent in sorted(parents)]
                chain = max(chains, key=len)
                if not parents <= set(chain):
                    raise InvalidSpaceError(
                        f"{name}: its conditions are on {', '.join(sorted(parents))}, of which "
                        "none depends on the other: make one of them a parameter of the other"
                    )
            self.chains[name] = chain
        return self.chains[name]

    def _scope(
        self, anchor: str | None, decided: dict[str, Value], number: int
    ) -> dict[str, Parameter]:
        """Return the parameters that are active below alternative `number` of `anchor`."""
        active = [
            name
            for name in self.below.get(anchor, [])
            if all(condition.satisfied_by_value(decided) for condition in self.conditions[name])
        ]
        active.sort(key=lambda name: self._position(name, number))
        scope: dict[str, Parameter] = {}
        for name in active:
            shown = self._note(name).get("name", name)
            if shown in scope:
                raise InvalidSpaceError(f"{name}: the name {shown!r} is given twice")
            try:
                scope[shown] = self._parameter(name, decided)
            except InvalidSpaceError as error:
                prefix = "" if str(error).startswith(f"{name}: ") else f"{name}: "
                raise InvalidSpaceError(f"{prefix}{error}") from None
        return scope

    def _note(self, name: str) -> Mapping[str, Any]:
        """Return what `to_configspace` wrote down for a hyperparameter, or nothing."""
        note = (self.space[name].meta or {}).get("banditbo", {})
        return note if isinstance(note, Mapping) else {}

    def _position(self, name: str, number: int) -> int:
        positions = self._note(name).get("positions", [])
        return int(positions[number]) if number < len(positions) else len(self.space)

    def _parameter(self, name: str, decided: dict[str, Value]) -> Parameter:
        module, found, note = self.module, self.space[name], self._note(name)
        if "parameter" in note:
            return read_parameters({name: note["parameter"]})[name]
        default: Any = found.default_value if note.get("has_default", True) else NO_DEFAULT
        if isinstance(found, module.CategoricalHyperparameter):
            choices = list(found.choices)
        elif isinstance(found, module.OrdinalHyperparameter):
            choices = list(found.sequence)
        elif isinstance(found, module.Constant):
            choices, default = [found.value], NO_DEFAULT
        elif isinstance(found, module.UniformFloatHyperparameter):
            return Float(found.lower, found.upper, log=bool(found.log), default=default)
        elif isinstance(found, module.UniformIntegerHyperparameter):
            return Int(found.lower, found.upper, log=bool(found.log), default=default)
        else:
            raise InvalidSpaceError(
                f"a {type(found).__name__} cannot be expressed: make it a uniform one"
            )
        if name in self.below or note.get("choice"):
            alternatives = {
                value: self._scope(name, {**decided, name: value}, number)
                for number, value in enumerate(choices)
            }
            return Choice(alternatives, default=default)
        if isinstance(found, module.OrdinalHyperparameter):
            return _stepped(choices, default) or Categorical(choices, default=default)
        return Categorical(choices, default=default)


def _stepped(values: list[Any], default: Any) -> Float | Int | None:
    """Return the grid that the values of an Ordinal are, if they are evenly spaced numbers."""
    kinds = {type(value) for value in values}
    if len(values) < 2 or not (kinds == {int} or kinds == {float}) or values[0] >= values[1]:
        return None
    make: type[Float | Int] = Int if kinds == {int} else Float
    try:
        grid = make(values[0], values[-1], step=values[1] - values[0], default=default)
    except InvalidSpaceError:
        return None
    axis = grid.axis
    even = isinstance(axis, Grid) and [axis.value(k) for k in range(axis.cells)] == values
    return grid if even else None
