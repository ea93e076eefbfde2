"""What the distributions of Optuna are in the engine's words, and which of several counts.

A distribution that changes in mid-study is no error: the newest counts. One that changes all the
time (its range depends on other parameters) is taken as the union of its ranges.
"""

from __future__ import annotations

import copy
from collections.abc import Hashable, Iterable, Mapping
from typing import Any

from optuna.distributions import (
    BaseDistribution,
    CategoricalDistribution,
    FloatDistribution,
    IntDistribution,
)

from banditbo.errors import InvalidSpaceError, InvalidValueError
from banditbo.space import Float, Int
from banditbo.space.values import Value, key, value_of

__all__ = [
    "Last",
    "external",
    "few_values",
    "is_discrete",
    "is_in",
    "key_of",
    "label",
    "labels",
    "newest",
    "newest_by_value",
    "numeric",
]

#: An integer with so few values may be a decision.
FEW = 16

#: More ranges than this of one parameter in one context are not a change but a habit.
HABIT = 3

#: From each distribution to the number of the last trial that had it.
Last = Mapping[BaseDistribution, int]


def numeric(distribution: BaseDistribution) -> Float | Int:
    """Return the engine's parameter of a numeric distribution.

    >>> numeric(IntDistribution(1, 9, step=2))
    Int(1, 9, step=2)
    """
    if isinstance(distribution, IntDistribution | FloatDistribution):
        d = distribution
        try:
            if isinstance(d, IntDistribution):
                return Int(d.low, d.high, log=d.log, step=d.step)
            return Float(d.low, d.high, log=d.log, step=d.step)
        except InvalidSpaceError:  # more values than cells: as good as continuous
            return Float(d.low, d.high, log=d.log)
    raise InvalidValueError(
        f"{distribution!r} is not a distribution that BanditSampler knows: "
        "use suggest_float, suggest_int or suggest_categorical"
    )


def external(distribution: BaseDistribution, value: float) -> int | float:
    """Return a number as a distribution holds it: on its grid, inside its range.

    >>> external(IntDistribution(0, 10, step=5), 7.6), external(FloatDistribution(0, 1), 1.5)
    (10, 1.0)
    """
    if isinstance(distribution, FloatDistribution | IntDistribution):
        low, high, step = distribution.low, distribution.high, distribution.step
        if step is not None and not (isinstance(distribution, IntDistribution) and step == 1):
            value = low + round((value - low) / step) * step
        value = min(max(value, low), high)
        return round(value) if isinstance(distribution, IntDistribution) else float(value)
    return value


def is_in(distribution: BaseDistribution, value: Any) -> bool:
    """Tell whether a value is one of a distribution's.

    >>> is_in(FloatDistribution(0.0, 1.0), 2.0), is_in(CategoricalDistribution(["a"]), "b")
    (False, False)
    """
    if isinstance(distribution, CategoricalDistribution):
        return key_of(value) in {key_of(choice) for choice in distribution.choices}
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return bool(distribution._contains(distribution.to_internal_repr(value)))


def few_values(distribution: BaseDistribution) -> bool:
    """Tell whether a distribution has few enough values, and more than one, to be a decision."""
    if distribution.single():
        return False
    if isinstance(distribution, IntDistribution):
        return (distribution.high - distribution.low) // distribution.step < FEW
    return isinstance(distribution, CategoricalDistribution)


def is_discrete(distributions: Iterable[BaseDistribution]) -> bool:
    """Tell whether a name with these distributions may decide."""
    return all(few_values(d) for d in distributions)


def label(value: Any) -> Value:
    """Return what stands for an alternative in the engine's space: itself, if it is plain.

    >>> label("svm"), label(None), label((64, 32))
    ('svm', None, '(64, 32)')
    """
    try:
        return value_of(value)
    except InvalidSpaceError:
        return repr(value)


def key_of(value: Any) -> Hashable:
    """Return what two values share exactly if they are the same alternative."""
    return key(label(value))


def labels(distribution: BaseDistribution) -> list[Any]:
    """Return the values of a discrete distribution, in order."""
    if isinstance(distribution, CategoricalDistribution):
        return list(distribution.choices)
    if isinstance(distribution, IntDistribution):
        return list(range(distribution.low, distribution.high + 1, distribution.step))
    raise InvalidValueError(f"{distribution!r} has no list of values")


def newest(last: Last) -> BaseDistribution:
    """Return the distribution that counts.

    >>> a, b = FloatDistribution(0, 1), FloatDistribution(0, 2)
    >>> newest({a: 3, b: 7})
    FloatDistribution(high=2.0, log=False, low=0.0, step=None)
    """
    latest = max(last, key=lambda d: (last[d], repr(d)))
    if len(last) > HABIT and isinstance(latest, FloatDistribution | IntDistribution):
        alike: list[Any] = [d for d in last if _scale(d) == _scale(latest)]
        if len(alike) > HABIT:
            widest = copy.copy(latest)
            widest.low, widest.high = min(d.low for d in alike), max(d.high for d in alike)
            return widest
    return latest


def _scale(distribution: BaseDistribution) -> tuple[type, Any, Any]:
    d = distribution
    return type(d), getattr(d, "log", None), getattr(d, "step", None)


def newest_by_value(lasts: Mapping[Hashable, Last]) -> dict[Hashable, BaseDistribution]:
    """Return the distribution that counts for every value of a decision.

    A value that still has a distribution which another value has given up since takes part in
    that change, although it was not tried again.
    """
    out = {value: newest(last) for value, last in lasts.items()}
    at = {value: max(last.values()) for value, last in lasts.items()}
    for value in sorted(lasts, key=lambda v: at[v]):
        later = [
            w
            for w in lasts
            if at[w] > at[value] and out[w] != out[value] and out[value] in lasts[w]
        ]
        if later:
            out[value] = out[max(later, key=lambda w: at[w])]
    return out
