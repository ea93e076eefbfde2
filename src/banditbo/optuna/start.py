"""The first values of a parameter whose neighbours are not known yet.

A value depends on (seed, name, trial number) alone: workers that know nothing of one another
visit every alternative in turn, and numbers are spread evenly in every block of STRATA trials.
"""

from __future__ import annotations

from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution

from banditbo.bandit.start import visit
from banditbo.bandit.streams import stream
from banditbo.optuna.ranges import numeric

__all__ = ["STRATA", "start_value"]

#: So many trials in a row fall into as many different parts of a range.
STRATA = 8


def start_value(seed: int, number: int, name: str, distribution: BaseDistribution) -> Any:
    """Return the value that trial ``number`` starts with.

    >>> from optuna.distributions import CategoricalDistribution
    >>> model = CategoricalDistribution(["svm", "forest", "knn"])
    >>> sorted(start_value(0, number, "model", model) for number in range(3))
    ['forest', 'knn', 'svm']
    """
    if isinstance(distribution, CategoricalDistribution):
        choices = distribution.choices
        return choices[visit(seed, name, len(choices), number)[0]]
    stratum, _ = visit(seed, name, STRATA, number)
    u = (stratum + stream(seed, number, "start", name, "within").random()) / STRATA
    return numeric(distribution).axis.decode(u)
