"""Seconds per suggestion beside Optuna's TPESampler: ``python -m benchmarks.timing``.

Both methods are told the same random history in the same process, one BLAS thread. Then each goes
round a real loop (ask, evaluate, tell), the two taking turns; only asks are timed, and each
follows a fresh tell, so that nothing is answered from what was computed before. Medians leave out
the occasional ask that fits hyper-parameters, means count it.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks import optimizers
from benchmarks.adapters.base import Adapter, Budget, MissingPackageError
from benchmarks.problems import Problem, problem
from benchmarks.spaces import Params, sample
from benchmarks.tables import markdown, replace_section

GROWTH = (6, 12, 25, 50, 100, 200, 400)


@dataclass(frozen=True)
class Case:
    """A problem, how many observations an optimizer has, and how many points it is asked for."""

    name: str
    problem: str
    observations: int
    batch: int = 1


CASES = {
    "A": Case("A: 6 arms in 5-d", "ackley-6", 132),
    "B": Case("B: 100 arms in 5-d", "ackley-100", 400, batch=5),
    "C": Case("C: 14 groups", "groups-14", 200),
}


def growth() -> list[Case]:
    """More and more arms with the same number of observations."""
    return [Case(f"{count} arms", f"ackley-{count}", 400) for count in GROWTH]


def history(its: Problem, count: int) -> list[Params]:
    """Return random points, spread over the arms as evenly as their number allows."""
    rng = np.random.default_rng(0)
    tree, arms = its.tree, its.arms()
    return [sample(tree, rng, arms[i % len(arms)]) for i in range(count)]


class Loop:
    """An optimizer with a history, stepped through ask, evaluate and tell."""

    def __init__(self, case: Case, method: str) -> None:
        self._problem = problem(case.problem)
        self._batch = case.batch
        budget = Budget(case.observations + 1000, case.batch)
        self._adapter: Adapter = optimizers.parse(method).make(self._problem, 0, budget)
        for point in history(self._problem, case.observations):
            self._adapter.tell(point, self._problem.evaluate(point))
        self.seconds: list[float] = []

    def step(self, timed: bool) -> None:
        begun = time.perf_counter()
        points = self._adapter.ask(self._batch)
        spent = (time.perf_counter() - begun) / self._batch
        for point in points:
            self._adapter.tell(point, self._problem.evaluate(point))
        if timed:
            self.seconds.append(spent)


def measure(case: Case, methods: Sequence[str], repeats: int) -> list[list[float]]:
    """Return the seconds per suggestion of each method, taking turns."""
    loops = [Loop(case, method) for method in methods]
    for repeat in range(repeats + 1):  # the first round warms caches up and is not counted
        for loop in loops:
            loop.step(timed=repeat > 0)
    return [loop.seconds for loop in loops]


def table(cases: Sequence[Case], methods: Sequence[str], repeats: int) -> str:
    """Return a row a case: milliseconds of each method, and the first one's as a multiple."""
    header = ["case", "observations", "batch", *(f"{method} (ms)" for method in methods)]
    header += [f"{methods[0]} / {other}, {m}" for other in methods[1:] for m in ("median", "mean")]
    rows = []
    for case in cases:
        seconds = measure(case, methods, repeats)
        print(f"{case.name}: done", file=sys.stderr, flush=True)
        row = [case.name, str(case.observations), str(case.batch)]
        row += [f"{1e3 * statistics.median(each):.1f}" for each in seconds]
        for other in seconds[1:]:
            for centre in (statistics.median, statistics.mean):
                row.append(f"{centre(seconds[0]) / centre(other):.1f}")
        rows.append(row)
    return markdown(header, rows)


def slope(cases: Sequence[Case], seconds: Sequence[float]) -> float:
    """Return the exponent of growth between the smallest and largest number of arms."""
    arms = [len(problem(case.problem).arms()) for case in cases]
    return math.log(seconds[-1] / seconds[0]) / math.log(arms[-1] / arms[0])


def growth_table(cases: Sequence[Case], methods: Sequence[str], repeats: int) -> str:
    """Return a row a number of arms, and the exponent of growth of each method below."""
    columns = []
    for case in cases:
        columns.append([statistics.median(s) for s in measure(case, methods, repeats)])
        print(f"{case.name}: done", file=sys.stderr, flush=True)
    rows = [
        [str(len(problem(case.problem).arms())), str(case.observations)]
        + [f"{1e3 * each:.1f}" for each in seconds]
        for case, seconds in zip(cases, columns, strict=True)
    ]
    by_method = list(zip(*columns, strict=True))
    rows.append(["exponent", "", *(f"{slope(cases, seconds):.2f}" for seconds in by_method)])
    return markdown(["arms", "observations", *(f"{m} (ms)" for m in methods)], rows)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser("python -m benchmarks.timing", description=__doc__)
    parser.add_argument("--methods", default="bandit,tpe", help="the first is the one compared")
    parser.add_argument("--cases", default="A,B,C,growth")
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--write", type=Path, help="a markdown page to write into")
    parser.add_argument("--section", help="the page's section to be replaced")
    options = parser.parse_args(argv)
    if (options.write is None) != (options.section is None):
        parser.error("--write and --section go together")
    wanted = options.cases.split(",")
    unknown = [name for name in wanted if name not in CASES and name != "growth"]
    if unknown:
        parser.error(f"unknown case {unknown[0]!r}; there are {', '.join(CASES)}, growth")
    try:
        methods = [method.name for method in optimizers.select(options.methods)]
        parts = []
        if cases := [CASES[name] for name in wanted if name in CASES]:
            parts.append(table(cases, methods, options.repeats))
        if "growth" in wanted:
            parts.append(growth_table(growth(), methods, max(options.repeats // 4, 3)))
        text = "\n\n".join(parts)
        if options.write is not None:
            page = options.write.read_text(encoding="utf-8")
            page = replace_section(page, options.section, text)
            options.write.write_text(page, encoding="utf-8")
    except (ValueError, OSError, MissingPackageError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
