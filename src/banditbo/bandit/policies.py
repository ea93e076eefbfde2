"""How the next arm and point are chosen: a score, and perhaps a say in which arm it is.

``Auto`` and ``Thompson`` and ``GPUCB`` let the peaks decide. The others are bandits in the
classical sense: they choose the arm from its rewards, then a score decides the point in it.

Notation
--------
    t, n_c   evaluations so far, of arm c
    reward   the value, scaled to [0, 1] between the worst and the best of all arms; a failed
             evaluation has reward 0
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import numpy as np
from numpy.typing import NDArray

from banditbo.bandit.scores import DrawnFunction, ExpectedImprovement, Score, UpperBound
from banditbo.errors import InvalidValueError
from banditbo.model import Feasibility, Posterior, draw
from banditbo.space import Space

__all__ = [
    "GPUCB",
    "POLICIES",
    "UCB1",
    "Auto",
    "EpsilonGreedy",
    "Exp3",
    "MaxUCB",
    "Oracle",
    "Policy",
    "Pulls",
    "RoundRobin",
    "Thompson",
    "Uniform",
    "policy",
]

Array = NDArray[np.float64]
Ints = NDArray[np.intp]
Bools = NDArray[np.bool_]
Point = Literal["thompson", "ei", "ucb"]


@dataclass(frozen=True, slots=True)
class Pulls:
    """What has been played: arm (t,) and reward (t,) in order; pulls (A,), pending ones too."""

    space: Space
    arm: Ints
    reward: Array
    pulls: Ints
    open_arms: Bools

    @staticmethod
    def of(space: Space, arm: Ints, value: Array, pending: Ints, open_arms: Bools) -> Pulls:
        """Scale the values (nan where failed) to rewards."""
        told = np.isfinite(value)
        low, high = (value[told].min(), value[told].max()) if told.any() else (0.0, 0.0)
        span = high / 2.0 - low / 2.0
        reward = np.zeros(len(value))
        if span > 0.0:
            reward[told] = (value[told] / 2.0 - low / 2.0) / span
        pulls = np.bincount(np.concatenate([arm, pending]), minlength=len(space.arms))
        return Pulls(space, arm, reward, pulls, open_arms)

    @property
    def count(self) -> Ints:
        """Evaluations of every arm that are done (A,)."""
        return np.bincount(self.arm, minlength=len(self.space.arms))

    def mean(self) -> Array:
        """Mean reward of every arm (A,), 0 where there is none."""
        total = np.bincount(self.arm, weights=self.reward, minlength=len(self.space.arms))
        return np.asarray(total / np.maximum(self.count, 1))

    def best(self) -> Array:
        """Best reward of every arm (A,), 0 where there is none."""
        out = np.zeros(len(self.space.arms))
        np.maximum.at(out, self.arm, self.reward)
        return out

    def highest(self, index: Array, rng: np.random.Generator) -> Bools:
        """Choose the open arm of the highest index, by lot among equals; new arms first."""
        index = np.where(self.pulls == 0, np.inf, index)
        index = np.where(self.open_arms, index, -np.inf)
        return self.only(int(rng.choice(np.nonzero(index == index.max())[0])))

    def only(self, arm: int) -> Bools:
        """Choose one arm."""
        return np.asarray(np.arange(len(self.space.arms)) == arm)


class Policy(Protocol):
    """One way of choosing: which arms may be played, and what is maximised in them."""

    def arms(self, pulls: Pulls, rng: np.random.Generator) -> Bools:
        """Arms that may be played now (A,); the highest peak among them is."""

    def score(
        self,
        posterior: Posterior,
        feasibility: Feasibility | None,
        t: int,
        rng: np.random.Generator,
    ) -> Score:
        """What is maximised, after t evaluations."""


def _score(
    point: Point,
    posterior: Posterior,
    feasibility: Feasibility | None,
    t: int,
    rng: np.random.Generator,
) -> Score:
    if point == "thompson":
        return DrawnFunction(draw(posterior, rng), feasibility)
    if point == "ei":
        return ExpectedImprovement.over_best_mean(posterior, feasibility)
    # Srinivas et al. (2012), Theorem 1, for t looks at C arms with confidence 0.9
    n_arms = len(posterior.layout.block)
    width = np.sqrt(2.0 * np.log(n_arms * (t + 1.0) ** 2 * np.pi**2 / 0.6))
    return UpperBound(posterior, float(width), feasibility)


@dataclass(frozen=True, slots=True)
class _OverAllArms:
    """Every open arm may be played: the peaks decide."""

    def arms(self, pulls: Pulls, rng: np.random.Generator) -> Bools:
        """All open arms."""
        return pulls.open_arms


@dataclass(frozen=True, slots=True)
class Thompson(_OverAllArms):
    """The paper's: one draw per arm decides arm and point; with a bound on its Bayesian regret."""

    def score(
        self,
        posterior: Posterior,
        feasibility: Feasibility | None,
        t: int,
        rng: np.random.Generator,
    ) -> Score:
        """One function drawn for every arm."""
        return _score("thompson", posterior, feasibility, t, rng)


@dataclass(frozen=True, slots=True)
class Auto(_OverAllArms):
    """The default: expected improvement over all arms, under drawn hyper-parameters."""

    def score(
        self,
        posterior: Posterior,
        feasibility: Feasibility | None,
        t: int,
        rng: np.random.Generator,
    ) -> Score:
        """Expected improvement over the best posterior mean."""
        return _score("ei", posterior, feasibility, t, rng)


@dataclass(frozen=True, slots=True)
class GPUCB(_OverAllArms):
    """Upper confidence bounds of the Gaussian processes, for arm and point."""

    def score(
        self,
        posterior: Posterior,
        feasibility: Feasibility | None,
        t: int,
        rng: np.random.Generator,
    ) -> Score:
        """Mean plus a width that grows with the logarithm of t."""
        return _score("ucb", posterior, feasibility, t, rng)


@dataclass(frozen=True, slots=True)
class _ByReward:
    """The arm is chosen from its rewards; ``point`` names the score for the point in it."""

    point: Point = "thompson"

    def __post_init__(self) -> None:
        if self.point not in get_args(Point):
            raise InvalidValueError(
                f"point={self.point!r} is unknown: use 'thompson', 'ei' or 'ucb'"
            )

    def score(
        self,
        posterior: Posterior,
        feasibility: Feasibility | None,
        t: int,
        rng: np.random.Generator,
    ) -> Score:
        """The score for the point."""
        return _score(self.point, posterior, feasibility, t, rng)


@dataclass(frozen=True, slots=True)
class UCB1(_ByReward):
    """Auer et al. (2002): mean reward + sqrt(2 log t / n_c)."""

    def arms(self, pulls: Pulls, rng: np.random.Generator) -> Bools:
        """The arm of the highest index."""
        n = np.maximum(pulls.pulls, 1)
        return pulls.highest(pulls.mean() + np.sqrt(2.0 * np.log(max(n.sum(), 2)) / n), rng)


@dataclass(frozen=True, slots=True)
class MaxUCB(_ByReward):
    """Best reward + (alpha log t / n_c)^2, for rewards whose maximum counts (NeurIPS 2025)."""

    alpha: float = 0.5

    def __post_init__(self) -> None:
        _ByReward.__post_init__(self)
        if not 0.0 <= self.alpha < np.inf:
            raise InvalidValueError(f"alpha={self.alpha!r}: use a finite number of at least 0")

    def arms(self, pulls: Pulls, rng: np.random.Generator) -> Bools:
        """The arm of the highest index."""
        n = np.maximum(pulls.pulls, 1)
        return pulls.highest(pulls.best() + (self.alpha * np.log(max(n.sum(), 2)) / n) ** 2, rng)


@dataclass(frozen=True, slots=True)
class EpsilonGreedy(_ByReward):
    """The arm of the best mean reward, or with probability epsilon any arm."""

    epsilon: float = 0.1

    def __post_init__(self) -> None:
        _ByReward.__post_init__(self)
        _check_share("epsilon", self.epsilon)

    def arms(self, pulls: Pulls, rng: np.random.Generator) -> Bools:
        """The greedy arm, or one by lot."""
        if rng.random() < self.epsilon:
            return pulls.only(int(rng.choice(np.nonzero(pulls.open_arms)[0])))
        return pulls.highest(pulls.mean(), rng)


@dataclass(frozen=True, slots=True)
class Exp3(_ByReward):
    """Auer et al. (2002b): exponential weights, mixed with a share gamma of uniform play.

    The weights are computed again from the rewards in their order, so that there is no state.
    """

    gamma: float = 0.1

    def __post_init__(self) -> None:
        _ByReward.__post_init__(self)
        _check_share("gamma", self.gamma)
        if self.gamma == 0.0:
            raise InvalidValueError("gamma=0.0 never explores: use a share above 0")

    def arms(self, pulls: Pulls, rng: np.random.Generator) -> Bools:
        """An arm by lot, with the probabilities of its weight."""
        k = len(pulls.space.arms)
        log_weight = np.zeros(k)
        for arm, reward in zip(pulls.arm, pulls.reward, strict=True):
            p = self._probabilities(log_weight)[arm]
            log_weight[arm] += self.gamma * reward / (p * k)
        p = np.where(pulls.open_arms, self._probabilities(log_weight), 0.0)
        return pulls.only(int(rng.choice(k, p=p / p.sum())))

    def _probabilities(self, log_weight: Array) -> Array:
        weight = np.exp(log_weight - log_weight.max())
        return np.asarray((1.0 - self.gamma) * weight / weight.sum() + self.gamma / len(weight))


@dataclass(frozen=True, slots=True)
class RoundRobin(_ByReward):
    """Every arm in turn: the paper's second extreme."""

    def arms(self, pulls: Pulls, rng: np.random.Generator) -> Bools:
        """The first of the open arms played least."""
        return pulls.only(
            int(np.argmin(np.where(pulls.open_arms, pulls.pulls, np.iinfo(np.intp).max)))
        )


@dataclass(frozen=True, slots=True)
class Uniform(_ByReward):
    """Any arm, by lot."""

    def arms(self, pulls: Pulls, rng: np.random.Generator) -> Bools:
        """An open arm."""
        return pulls.only(int(rng.choice(np.nonzero(pulls.open_arms)[0])))


@dataclass(frozen=True, slots=True)
class Oracle(_ByReward):
    """Told which arm is best: the paper's first extreme.

    >>> from banditbo.space import Space, Categorical
    >>> Oracle(best={"solvent": "water"}).best
    {'solvent': 'water'}
    """

    best: Mapping[str, Any] | None = None

    def arms(self, pulls: Pulls, rng: np.random.Generator) -> Bools:
        """The arms whose choices are those it was told."""
        wanted = (self.best or {}).items()
        match = [
            all(name in arm.choices and arm.choices[name] == value for name, value in wanted)
            for arm in pulls.space.arms
        ]
        if not any(match):
            raise InvalidValueError(
                f"Oracle(best={self.best!r}) names no arm of the space: use choices of an arm"
            )
        return np.asarray(match) & pulls.open_arms


POLICIES: Mapping[str, Callable[[], Policy]] = {
    "auto": Auto,
    "thompson": Thompson,
    "gp-ucb": GPUCB,
    "ucb1": UCB1,
    "max-ucb": MaxUCB,
    "epsilon-greedy": EpsilonGreedy,
    "exp3": Exp3,
    "round-robin": RoundRobin,
    "uniform": Uniform,
}


def _check_share(name: str, value: float) -> None:
    if not 0.0 <= value <= 1.0:
        raise InvalidValueError(f"{name}={value!r} is a share: use 0 to 1")


def policy(name: str | Policy) -> Policy:
    """Resolve a name, or pass a policy through.

    >>> policy("thompson")
    Thompson()
    """
    if not isinstance(name, str):
        if not (callable(getattr(name, "arms", None)) and callable(getattr(name, "score", None))):
            raise InvalidValueError(f"policy {name!r} is not one: use a name or a policy object")
        return name
    if name not in POLICIES:
        hint = (
            " (an Oracle must be told the best arm: policy=Oracle(best={...}))"
            if name == "oracle"
            else ""
        )
        raise InvalidValueError(
            f"policy {name!r} is unknown: use one of {', '.join(POLICIES)}{hint}"
        )
    return POLICIES[name]()
