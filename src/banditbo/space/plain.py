"""A tree of parameters as plain data (dict, list, str, number), and back, naming what is wrong.

=============================  ==================================================================
parameter                      plain data
=============================  ==================================================================
``Float(0.01, 1, log=True)``   ``{"float": [0.01, 1.0], "log": True}``
``Int(1, 9, step=2)``          ``{"int": [1, 9], "step": 2}``
``Categorical(["a", None])``   ``{"categorical": ["a", None]}``
``Choice({"a": {...}})``       ``{"choice": {"a": {...}}}``
``Choice({True: {...}})``      ``{"choice": [[True, {...}]]}``: JSON's keys are always strings
=============================  ==================================================================

each with ``"default"`` if there is one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from banditbo.errors import InvalidSpaceError
from banditbo.space.choices import Categorical, Choice, Parameter
from banditbo.space.parameters import Float, Int
from banditbo.space.values import NO_DEFAULT, did_you_mean

__all__ = ["PlainDataError", "read_parameters", "write_parameters"]

OPTIONS = {
    "float": ("log", "step", "default"),
    "int": ("log", "step", "default"),
    "categorical": ("default",),
    "choice": ("default",),
}
EXAMPLES = "{float: [0, 1]}, {int: [1, 9]}, {categorical: [a, b]} or {choice: {a: {...}}}"


class PlainDataError(InvalidSpaceError):
    """Plain data that is no space, with the keys that lead to the bad place."""

    def __init__(self, message: str, keys: tuple[Any, ...] = ()) -> None:
        super().__init__(message)
        self.keys = keys


def write_parameters(parameters: Mapping[str, Parameter]) -> dict[str, Any]:
    """Return a tree of parameters as plain data.

    Examples
    --------
    >>> write_parameters({"lr": Float(1e-5, 1, log=True, default=0.1), "n": Int(1, 9)})
    {'lr': {'float': [1e-05, 1.0], 'log': True, 'default': 0.1}, 'n': {'int': [1, 9]}}
    """
    return {name: _write(parameter) for name, parameter in parameters.items()}


def _write(parameter: Parameter) -> dict[str, Any]:
    plain: dict[str, Any]
    if isinstance(parameter, Float | Int):
        plain = {type(parameter).__name__.lower(): [parameter.low, parameter.high]}
        if parameter.log:
            plain["log"] = True
        if parameter.step is not None and parameter.step != 1 - isinstance(parameter, Float):
            plain["step"] = parameter.step
        if parameter.default is not None:
            plain["default"] = parameter.default
        return plain
    if isinstance(parameter, Categorical):
        plain = {"categorical": list(parameter.choices)}
    else:
        alternatives = {v: write_parameters(below) for v, below in parameter.alternatives.items()}
        strings = all(isinstance(value, str) for value in alternatives)
        pairs = [[value, below] for value, below in alternatives.items()]
        plain = {"choice": alternatives if strings else pairs}
    if parameter.default is not NO_DEFAULT:
        plain["default"] = parameter.default
    return plain


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in the data the reader is: the keys that led there, and how a person calls it."""

    keys: tuple[Any, ...] = ()
    names: tuple[str, ...] = ()

    def down(self, *keys: Any, name: Any = None) -> _Place:
        names = self.names if name is None else (*self.names, str(name))
        return _Place((*self.keys, *keys), names)

    def fail(self, message: str) -> NoReturn:
        raise PlainDataError(f"{'.'.join(self.names) or 'space'}: {message}", self.keys)


def read_parameters(data: Any, place: _Place | None = None) -> dict[str, Parameter]:
    """Return the tree of parameters that plain data stands for, or refuse it.

    Examples
    --------
    >>> read_parameters({"lr": {"float": [0.001, 1], "lgo": True}})
    Traceback (most recent call last):
    banditbo.space.plain.PlainDataError: lr: unknown key 'lgo'; did you mean 'log'?
    """
    place = place or _Place()
    if not isinstance(data, Mapping):
        place.fail(f"expected a mapping from name to parameter, not {data!r}")
    parameters = {}
    for name, item in data.items():
        if not isinstance(name, str) or not name:
            place.down(name).fail(
                f"a parameter's name must be a string that is not empty, not {name!r}: quote it"
            )
        parameters[name] = _read(item, place.down(name, name=name))
    return parameters


def _read(item: Any, place: _Place) -> Parameter:
    if not isinstance(item, Mapping):
        place.fail(f"expected {EXAMPLES}, not {item!r}")
    kinds = [kind for kind in item if kind in OPTIONS]
    known: Iterable[str] = OPTIONS[kinds[0]] if kinds else OPTIONS
    for option in item:
        if option not in OPTIONS and option not in known:
            place.down(option).fail(f"unknown key {option!r}{did_you_mean(option, known)}")
    if len(kinds) != 1:
        place.fail(f"needs one of {', '.join(OPTIONS)}, and has {' and '.join(kinds) or 'none'}")
    kind = kinds[0]
    options = {option: value for option, value in item.items() if option != kind}
    content, inside = item[kind], place.down(kind)
    try:
        if kind == "choice":
            return Choice(_read_alternatives(content, inside), **options)
        if kind == "categorical":
            return Categorical(content, **options)
        low, high = _read_ends(content, inside)
        options = {option: _number(value) for option, value in options.items()}
        if kind == "float":
            return Float(low, high, **options)
        return Int(low, high, **{k: v for k, v in options.items() if v is not None})
    except PlainDataError:
        raise
    except InvalidSpaceError as error:
        inside.fail(str(error))


def _read_ends(content: Any, place: _Place) -> tuple[Any, Any]:
    if not isinstance(content, list | tuple) or len(content) != 2:
        place.fail(f"expected [low, high], not {content!r}")
    return _number(content[0]), _number(content[1])


def _number(value: Any) -> Any:
    """Return the number that a string holds: YAML 1.1 takes 1e-5, without a dot, for a string."""
    if isinstance(value, str):
        try:
            number = float(value)
        except ValueError:
            return value
        return number if math.isfinite(number) else value
    return value


def _read_alternatives(content: Any, place: _Place) -> dict[Any, dict[str, Parameter]]:
    pairs: list[tuple[Any, Any, Any]]
    if isinstance(content, Mapping):
        pairs = [(value, value, below) for value, below in content.items()]
    elif isinstance(content, list | tuple):
        pairs = []
        for number, pair in enumerate(content):
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                place.down(number).fail(
                    f"expected a pair [alternative, {{its parameters}}], not {pair!r}"
                )
            pairs.append((number, *pair))
    else:
        place.fail(f"expected a mapping from alternative to its parameters, not {content!r}")
    alternatives: dict[Any, dict[str, Parameter]] = {}
    for key, value, below in pairs:
        if isinstance(value, list | tuple | Mapping) or value in alternatives:
            why = "is given twice" if not isinstance(value, list | Mapping) else "is not a value"
            place.down(key).fail(f"the alternative {value!r} {why}")
        inner = place.down(key, name=value)
        alternatives[value] = read_parameters({} if below is None else below, inner)
    return alternatives
