"""Ask a trial for everything in a space, for objectives that have one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import optuna
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.trial import BaseTrial

from banditbo.errors import InvalidSpaceError
from banditbo.optuna.given import distribution_of
from banditbo.space import Categorical, Choice, Parameter, Space

__all__ = ["check_names", "suggest"]


def suggest(trial: BaseTrial, space: Space) -> dict[str, Any]:
    """Return a flat dict of what a trial suggests for a space.

    Examples
    --------
    >>> from banditbo import Choice, Float, Space
    >>> space = Space({"f": Choice({"a": {"x": Float(0, 1)}, "b": None})})
    >>> suggest(optuna.trial.FixedTrial({"f": "a", "x": 0.5}), space)
    {'f': 'a', 'x': 0.5}
    """
    out: dict[str, Any] = {}
    _suggest(trial, space.parameters, out)
    return out


def _suggest(trial: BaseTrial, parameters: Mapping[str, Parameter], out: dict[str, Any]) -> None:
    for name, parameter in parameters.items():
        if isinstance(parameter, Categorical | Choice):
            out[name] = trial.suggest_categorical(name, parameter.choices)
            if isinstance(parameter, Choice):
                _suggest(trial, parameter.alternatives[out[name]], out)
            continue
        p: Any = distribution_of(parameter)
        ask: Any = (
            trial.suggest_int
            if isinstance(p, optuna.distributions.IntDistribution)
            else trial.suggest_float
        )
        out[name] = ask(name, p.low, p.high, step=p.step, log=p.log)


def check_names(space: Space) -> None:
    """Refuse a space whose names mean different things to Optuna, which has one meaning a name."""
    seen: dict[str, BaseDistribution] = {}
    for name, parameter in _all(space.parameters):
        distribution = distribution_of(parameter)
        first = seen.setdefault(name, distribution)
        same = type(first) is type(distribution)
        if isinstance(first, CategoricalDistribution):
            same = same and first == distribution
        else:
            same = same and getattr(first, "log", None) == getattr(distribution, "log", None)
        if not same:
            raise InvalidSpaceError(
                f"{name!r} is {first} and {distribution} in different places, which a study "
                "cannot keep under one name: rename one of them"
            )


def _all(parameters: Mapping[str, Parameter]) -> Iterator[tuple[str, Parameter]]:
    for name, parameter in parameters.items():
        yield name, parameter
        if isinstance(parameter, Choice):
            for behind in parameter.alternatives.values():
                yield from _all(behind)
