"""A trial's plan: the arm and the point that the engine proposes, in Optuna's values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution

from banditbo.bandit import stream
from banditbo.errors import SpaceExhaustedError
from banditbo.optimizer import Optimizer, Trial
from banditbo.optuna.explain import note
from banditbo.optuna.slots import PATTERN
from banditbo.optuna.tree import Tree
from banditbo.space import Space

__all__ = ["Plan", "as_plan", "beside", "first_possible", "in_corner"]

#: So far from a corner, as a share of the range, trials that run at once are set apart.
CORNER = 1e-5


@dataclass(frozen=True, slots=True)
class Plan:
    """What is proposed for a trial: values with their distributions, and why."""

    values: dict[str, tuple[Any, BaseDistribution]]
    why: dict[str, Any]


def first_possible(
    optimizer: Optimizer,
    number: int,
    given: dict[str, Any],
    avoid: Sequence[dict[str, Any]] = (),
) -> Trial:
    """Propose with as much given as some arm has; evaluated points again if there are no others.

    What is given and disagrees is given up: numbers first, then decisions, those that most arms
    have last.
    """
    left = dict(given)
    while not optimizer.allows(left):
        left.pop(min(left, key=lambda n: (_commonness(optimizer, n), n)))
    try:
        return optimizer.propose(number, given=left, avoid=avoid)
    except SpaceExhaustedError:
        return optimizer.propose(number, given=left, repeat=True)


def _commonness(optimizer: Optimizer, name: str) -> int:
    return sum(name in arm.choices for arm in optimizer.space.arms)


def as_plan(tree: Tree, proposal: Trial) -> Plan:
    """Return a proposal in Optuna's values, with a note of why."""
    pattern = proposal.params.get(PATTERN)
    arm = ", ".join(f"{n}={v}" for n, v in proposal.arm.choices.items() if n != PATTERN)
    if pattern is not None:
        arm = f"{arm} with {pattern}" if arm else f"with {pattern}"
    return Plan(tree.decode(proposal.params), note(proposal, arm or "-", pattern))


def in_corner(space: Space, proposal: Trial) -> bool:
    """Tell whether all coordinates that move freely are at an end of their range."""
    arm, point = space.encode(proposal.params)
    free = np.isinf(space.groups[arm.group].cells)
    return bool(np.isin(point[free], (0.0, 1.0)).all())


def beside(space: Space, proposal: Trial, seed: int) -> Trial:
    """Move off a corner, where several trials that run at once would meet to the last bit."""
    arm, point = space.encode(proposal.params)
    free = np.isinf(space.groups[arm.group].cells)
    step = CORNER * stream(seed, proposal.number, "beside").random(len(point))
    point = np.where(free, np.abs(point - step), point)
    return replace(proposal, params=space.decode(arm, point))
