"""The problems: one table of names, each a space, a function to be maximised and its optimum."""

from __future__ import annotations

import difflib
import json
import math
import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

import numpy as np

from benchmarks import learning, synthetic
from benchmarks.spaces import Node, Params, PlainSpace, arms, parse, sample

OPTIMA = Path(__file__).with_name("optima.json")
LEARNING = tuple(learning.TASKS)
RANDOM_POINTS = 200  # the fixed points whose median is a problem's zero of the gain from nothing


class UnknownNameError(ValueError):
    """A problem or method that is not in its table."""

    def __init__(self, kind: str, name: str, known: list[str]) -> None:
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        super().__init__(f"unknown {kind} {name!r}{hint} Known: {', '.join(known)}")


@dataclass(frozen=True)
class Problem:
    """A function of a conditional point, to be maximised."""

    name: str
    plain: PlainSpace
    function: Callable[[Params], float]
    optimum: float | None  # exact, or the best value ever seen, or nothing known yet
    exact: bool
    bound: float  # an upper bound that needs no search: what a method may be told

    def space(self) -> PlainSpace:
        """Return the space in plain-dict form."""
        return self.plain

    @property
    def tree(self) -> tuple[Node, ...]:
        return parse(self.plain)

    def evaluate(self, params: Params) -> float:
        return float(self.function(params))

    def arms(self) -> list[Params]:
        return arms(self.tree)

    def start(self, seed: int, per_arm: int) -> list[Params]:
        """Return ``per_arm`` uniform points of every arm, the same for all methods."""
        rng = np.random.default_rng([seed, zlib.crc32(self.name.encode())])
        tree, assignments = self.tree, self.arms()
        return [sample(tree, rng, arm) for _ in range(per_arm) for arm in assignments]

    def random_points(self, count: int, stream: int = 0) -> list[Params]:
        """Return uniform points that depend on nothing but the problem's name and the stream."""
        rng = np.random.default_rng([zlib.crc32(self.name.encode()), 1, stream])
        tree = self.tree
        return [sample(tree, rng) for _ in range(count)]

    def random_median(self) -> float:
        """Return the median value of ``RANDOM_POINTS`` fixed random points."""
        return float(np.median([self.evaluate(p) for p in self.random_points(RANDOM_POINTS)]))


@lru_cache(maxsize=1)
def stored_optima() -> dict[str, float]:
    """Return the checked-in optima: exact ones and the best values ever seen."""
    if not OPTIMA.exists():
        return {}
    content = json.loads(OPTIMA.read_text())
    return {**content["exact"], **content["best_seen"]}


def known_names() -> list[str]:
    """Return what may be asked for; the families take any number of arms."""
    sizes = (6, 25, 50, 100)
    families = [f"{family}-{c}" for family in ("ackley", "2d", "alpine") for c in sizes]
    return [*families, "groups-14", "jenatton", *LEARNING]


def _learning(name: str) -> Problem:
    task = learning.TASKS[name]
    function = partial(learning.evaluate, name)
    best = stored_optima().get(name)
    return Problem(name, task.space, function, best, exact=False, bound=task.bound)


def _family(name: str, family: str, count: int) -> Problem:
    space, function, _ = synthetic.FAMILIES[family]
    optimum = stored_optima().get(name)
    if optimum is None:
        optimum = synthetic.optimum(family, count)
    bound = float(math.ceil(optimum))
    return Problem(name, space(count), function, optimum, exact=True, bound=bound)


@lru_cache(maxsize=64)
def problem(name: str) -> Problem:
    """Return the problem of that name; families take any number of arms, as in ``ackley-25``."""
    if name in learning.TASKS:
        return _learning(name)
    if name == "jenatton":
        optimum, function = synthetic.JENATTON_OPTIMUM, synthetic.jenatton
        return Problem(name, synthetic.jenatton_space(), function, optimum, exact=True, bound=0.0)
    match = re.fullmatch(r"([a-z0-9]+)-([1-9]\d{0,4})", name)
    if match is None or match[1] not in synthetic.FAMILIES:
        raise UnknownNameError("problem", name, known_names())
    return _family(name, match[1], int(match[2]))


def select(names: str) -> list[Problem]:
    """Return the problems of a comma-separated list; ``learning`` stands for all real ones."""
    chosen = [
        each for name in names.split(",") for each in (LEARNING if name == "learning" else (name,))
    ]
    return [problem(name) for name in dict.fromkeys(chosen)]
