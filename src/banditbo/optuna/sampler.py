"""``BanditSampler``: Gaussian processes for conditional spaces, by changing one line.

A trial's *plan* is the arm and the point that the engine proposes for its number, given the
finished trials. ``infer_relative_search_space`` makes it, ``sample_relative`` hands it out, and
``sample_independent`` answers what it does not hold. Everything is a function of the finished
trials, the seed and the trial's number; what is kept is a cache.
"""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Sequence
from typing import Any, Literal

from optuna import logging
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler, PartialFixedSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from banditbo.bandit import Policy
from banditbo.errors import InvalidValueError
from banditbo.model import ModelSetting
from banditbo.optimizer import Optimizer, Rows, Trial
from banditbo.optimizer.checks import check_number, check_seed
from banditbo.optimizer.propose import START
from banditbo.optuna.explain import NOTE, explain
from banditbo.optuna.given import as_space, as_tree
from banditbo.optuna.memory import Known, Memory
from banditbo.optuna.plan import Plan, as_plan, beside, first_possible, in_corner
from banditbo.optuna.ranges import external, is_in
from banditbo.optuna.start import start_value
from banditbo.optuna.tree import Tree
from banditbo.space import Space

__all__ = ["BanditSampler"]

_logger = logging.get_logger(f"optuna.{__name__}")

#: The running trials with lower numbers that are looked at to avoid exact duplicates.
NEIGHBOURS = 16

#: Where Optuna keeps the parameters of an enqueued trial.
_FIXED = "fixed_params"


class BanditSampler(BaseSampler):
    """Bayesian optimization over the arms that a study's choices make.

    The tree of choices is learned from the trials themselves: which categorical, integer or bool
    decides which other parameters are asked for. Every leaf of it is an arm, with a Gaussian
    process of its own that may share with its relatives.

    Parameters
    ----------
    space
        What the objective will ask for, if it is known: a ``Space`` or a ``ConfigurationSpace``.
        Everything is then modelled from the first trial.
    seed
        Decides every random number, together with the trial's number. If not given, one is drawn
        and kept: pickled copies of a sampler share it.
    n_startup_trials
        So many finished trials before a model is used; ``"auto"`` is 5.
    model, policy
        As for ``Optimizer``.
    noise
        Known standard deviation of the values; 0 says that they are exact. Learned if not given.
    pruned
        ``"ignore"`` pruned trials, or take their ``"last"`` intermediate value for their value.
    constraints_func
        Called with a finished trial, returns numbers; one above 0 makes the trial infeasible.
        ``Trial.set_constraint`` needs no function. How much the worst constraint is violated is
        modelled like the values, arm by arm; the value of an infeasible trial is not used.

    Examples
    --------
    >>> import optuna
    >>> optuna.logging.set_verbosity(optuna.logging.WARNING)
    >>> def objective(trial):
    ...     if trial.suggest_categorical("model", ["line", "hill"]) == "line":
    ...         return 0.5 * trial.suggest_float("a", 0, 1)
    ...     return 1 - (trial.suggest_float("b", 0, 1) - 0.3) ** 2
    >>> study = optuna.create_study(direction="maximize", sampler=BanditSampler(seed=0))
    >>> study.optimize(objective, n_trials=15)
    >>> study.best_params["model"], study.best_value > 0.99
    ('hill', True)
    """

    def __init__(
        self,
        space: Any = None,
        *,
        seed: int | None = None,
        n_startup_trials: int | Literal["auto"] = "auto",
        model: str | ModelSetting = "auto",
        policy: str | Policy = "auto",
        noise: float | None = None,
        pruned: Literal["ignore", "last"] = "ignore",
        constraints_func: Callable[[FrozenTrial], Sequence[float]] | None = None,
    ) -> None:
        self.seed = secrets.randbits(63) if seed is None else check_seed(seed)
        if n_startup_trials != "auto":
            check_number("n_startup_trials", n_startup_trials, 0)
        if pruned not in ("ignore", "last"):
            raise InvalidValueError(f"pruned={pruned!r}: use 'ignore' or 'last'")
        self._n_startup = START if n_startup_trials == "auto" else int(n_startup_trials)
        self._model, self._policy, self._noise, self._pruned = model, policy, noise, pruned
        self._space = None if space is None else as_space(space)
        self._constraints_func = constraints_func
        probe = Space.from_dict({"x": {"float": [0.0, 1.0]}})
        self._optimizer(probe, "minimize")  # refuse a wrong model or policy here and now
        self._forget()

    def _forget(self) -> None:
        tree = None if self._space is None else as_tree(self._space)
        self._memory = Memory(self._optimizer, tree, self._pruned)
        self._said: set[str] = set()
        self._local = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        kept = dict(self.__dict__)
        for name in ("_memory", "_said", "_local"):
            del kept[name]
        return kept

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._forget()

    def _optimizer(self, space: Space, direction: str) -> Optimizer:
        return Optimizer(
            space,
            direction,  # type: ignore[arg-type]
            seed=self.seed,
            n_init=0,
            model=self._model,
            policy=self._policy,
            noise=self._noise,
        )

    # --- what Optuna calls ------------------------------------------------------------------

    def reseed_rng(self) -> None:
        """Do nothing: random numbers belong to trials, not to processes or threads."""

    def infer_relative_search_space(
        self, study: Study, trial: FrozenTrial
    ) -> dict[str, BaseDistribution]:
        """Plan the trial; return the distributions of what the plan holds."""
        plan = self._plan(study, trial, {**_fixed(study), **trial.system_attrs.get(_FIXED, {})})
        self._local.plan = (study.study_name, trial.number, plan)
        return {name: distribution for name, (_, distribution) in plan.values.items()}

    def sample_relative(
        self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]
    ) -> dict[str, Any]:
        """Return the plan's values for the parameters of the search space."""
        name, number, plan = getattr(self._local, "plan", (None, None, None))
        self._local.plan = (None, None, None)
        if plan is None or (name, number) != (study.study_name, trial.number):
            plan = self._plan(study, trial, {})
        out = {}
        for name, distribution in search_space.items():
            value, planned = plan.values.get(name, (None, None))
            if planned is None or not is_in(distribution, value):
                value = start_value(self.seed, trial.number, name, distribution)
            out[name] = value
        if plan.why and study._storage is not None:
            study._storage.set_trial_system_attr(trial._trial_id, NOTE, plan.why)
        return out

    def sample_independent(
        self,
        study: Study,
        trial: FrozenTrial,
        param_name: str,
        param_distribution: BaseDistribution,
    ) -> Any:
        """Return a value for a parameter that the plan does not hold."""
        _refuse_many(study)
        trials = study.get_trials(deepcopy=False)
        known = self._know(study, trials)
        tree, start = known.tree, known.finished < self._n_startup
        if tree is not None and param_name in tree.names and not start:
            fixed = {n: v for n, v in trial.params.items() if n != param_name}
            plan = self._propose(trials, trial.number, known, fixed, asked=param_name)
            value = plan.values.get(param_name, (None, None))[0]
            if value is not None and is_in(param_distribution, value):
                return value
            if value is not None and tree.wanders(param_name):
                return external(param_distribution, value)
        if not start:
            self._say_start(tree, trial, param_name)
        return start_value(self.seed, trial.number, param_name, param_distribution)

    def after_trial(
        self,
        study: Study,
        trial: FrozenTrial,
        state: TrialState,
        values: Sequence[float] | None,
    ) -> None:
        """Note the constraints, if a function tells them."""
        if self._constraints_func is None or state not in (
            TrialState.COMPLETE,
            TrialState.PRUNED,
        ):
            return
        constraints = [float(v) for v in self._constraints_func(trial)]
        study._storage.set_trial_system_attr(trial._trial_id, "constraints", constraints)

    # --- plans ------------------------------------------------------------------------------

    def _know(self, study: Study, trials: Sequence[FrozenTrial]) -> Known:
        name = (study.study_name, getattr(study, "_bracket_id", None))
        known = self._memory.know(name, study.direction, trials)
        if known.tree is not None and known.tree.loose:
            self._say_loose(known.tree)
        return known

    def _plan(self, study: Study, trial: FrozenTrial, fixed: dict[str, Any]) -> Plan:
        _refuse_many(study)
        trials = study.get_trials(deepcopy=False)
        known = self._know(study, trials)
        if known.finished < self._n_startup:
            if self._space is None or known.optimizer is None or known.tree is None or fixed:
                return Plan({}, {"by": "start"})
            return as_plan(known.tree, known.optimizer.start(trial.number))
        return self._propose(trials, trial.number, known, fixed)

    def _propose(
        self,
        trials: Sequence[FrozenTrial],
        number: int,
        known: Known,
        fixed: dict[str, Any],
        asked: str | None = None,
    ) -> Plan:
        """Propose the rest of a trial's parameters, given those that are fixed."""
        tree, optimizer = known.tree, known.optimizer
        if tree is None or optimizer is None:
            return Plan({}, {})
        given = tree.given(fixed)
        if asked is not None:
            return self._conditional(tree, optimizer, number, given, asked)
        proposal = first_possible(optimizer, number, given)
        running = [t for t in trials if t.state is TrialState.RUNNING and t.number < number]
        if optimizer.is_finite(proposal.arm):
            proposal = self._not_twice(tree, optimizer, running, number, given)
        elif running and in_corner(optimizer.space, proposal):
            proposal = beside(optimizer.space, proposal, self.seed)
        return as_plan(tree, proposal)

    def _conditional(
        self, tree: Tree, optimizer: Optimizer, number: int, given: dict[str, Any], asked: str
    ) -> Plan:
        """Propose where a name is asked for: in the arms that have it, as far as possible."""
        proposal = first_possible(optimizer, number, given)
        plan = as_plan(tree, proposal)
        if asked in plan.values:
            return plan
        for arms in tree.arms_with(asked, given):
            plan = as_plan(tree, first_possible(optimizer, number, {**given, **arms}))
            if asked in plan.values:
                return plan
        return plan

    def _not_twice(
        self,
        tree: Tree,
        optimizer: Optimizer,
        running: Sequence[FrozenTrial],
        number: int,
        given: dict[str, Any],
    ) -> Trial:
        """Propose in a finite arm what no running trial with a lower number has.

        Where such a trial has not asked for everything yet, what it will ask for is computed:
        it is a function of its number.
        """
        avoid: list[dict[str, Any]] = []
        for other in running[-NEIGHBOURS:]:
            params = tree.encode(other.params) if other.params else None
            if params is None:
                fixed = tree.given({**other.params, **other.system_attrs.get(_FIXED, {})})
                params = first_possible(optimizer, other.number, fixed, avoid).params
            avoid.append(params)
        return first_possible(optimizer, number, given, avoid)

    # --- what it says -----------------------------------------------------------------------

    def _say_start(self, tree: Tree | None, trial: FrozenTrial, name: str) -> None:
        if name in self._said:
            return
        self._said.add(name)
        arm = ", ".join(f"{n}={v}" for n, v in trial.params.items() if not isinstance(v, float))
        if tree is None or name not in tree.names:
            why = "no finished trial has had it"
        elif self._space is not None:
            why = "the space given has it elsewhere, or with another range"
        else:
            why = "finished trials have had it elsewhere, or with another range"
        _logger.info(
            f"Trial {trial.number}: parameter {name!r} (arm {arm or '-'}) is not modelled yet, "
            f"because {why}; its value is the next of an even sequence."
        )

    def _say_loose(self, tree: Tree) -> None:
        names = sorted(tree.loose - self._said)
        self._said |= tree.loose
        if names:
            _logger.info(
                f"Some trials ask for {', '.join(map(repr, names))} and others do not, and "
                "nothing explains when: each set of parameters counts as an arm."
            )

    def arms(self, study: Study) -> Rows:
        """Return a row an arm: pulls, best value, posterior of its optimum, probability.

        Empty while no finished trial tells what there is to choose.
        """
        optimizer = self.optimizer(study)
        return Rows() if optimizer is None else optimizer.arms

    def explain(self, study: Study, trial: FrozenTrial | int) -> str:
        """Say why a trial has the parameters that it has."""
        number = trial if isinstance(trial, int) else trial.number
        trials = study.get_trials(deepcopy=False)
        if not 0 <= number < len(trials):
            raise InvalidValueError(f"there is no trial {number}: the study has {len(trials)}")
        return explain(trials[number], study.direction)

    def optimizer(self, study: Study, n_trials: int | None = None) -> Optimizer | None:
        """Return the engine's view of a study, or of its first trials; None if there is none.

        It knows the finished trials under their own numbers, with the sampler's own names for
        what it discovered. Look at it, tell it nothing.
        """
        _refuse_many(study)
        trials = study.get_trials(deepcopy=False)
        if n_trials is None:
            return self._know(study, trials).optimizer
        return self.view(trials[:n_trials], study.direction)

    def view(self, trials: Sequence[FrozenTrial], direction: StudyDirection) -> Optimizer | None:
        """Return the engine's view of some trials, as ``optimizer`` does for a study's."""
        return self._memory.know("view", direction, trials).optimizer


def _refuse_many(study: Study) -> None:
    if len(study.directions) > 1:
        raise InvalidValueError(
            f"BanditSampler optimises one objective, and this study has {len(study.directions)}: "
            "use NSGAIISampler or TPESampler, or a weighted sum"
        )


def _fixed(study: Study) -> dict[str, Any]:
    """Return what PartialFixedSamplers around this sampler fix."""
    out: dict[str, Any] = {}
    sampler: Any = study.sampler
    while isinstance(sampler, PartialFixedSampler):
        out = {**sampler._fixed_params, **out}
        sampler = sampler._base_sampler
    return out
