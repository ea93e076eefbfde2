"""The optimizer: ask for trials, tell their outcomes, see what is known."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from banditbo.bandit import Frame, Outlook, Policy, outlook, stream
from banditbo.bandit import policy as resolve_policy
from banditbo.errors import InvalidStateError, InvalidTrialError, InvalidValueError
from banditbo.model import Model, ModelSetting, Posterior, model_setting, single_thread
from banditbo.optimizer.checks import (
    check_direction,
    check_list,
    check_noise,
    check_number,
    check_seed,
    check_space,
)
from banditbo.optimizer.explain import explain
from banditbo.optimizer.given import Given
from banditbo.optimizer.history import History, Record, Trial
from banditbo.optimizer.propose import Proposer
from banditbo.optimizer.retired import matching, open_arms
from banditbo.optimizer.tables import Best, Rows, arm_rows, history_rows
from banditbo.optimizer.telling import Outcome, read_outcomes
from banditbo.space import Parameter, Space

__all__ = ["Optimizer"]


class Optimizer(Proposer):
    """Bayesian optimization over a space with choices in it, by ask and tell.

    Parameters
    ----------
    space
        What may be searched.
    direction
        ``"maximize"`` or ``"minimize"``.
    seed
        Decides every random number, together with the trial's number; drawn if not given.
    n_init
        ``"auto"``: a start of five trials on different arms, then an arm never tried competes
        through its prior. A number: so many random points an arm first (the paper: 2).
    model
        ``"auto"``, ``"correlated"``, ``"shared"``, ``"independent"``, ``"paper"`` or a
        ``ModelSetting``.
    policy
        ``"auto"`` (expected improvement), ``"thompson"``, ``"gp-ucb"``, ``"ucb1"``, ``"max-ucb"``,
        ``"epsilon-greedy"``, ``"exp3"``, ``"round-robin"``, ``"uniform"`` or a policy object.
    noise
        Known standard deviation of the values; 0 says that they are exact. Learned if not given.

    Examples
    --------
    >>> from banditbo import Choice, Float, Optimizer, Space
    >>> space = Space({"f": Choice({"sin": {"x": Float(0, 3)}, "line": {"y": Float(0, 1)}})})
    >>> opt = Optimizer(space, seed=0)
    >>> for _ in range(20):
    ...     for trial in opt.ask():
    ...         p = trial.params
    ...         opt.tell(trial, np.sin(p["x"]) if p["f"] == "sin" else 0.5 * p["y"])
    >>> str(opt.best.arm), opt.best.value > 0.999
    ('f=sin', True)
    """

    def __init__(
        self,
        space: Space,
        direction: Literal["maximize", "minimize"] = "maximize",
        *,
        seed: int | None = None,
        n_init: int | Literal["auto"] = "auto",
        model: str | ModelSetting = "auto",
        policy: str | Policy = "auto",
        noise: float | None = None,
    ) -> None:
        check_space(space)
        self.direction = check_direction(direction)
        self.seed = secrets.randbits(63) if seed is None else check_seed(seed)
        self.n_init = n_init if n_init == "auto" else check_number("n_init", n_init, 0)
        self.model, self.policy = model, policy
        self.noise = None if noise is None else check_noise(noise)
        self._setting, self._policy = model_setting(model), resolve_policy(policy)
        self._next = 0
        self._known = None
        self._limit = None
        self._retired: list[dict[str, Any]] = []
        self._history = History(Frame.of(space), 1.0 if direction == "maximize" else -1.0)
        self._use(space)

    def with_history(self, records: Iterable[Record]) -> Optimizer:
        """Return an optimizer of the same space, settings and seed with this history.

        Records count in the order given, under their own numbers. What this optimizer has worked
        out for records that both share is used again; neither changes the other.
        """
        other = copy.copy(self)
        other._history = self._history.replaced(records)
        other._next = max((r.number for r in other._history.told), default=-1) + 1
        other._known = other._model.believe(other._history.observations())
        other._limit = other._violations()
        return other

    # --- telling ----------------------------------------------------------------------------

    def tell(
        self,
        trial: Trial | Mapping[str, Any] | Sequence[Trial | Mapping[str, Any]],
        value: float | Sequence[float] | None = None,
        *,
        failed: bool = False,
        error: str | None = None,
        noise: float | None = None,
        clip: bool = False,
    ) -> None:
        """Tell the outcome of a trial, or of parameters measured elsewhere.

        Parameters
        ----------
        trial
            A trial that was asked, a dict of parameters, or a list of them with a list of values;
            a list is taken whole or not at all.
        value
            What was measured; nan and infinity are refused: say ``failed=True`` instead.
        failed, error
            The evaluation failed, and perhaps why.
        noise
            Known standard deviation of this value.
        clip
            Move parameters measured elsewhere to the border of their range if they are outside.
        """
        sd = self.noise or 0.0 if noise is None else noise
        if isinstance(trial, Trial | Mapping | str) or not isinstance(trial, Iterable):
            told = [Outcome(trial, value, failed, error, sd, clip)]
        else:
            trials = list(trial)
            values = [None] * len(trials) if value is None else check_list(value)
            if len(values) != len(trials):
                raise InvalidValueError(
                    f"{len(trials)} trials and {len(values)} values: give one value a trial"
                )
            told = [
                Outcome(t, v, failed, error, sd, clip) for t, v in zip(trials, values, strict=True)
            ]
        self._commit(read_outcomes(told, self._history, self._next))

    def _commit(self, records: list[Record]) -> None:
        for record in records:
            if self._history.pending.pop(record.number, None) is None:
                self._next += 1
            self._history.add(record)
        self._known, self._limit = None, self._violations()

    # --- what is known ----------------------------------------------------------------------

    @property
    def best(self) -> Best:
        """The recommended trial: of the best posterior mean among those observed.

        With ``noise=0`` values are exact, and it is the one of the best value.
        """
        posterior, observed = self._belief().posterior(), self._observed()
        index, fitted = posterior.observed()
        if self.noise == 0.0:
            return self.best_observed
        at = index[int(np.argmax(fitted))]
        mean = float(posterior.warp.inverse(np.array([fitted.max()]))[0]) * self._history.sign
        return self._as_best(observed[at], mean)

    @property
    def best_observed(self) -> Best:
        """The trial with the best value as it was told, luck included."""
        observed = self._observed()
        sign = self._history.sign
        record = max(observed, key=lambda r: sign * (r.value or 0.0))
        return self._as_best(record, record.value or 0.0)

    @property
    def best_so_far(self) -> Best | None:
        """As ``best_observed``, or None while no value has been told."""
        return self.best_observed if self._history.observed() else None

    def _as_best(self, record: Record, mean: float) -> Best:
        value = record.value or 0.0
        arm = self.space.arm_of(record.params)
        return Best(record.number, arm, dict(record.params), value, mean)

    def _observed(self) -> list[Record]:
        observed = self._history.observed()
        if not observed:
            raise InvalidStateError("no value has been told yet: tell one, then ask for the best")
        return observed

    @property
    def arms(self) -> Rows:
        """A row an arm: pulls, best value, posterior of its optimum, probability of being best."""
        return arm_rows(self._history, self._open, self.outlook())

    @property
    def history(self) -> Rows:
        """A row a trial, as pandas or polars take it."""
        return history_rows(self._history)

    @property
    def trials(self) -> list[Record]:
        """All trials by number, with their outcomes."""
        return list(self._history)

    def record(self, number: int) -> Record:
        """Return the trial of that number with its outcome."""
        found = next((r for r in self._history if r.number == number), None)
        if found is None:
            raise InvalidTrialError(f"there is no trial {number}: the last is {self._next - 1}")
        return found

    @property
    def pending(self) -> list[Trial]:
        """Trials that were asked and not told yet."""
        return list(self._history.pending.values())

    @single_thread()
    def outlook(self, n: int = 64) -> Outlook:
        """What n draws say of the arms' optima (to be maximised), and what is still to be had."""
        rng = stream(self.seed, len(self._history), "outlook")
        return outlook(self._belief(), self._frame, self._open, rng, n)

    def explain(self, trial: Trial | Record | int) -> str:
        """Say why a trial was proposed."""
        record = self.record(trial if isinstance(trial, int) else trial.number)
        return explain(record, self.direction)

    # --- the space may change -----------------------------------------------------------------

    def allows(self, given: Mapping[str, Any]) -> bool:
        """Tell whether some open arm has these parameters, as ``propose`` takes them."""
        return bool(Given.of(self._frame, self._open, given).arms.any())

    def retire(self, **choices: Any) -> None:
        """Propose the arms with these choices no more; what they taught is kept."""
        self._retire([*self._retired, choices])

    def restore(self, **choices: Any) -> None:
        """Undo ``retire`` of the same choices."""
        if choices not in self._retired:
            raise InvalidValueError(f"{choices} was not retired: retired are {self._retired}")
        self._retire([c for c in self._retired if c != choices])

    def add_arm(
        self, choice: str, alternative: Any, parameters: Mapping[str, Parameter] | None = None
    ) -> None:
        """Add an alternative to a choice, or a value to a categorical."""
        self.change_space(self.space.with_alternative(choice, alternative, parameters or {}))

    def change_space(self, space: Space) -> None:
        """Go on in another space: trials that have a place in it count, the others are kept."""
        check_space(space)
        retired = [c for c in self._retired if matching(c, space).any()]
        open_arms(retired, space)
        self._use(space)

    def _use(self, space: Space) -> None:
        old = self._history
        self._frame = Frame.of(space)
        self._history = History(self._frame, old.sign)
        self._history.pending = old.pending
        for record in old.told:
            self._history.add(record)
        self._model = Model(self._frame.layout(), self._setting)
        self._limits = Model(self._frame.layout(), replace(self._setting, transform="standard"))
        self._known, self._limit = None, self._violations()
        self._retire([c for c in self._retired if matching(c, space).any()])

    def _retire(self, retired: list[dict[str, Any]]) -> None:
        self._open, self._retired = open_arms(retired, self.space), retired

    # --- state --------------------------------------------------------------------------------

    def posterior(self) -> Posterior:
        """The posterior at the most probable hyper-parameters."""
        return self._belief().posterior()

    def to_json(self) -> str:
        """Return everything as text; read back, it proposes exactly what this one would."""
        from banditbo.optimizer.state import dump

        return dump(self)

    @classmethod
    def from_json(cls, text: str) -> Optimizer:
        """Read what ``to_json`` wrote."""
        from banditbo.optimizer.state import load

        return load(text, cls)
