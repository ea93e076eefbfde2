"""What a sampler knows of a study: a cache, computed from the finished trials alone.

It may be lost at any time, and two processes with the same trials and seed have the same one.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from optuna.study import StudyDirection
from optuna.trial import FrozenTrial, TrialState

from banditbo.optimizer import Optimizer, Record
from banditbo.optuna.explain import NOTE
from banditbo.optuna.grow import grow
from banditbo.optuna.sightings import Sightings
from banditbo.optuna.slots import PATTERN
from banditbo.optuna.tree import Tree
from banditbo.space import Space

__all__ = ["Known", "Memory", "Pruned", "worst_constraint"]

Pruned = Literal["ignore", "last"]

#: A set of loose names is not planned any more when it did not come about so many times.
VAIN = 3

#: So many studies are remembered by one sampler.
STUDIES = 8


@dataclass(frozen=True, slots=True)
class Known:
    """What is known at a moment: never changed afterwards.

    tree and optimizer are None while nothing is known that could be chosen.
    """

    finished: int
    tree: Tree | None
    optimizer: Optimizer | None


@dataclass(slots=True)
class _Study:
    """The working state for one study."""

    marks: dict[int, Hashable] = field(default_factory=dict)
    trials: dict[int, FrozenTrial] = field(default_factory=dict)
    records: dict[int, Record] = field(default_factory=dict)
    sightings: Sightings = field(default_factory=Sightings)
    known: Known = field(default_factory=lambda: Known(0, None, None))


class Memory:
    """Keeps what is known of the last few studies; safe to use from several threads."""

    def __init__(
        self, make: Callable[[Space, str], Optimizer], space: Tree | None, pruned: Pruned
    ) -> None:
        self._make, self._given, self._pruned = make, space, pruned
        self._studies: OrderedDict[Hashable, _Study] = OrderedDict()
        self._lock = threading.Lock()

    def know(
        self, name: Hashable, direction: StudyDirection, trials: Sequence[FrozenTrial]
    ) -> Known:
        """Return what the finished ones among a study's trials teach."""
        used = {TrialState.COMPLETE, TrialState.FAIL}
        if self._pruned == "last":
            used.add(TrialState.PRUNED)
        finished = {t.number: t for t in trials if t.state in used}
        maximize = direction == StudyDirection.MAXIMIZE
        with self._lock:
            study = self._studies.setdefault((name, maximize), _Study())
            self._studies.move_to_end((name, maximize))
            if len(self._studies) > STUDIES:
                self._studies.popitem(last=False)
            marks: dict[int, Hashable] = {
                n: (t.state, t.datetime_complete) for n, t in finished.items()
            }
            if marks == study.marks and study.known.optimizer is not None:
                return study.known
            if any(marks.get(n) != mark for n, mark in study.marks.items()):
                study = self._studies[name, maximize] = _Study()  # another study of that name
            self._learn(study, finished, "maximize" if maximize else "minimize")
            study.marks = marks
            return study.known

    def _learn(self, study: _Study, finished: dict[int, FrozenTrial], direction: str) -> None:
        news = [t for n, t in sorted(finished.items()) if n not in study.marks]
        before = study.known
        changed = before.tree is None or bool(before.tree.loose)
        for trial in news:
            study.trials[trial.number] = trial
            whole = trial.state is not TrialState.FAIL
            changed |= study.sightings.add(trial.number, trial.params, trial.distributions, whole)
        tree = self._given or (grow(study.sightings) if changed else before.tree)
        if tree is None:
            study.known = Known(len(finished), None, None)
            return
        optimizer = before.optimizer
        if optimizer is None or before.tree is None or before.tree.space != tree.space:
            optimizer = self._make(tree.space, direction)
            study.records = {}
        elif before.tree.root == tree.root:
            tree = before.tree
        for number in sorted(study.trials.keys() - study.records.keys()):
            study.records[number] = _record(study.trials[number], tree, optimizer.noise or 0.0)
        ordered = [study.records[n] for n in sorted(study.records)]
        optimizer = optimizer.with_history(ordered)
        if tree.loose:
            _close(optimizer, tree, study)
        study.known = Known(len(finished), tree, optimizer)


def _close(optimizer: Optimizer, tree: Tree, study: _Study) -> None:
    """Retire sets of parameters that were planned in vain: the objective asked for others.

    What nothing explains may have changed for good, or depend on the point: a set that did not
    come about the last few times it was planned is left to come about by itself.
    """
    open_titles = set(tree.titles)
    for title in tree.titles:
        planned = [
            study.records[n].params.get(PATTERN) == title
            for n, trial in sorted(study.trials.items())
            if trial.system_attrs.get(NOTE, {}).get("pattern") == title
        ]
        if len(planned) >= VAIN and not any(planned[-VAIN:]) and len(open_titles) > 1:
            open_titles.discard(title)
            optimizer.retire(**{PATTERN: title})


def _record(trial: FrozenTrial, tree: Tree, noise: float) -> Record:
    """Return a finished trial in the engine's words; one without a place has no params."""
    value: float | None = None
    error: str | None = None
    if trial.state is TrialState.FAIL:
        error = "failed"
    elif trial.state is TrialState.COMPLETE:
        value = trial.value
    elif trial.intermediate_values:
        value = trial.intermediate_values[max(trial.intermediate_values)]
    violation = None if trial.state is TrialState.FAIL else worst_constraint(trial)
    if violation is not None and violation > 0.0:
        value, error = None, "a constraint is violated"
    params = tree.encode(trial.params, partial=trial.state is TrialState.FAIL) or {}
    if value is None or value != value or abs(value) == float("inf"):
        return Record(
            trial.number, params, "failed", error=error or "no finite value", violation=violation
        )
    return Record(trial.number, params, "complete", float(value), noise, violation=violation)


def worst_constraint(trial: FrozenTrial) -> float | None:
    """Return the largest of a trial's constraints, in either form that Optuna keeps them."""
    values: list[float] = []
    for name, value in trial.system_attrs.items():
        if name == "constraints" and value is not None:
            values.extend(float(v) for v in value)
        elif name.startswith("constraints:"):
            values.append(float(value))
    return max(values, default=None)
