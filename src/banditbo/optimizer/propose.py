"""Algorithm 1 of the paper: ``propose``. What trial comes next, given the history and a number.

Nothing here is remembered but the trials that are out: what is believed is a cache of what the
history says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from banditbo.bandit import (
    Frame,
    Policy,
    best_points,
    candidates,
    every_point,
    find_peaks,
    how_many,
    kronecker,
    start_arm,
    stream,
)
from banditbo.errors import InvalidValueError, SpaceExhaustedError
from banditbo.model import (
    Belief,
    Constrained,
    Feasibility,
    Model,
    ModelSetting,
    Posterior,
    single_thread,
)
from banditbo.optimizer.checks import check_number
from banditbo.optimizer.explain import reasons
from banditbo.optimizer.given import Given
from banditbo.optimizer.history import History, Trial
from banditbo.space import Arm, Space

__all__ = ["START", "Proposer"]

Array = NDArray[np.float64]

#: Trials of the automatic start, all arms together.
START = 5


class Proposer:
    """Proposes trials: the half of an ``Optimizer`` that asks."""

    seed: int
    n_init: int | Literal["auto"]
    model: str | ModelSetting
    _policy: Policy
    _frame: Frame
    _history: History
    _open: NDArray[np.bool_]
    _model: Model
    _limits: Model
    _known: Belief | None
    _limit: Posterior | None
    _next: int

    @property
    def space(self) -> Space:
        """The space as it is now."""
        return self._frame.space

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
        many = how_many(frame, len(belief.data))
        points = fixed.put(candidates(frame, anchors, rng, many))
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

    # --- what is believed ---------------------------------------------------------------------

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
