"""The decisions, `Categorical` and `Choice`: alternatives, with parameters of their own or not."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from banditbo.errors import InvalidSpaceError, InvalidValueError
from banditbo.space.parameters import Float, Int
from banditbo.space.values import (
    NO_DEFAULT,
    FrozenMap,
    NoDefault,
    Value,
    did_you_mean,
    key,
    value_of,
)

__all__ = ["Categorical", "Choice", "Decision", "Parameter", "parameters_of"]


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Categorical:
    """One of several values that have no order.

    Parameters
    ----------
    choices : sequence of str, bool, int, float or None
        The alternatives; ``True``, ``1`` and ``1.0`` are three different ones.
    default : optional
        The alternative to try first.

    Examples
    --------
    >>> Categorical(["none", "minmax"])
    Categorical(['none', 'minmax'])
    >>> Categorical(["none", "minmax"]).check("scale", "min-max")
    Traceback (most recent call last):
    banditbo.errors.InvalidValueError: 'scale' = 'min-max' is not one of 'none', 'minmax'; did you
    mean 'minmax'?
    """

    choices: tuple[Value, ...]
    default: Value | NoDefault = field(default=NO_DEFAULT, kw_only=True)
    by_key: Mapping[Hashable, int] = field(init=False)
    """The number of each alternative, by what makes it different from the others."""

    def __init__(self, choices: Iterable[Any], *, default: Value | NoDefault = NO_DEFAULT) -> None:
        if isinstance(choices, str | bytes) or not isinstance(choices, Iterable):
            raise InvalidSpaceError(f"choices must be a list of values, not {choices!r}")
        object.__setattr__(self, "choices", tuple(map(value_of, choices)))
        object.__setattr__(self, "default", default)
        _finish_decision(self, self.choices)

    def check(self, name: str, value: Any, *, clip: bool = False) -> Value:
        """Return the space's own object for `value`, or refuse it, naming `name`."""
        return self.choices[position(self, name, value)]

    @property
    def _identity(self) -> Hashable:
        return tuple(map(key, self.choices)), key(self.default)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Categorical) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return f"Categorical({list(self.choices)!r}{_default_shown(self)})"


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Choice:
    """A categorical whose alternatives carry parameters of their own.

    Parameters
    ----------
    alternatives : mapping
        From each alternative to its parameters, a mapping from name to parameter; None or {}
        where it has none. A parameter is active only while its alternative is chosen, and a name
        may occur in several alternatives.
    default : optional
        The alternative to try first.

    Examples
    --------
    >>> Choice({"knn": {"k": Int(1, 30)}, "mean": None})
    Choice({'knn': {'k': Int(1, 30)}, 'mean': {}})
    """

    alternatives: Mapping[Value, Mapping[str, Parameter]]
    default: Value | NoDefault = field(default=NO_DEFAULT, kw_only=True)
    by_key: Mapping[Hashable, int] = field(init=False)
    """The number of each alternative, by what makes it different from the others."""

    def __init__(
        self,
        alternatives: Mapping[Any, Mapping[str, Parameter] | None],
        *,
        default: Value | NoDefault = NO_DEFAULT,
    ) -> None:
        if not isinstance(alternatives, Mapping):
            raise InvalidSpaceError(
                f"alternatives must be a mapping from each alternative to its parameters, not "
                f"{alternatives!r}; alternatives without parameters make a Categorical"
            )
        frozen: FrozenMap[Value, Mapping[str, Parameter]] = FrozenMap(
            (value_of(value), parameters_of(parameters or {}, f"alternative {value!r}"))
            for value, parameters in alternatives.items()
        )
        object.__setattr__(self, "alternatives", frozen)
        object.__setattr__(self, "default", default)
        _finish_decision(self, tuple(frozen))

    @property
    def choices(self) -> tuple[Value, ...]:
        """The alternatives, without their parameters."""
        return tuple(self.alternatives)

    def check(self, name: str, value: Any, *, clip: bool = False) -> Value:
        """Return the space's own object for `value`, or refuse it, naming `name`."""
        return self.choices[position(self, name, value)]

    @property
    def _identity(self) -> Hashable:
        parts = tuple((key(v), tuple(p.items())) for v, p in self.alternatives.items())
        return parts, key(self.default)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Choice) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    def __repr__(self) -> str:
        return f"Choice({dict(self.alternatives)!r}{_default_shown(self)})"


Decision: TypeAlias = Categorical | Choice
Parameter: TypeAlias = Float | Int | Categorical | Choice


def position(decision: Decision, name: str, value: Any) -> int:
    """Return the number of the alternative `value`, or refuse it, naming `name`."""
    try:
        return decision.by_key[type(value), value]
    except (KeyError, TypeError):  # unknown, a numpy scalar, not hashable
        pass
    try:
        return decision.by_key[key(value)]
    except (KeyError, TypeError):
        shown = ", ".join(map(repr, decision.choices[:12]))
        more = f", ... ({len(decision.choices)} in all)" if len(decision.choices) > 12 else ""
        hint = did_you_mean(value, decision.choices)
        raise InvalidValueError(
            f"{name!r} = {value!r} is not one of {shown}{more}{hint}"
        ) from None


def parameters_of(parameters: Any, where: str) -> FrozenMap[str, Parameter]:
    """Return a read-only copy of a mapping from name to parameter, or refuse it."""
    if not isinstance(parameters, Mapping):
        raise InvalidSpaceError(
            f"{where}: give a mapping from name to parameter, not {parameters!r}"
        )
    for name, parameter in parameters.items():
        if not isinstance(name, str) or not name:
            raise InvalidSpaceError(
                f"{where}: a parameter's name must be a str that is not empty, not {name!r}"
            )
        if not isinstance(parameter, Parameter):
            raise InvalidSpaceError(
                f"{where}: {name!r} must be a Float, Int, Categorical or Choice, "
                f"not {parameter!r} ({type(parameter).__name__})"
            )
    return FrozenMap(parameters)


def _finish_decision(decision: Decision, choices: tuple[Value, ...]) -> None:
    """Fill in what a decision knows of its alternatives, and check them and the default."""
    by_key = FrozenMap({key(value): number for number, value in enumerate(choices)})
    object.__setattr__(decision, "by_key", by_key)
    if not choices:
        raise InvalidSpaceError(f"a {type(decision).__name__} needs at least one alternative")
    if len(by_key) < len(choices):
        keys = [key(value) for value in choices]
        twice = next(value for value in choices if keys.count(key(value)) > 1)
        raise InvalidSpaceError(f"the alternative {twice!r} is given twice: leave one out")
    if decision.default is not NO_DEFAULT:
        try:
            default = decision.check("default", decision.default)
        except InvalidValueError as error:
            raise InvalidSpaceError(str(error)) from None
        object.__setattr__(decision, "default", default)


def _default_shown(decision: Decision) -> str:
    return "" if decision.default is NO_DEFAULT else f", default={decision.default!r}"
