"""The optimizer: ask for trials, tell their outcomes. Algorithm 1 of the paper is ``propose``."""

from __future__ import annotations

import copy
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from banditbo.bandit import (
    Frame,
    Outlook,
    Policy,
    best_points,
    candidates,
    every_point,
    find_peaks,
    kronecker,
    outlook,
    start_arm,
    stream,
)
from banditbo.bandit import policy as resolve_policy
from banditbo.errors import (
    InvalidStateError,
    InvalidTrialError,
    InvalidValueError,
    SpaceExhaustedError,
)
from banditbo.model import (
    Belief,
    Constrained,
    Feasibility,
    Model,
    ModelSetting,
    Posterior,
    model_setting,
    single_thread,
)
from banditbo.optimizer.checks import (
    check_direction,
    check_list,
    check_noise,
    check_number,
    check_seed,
    check_space,
    check_value,
)
from banditbo.optimizer.explain import explain, reasons
from banditbo.optimizer.given import Given
from banditbo.optimizer.history import History, Record, Trial
from banditbo.optimizer.tables import Best, Rows, arm_rows, history_rows
from banditbo.space import Arm, Parameter, Space
from banditbo.space.values import key

__all__ = ["START", "Optimizer"]

Array = NDArray[np.float64]

#: Trials of the automatic start, all arms together.
START = 5


class Optimizer:
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
        self._known: Belief | None = None
        self._limit: Posterior | None = None
        self._retired: list[dict[str, Any]] = []
        self._history = History(Frame.of(space), 1.0 if direction == "maximize" else -1.0)
        self._use(space)

    # --- Algorithm 1 ------------------------------------------------------------------------

    def ask(self, n: int = 1) -> list[Trial]:
        """Propose the next n trials: Algorithm 1 of the paper; sequential is n = 1.

        Fewer come back when a finite space has no more; none left is a ``SpaceExhaustedError``.
        """
        check_number("n", n, 1)
        asked: list[Trial] = []
        for _ in range(n):
            try:
                trial = self.propose(self._next)  # line 6: b = 1 .. B, independent of one another
            except SpaceExhaustedError:
                if asked:
                    break
                raise
            kept = replace(trial, params=dict(trial.params))  # whatever the caller does to his
            self._history.pending[trial.number] = kept
            self._next += 1
            asked.append(trial)
        return asked

    @single_thread()
    def propose(
        self,
        number: int,
        *,
        given: Mapping[str, Any] | None = None,
        avoid: Iterable[Mapping[str, Any]] = (),
        repeat: bool = False,
    ) -> Trial:
        """Return what trial ``number`` would be, given the history; nothing is remembered.

        Parameters
        ----------
        number
            The trial's number: together with the seed it decides every random number.
        given
            Parameters that are fixed: the rest is proposed, in the arms that have them.
        avoid
            Params that are not to be proposed, as if they were pending.
        repeat
            Points that were evaluated may be proposed again.
        """
        if not given and not repeat and (first := self._start(number)) is not None:
            return first
        rng = stream(self.seed, number, "ask")  # the trial's own randomness, whoever asks
        history = self._history
        fixed = Given.of(self._frame, self._open, given or {})
        if not fixed.arms.any():
            raise InvalidValueError(
                f"no open arm has {given!r}: leave out what the space does not know"
            )
        frame = fixed.freeze(self._frame)
        taken = history.taken(avoid, evaluated=not repeat)
        belief = self._belief()  # line 4: GP_c given D^c, for every arm
        posterior = belief.posterior(rng)
        feasibility = self._feasibility()
        left = fixed.arms & ~taken.exhausts(frame)
        if not left.any():
            raise self._exhausted(fixed)
        arms = self._policy.arms(history.pulls(left), rng)
        score = self._policy.score(posterior, feasibility, len(history), rng)  # line 8: draw f~_c
        anchors = best_points(frame, posterior, belief.data.arm, belief.data.point)
        points = fixed.put(candidates(frame, anchors, rng))
        peaks = find_peaks(score, frame, points, arms, taken)  # lines 9-10: x~*_c, f~*_c
        if not np.isfinite(peaks.value).any():  # of a finite space little is left: look at all
            points = fixed.put(every_point(frame, points, arms))
            peaks = find_peaks(score, frame, points, arms, taken)
        arm = self.space.arms[peaks.choose(rng)]  # line 12: argmax_c f~*_c
        if not np.isfinite(peaks.value[arm.index]):
            raise self._exhausted(fixed)
        point = self._first_point(arm, peaks.point[arm.index])  # line 13
        held = fixed.coordinates[arm.group, : len(point)]
        point = np.where(np.isnan(held), point, held)
        why = reasons(self._policy, posterior, peaks, self.space.arms, arm.index, frame.pad(point))
        return Trial(number, arm, self.space.decode(arm, point), why)

    def _exhausted(self, fixed: Given) -> SpaceExhaustedError:
        return SpaceExhaustedError(
            f"all points of the {int(fixed.arms.sum())} open arms have been evaluated or are "
            "pending: widen the space, or stop"
        )

    def start(self, number: int) -> Trial:
        """Return what trial ``number`` is if it belongs to the start, whatever is known."""
        arm = start_arm(self._frame, self.seed, number)
        if not self._open[arm.index]:
            rng = stream(self.seed, number, "start")
            arm = self.space.arms[int(rng.choice(np.nonzero(self._open)[0]))]
        return self._begin(number, arm, kronecker(self.seed, number, self._frame.width))

    def _begin(self, number: int, arm: Arm, coordinates: Array) -> Trial:
        group = self.space.groups[arm.group]
        point = self._first_point(arm, group.snap(coordinates[: len(group.names)]))
        return Trial(number, arm, self.space.decode(arm, point), {"by": "start"})

    def _start(self, number: int) -> Trial | None:
        """Propose without a model, while there is too little to learn from."""
        history = self._history
        n_init = self.n_init
        if n_init == "auto" and self.model != "paper":
            if len(history) >= START:
                return None
            trial = self.start(number)
        else:
            wanted = 2 if n_init == "auto" else n_init
            left = self._open & ~history.taken().exhausts(self._frame)
            pulls = np.where(left, history.pulls(left).pulls, np.iinfo(np.intp).max)
            if pulls.min() >= wanted:
                return None
            arm = self.space.arms[int(np.argmin(pulls))]
            coordinates = stream(self.seed, number, "start").random(self._frame.width)
            trial = self._begin(number, arm, coordinates)
        placed = history.place(trial.params)
        if history.taken().has(placed.arm, placed.point):
            return None
        return trial

    def _first_point(self, arm: Arm, point: Array) -> Array:
        """Use the defaults of an arm for its first point; cut the padding off."""
        group = self.space.groups[arm.group]
        point = point[: len(group.names)]
        default = group.defaults[arm.row]
        if np.isnan(default).all() or np.any(self._history.taken().arm == arm.index):
            return point
        return np.where(np.isnan(default), point, default)

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
        if isinstance(trial, Trial | Mapping | str) or not isinstance(trial, Iterable):
            self._commit([self._record(trial, value, failed, error, noise, clip, 0)])
            return
        trials = list(trial)
        values = [None] * len(trials) if value is None else check_list(value)
        if len(values) != len(trials):
            raise InvalidValueError(
                f"{len(trials)} trials and {len(values)} values: give one value a trial"
            )
        outside = 0
        records = []
        for t, v in zip(trials, values, strict=True):
            records.append(self._record(t, v, failed, error, noise, clip, outside))
            outside += not isinstance(t, Trial)
        numbers = [r.number for r in records]
        if len(set(numbers)) < len(numbers):
            twice = next(k for k in numbers if numbers.count(k) > 1)
            raise InvalidTrialError(f"trial {twice} is in the list twice: tell it once")
        self._commit(records)

    def _record(
        self,
        trial: Any,
        value: Any,
        failed: bool,
        error: str | None,
        noise: float | None,
        clip: bool,
        outside: int,
    ) -> Record:
        """Check one outcome, changing nothing."""
        if isinstance(trial, Trial):
            asked = self._check_pending(trial)
            number, params, why = asked.number, asked.params, asked.why
        elif isinstance(trial, Mapping):
            params = self.space.validate(trial, clip=clip)
            number, why = self._next + outside, {"by": "told"}
        else:
            raise InvalidTrialError(
                f"{trial!r} is not a trial: tell a Trial from ask(), or a dict of parameters"
            )
        if failed or error is not None:
            if value is not None:
                raise InvalidValueError(
                    f"trial {number} is told failed and has the value {value!r}: "
                    "leave one of them out"
                )
            return Record(number, params, "failed", error=error, why=why)
        checked = check_value(value, f"trial {number}")
        sd = self.noise or 0.0 if noise is None else check_noise(noise)
        return Record(number, params, "complete", checked, sd, why=why)

    def _check_pending(self, trial: Trial) -> Trial:
        pending = self._history.pending.get(trial.number)
        if pending is not None and pending.params == trial.params:
            return pending
        before = next((r for r in self._history.told if r.number == trial.number), None)
        if before is not None and before.params == trial.params:
            said = "failed" if before.value is None else f"the value {before.value!r}"
            raise InvalidTrialError(
                f"trial {trial.number} was told already ({said}): it is kept as it was"
            )
        raise InvalidTrialError(
            f"trial {trial.number} was not asked of this optimizer: "
            "tell its parameters as a dict instead"
        )

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

    @property
    def space(self) -> Space:
        """The space as it is now."""
        return self._frame.space

    def allows(self, given: Mapping[str, Any]) -> bool:
        """Tell whether some open arm has these parameters, as ``propose`` takes them."""
        return bool(Given.of(self._frame, self._open, given).arms.any())

    def evaluated_all(self) -> bool:
        """Tell whether every point of every open arm has been evaluated or is out."""
        size = [np.prod(self.space.groups[g].cells) for g in self._frame.group[self._open]]
        taken = self._history.taken()
        if sum(size) > len(taken.arm):
            return False
        points = np.column_stack([taken.arm, taken.point])[self._open[taken.arm]]
        return bool(len(np.unique(points, axis=0)) >= sum(size))

    def is_finite(self, arm: Arm) -> bool:
        """Tell whether an arm has finitely many points."""
        return bool(self._frame.finite[arm.group])

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
        retired = [c for c in self._retired if self._matching(c, space).any()]
        self._open_arms(retired, space)
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
        self._retire([c for c in self._retired if self._matching(c, space).any()])

    def _retire(self, retired: list[dict[str, Any]]) -> None:
        self._open, self._retired = self._open_arms(retired, self.space), retired

    def _open_arms(self, retired: list[dict[str, Any]], space: Space) -> NDArray[np.bool_]:
        is_open = np.ones(len(space.arms), dtype=bool)
        for choices in retired:
            match = self._matching(choices, space)
            if not match.any():
                raise InvalidValueError(
                    f"{choices} names no arm: use choices of {space.arms[0]}, ..."
                )
            is_open &= ~match
        if not is_open.any():
            raise InvalidValueError(f"{retired[-1]} would retire the last arm: leave at least one")
        return is_open

    def _matching(self, choices: Mapping[str, Any], space: Space) -> NDArray[np.bool_]:
        def is_match(arm: Arm) -> bool:
            return all(
                k in arm.choices and key(arm.choices[k]) == key(v) for k, v in choices.items()
            )

        return np.array([is_match(arm) for arm in space.arms])

    # --- state --------------------------------------------------------------------------------

    @single_thread()
    def _belief(self) -> Belief:
        if self._known is None:
            self._known = self._model.believe(self._history.observations())
        return self._known

    @single_thread()
    def _feasibility(self) -> Feasibility | None:
        """What failures and violated constraints teach, if there were any."""
        failures = self._history.feasibility(self._belief().layout)
        if failures is None or self._limit is None:
            return failures
        return Constrained.of(failures, self._limit)

    def _violations(self) -> Posterior | None:
        data = self._history.limits()
        return self._limits.believe(data).posterior() if (data.value < 0.0).any() else None

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
