"""What is computed of runs: best so far, regret, normalised gain, paired differences."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from benchmarks.problems import problem

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Run:
    """A run's values, the start apart from the rest."""

    problem: str
    method: str
    seed: int
    values: tuple[float, ...]
    started: int

    @classmethod
    def of(cls, row: Row) -> Run:
        values = tuple(row["values"])
        return cls(row["problem"], row["method"], row["seed"], values, row["started"])

    @property
    def length(self) -> int:
        """How many evaluations the method itself chose."""
        return len(self.values) - self.started

    def best(self, count: int) -> float:
        """Return the best value after the start and ``count`` evaluations; nan if not so many."""
        if count > self.length:
            return math.nan
        return max(self.values[: self.started + count])

    def reaches(self, value: float) -> float:
        """Return how many evaluations it takes to reach a value; infinity if never."""
        for count in range(self.length + 1):
            if self.started + count and self.best(count) >= value:
                return count
        return math.inf


@dataclass(frozen=True)
class Scale:
    """A problem's optimum (exact, or the best of the file and of all runs given) and its zero."""

    optimum: float
    exact: bool
    median: float | None  # of fixed random points: the zero of runs from nothing

    def gain(self, run: Run, count: int) -> float:
        """Return (best - zero) / (optimum - zero), zero being the start's best or the median."""
        zero = max(run.values[: run.started]) if run.started else self.median
        if zero is None or self.optimum <= zero:
            return math.nan
        return (run.best(count) - zero) / (self.optimum - zero)

    def regret(self, run: Run, count: int) -> float:
        return self.optimum - run.best(count)


def scales(runs: Sequence[Run]) -> dict[str, Scale]:
    """Return the scale of each problem that occurs; medians only where runs need them."""
    found = {}
    for name in dict.fromkeys(run.problem for run in runs):
        its = problem(name)
        own = [run for run in runs if run.problem == name]
        seen = max(max(run.values) for run in own)
        best = seen if its.optimum is None else max(seen, its.optimum)
        from_nothing = any(not run.started for run in own)
        median = its.random_median() if from_nothing else None
        found[name] = Scale(best, its.exact, median)
    return found


@dataclass(frozen=True)
class Mean:
    """A mean, its standard error and how many it is of."""

    mean: float
    error: float
    count: int

    @classmethod
    def of(cls, values: Sequence[float]) -> Mean:
        finite = np.array([value for value in values if not math.isnan(value)])
        if not len(finite):
            return cls(math.nan, math.nan, 0)
        spread = float(np.std(finite, ddof=1)) if len(finite) > 1 else math.nan
        return cls(float(np.mean(finite)), spread / math.sqrt(len(finite)), len(finite))

    @classmethod
    def over(cls, means: Sequence[Mean]) -> Mean:
        """Return the average of independent means, each of the same weight."""
        if not means or any(math.isnan(each.mean) for each in means):
            return cls(math.nan, math.nan, 0)
        error = math.sqrt(sum(each.error**2 for each in means)) / len(means)
        total = sum(each.count for each in means)
        return cls(float(np.mean([each.mean for each in means])), error, total)


def interval(differences: Sequence[float], level: float = 0.95) -> tuple[float, float]:
    """Return Student's interval of the mean of paired differences."""
    summary = Mean.of(differences)
    if summary.count < 2:
        return math.nan, math.nan
    wide = float(stats.t.ppf(0.5 + level / 2, summary.count - 1)) * summary.error
    return summary.mean - wide, summary.mean + wide


def paired(left: Sequence[Run], right: Sequence[Run]) -> list[tuple[Run, Run]]:
    """Return the runs of two methods on the same problem with the same seed (so, start)."""
    other = {(run.problem, run.seed): run for run in right}
    return [
        (run, other[run.problem, run.seed]) for run in left if (run.problem, run.seed) in other
    ]


def evaluations_to_reach(pairs: Sequence[tuple[Run, Run]], count: int) -> float:
    """Return the median evaluations at which the left reaches the right's value at ``count``."""
    needed = [a.reaches(b.best(count)) for a, b in pairs if count <= b.length]
    return float(np.median(needed)) if needed else math.nan
