"""Why a trial has its parameters: one small note a trial, put into words when asked."""

from __future__ import annotations

from typing import Any

from optuna.study import StudyDirection
from optuna.trial import FrozenTrial

from banditbo.optimizer import Record, Trial
from banditbo.optimizer.explain import explain as in_words

__all__ = ["NOTE", "explain", "note"]

#: The name of the system attribute of a trial.
NOTE = "banditbo"


def note(proposal: Trial, arm: str, pattern: str | None = None) -> dict[str, Any]:
    """Return what is noted of a proposal: plain data of some 300 bytes."""
    why = {k: _rounded(v) for k, v in proposal.why.items()}
    return {**why, "arm": arm, **({} if pattern is None else {"pattern": pattern})}


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return float(f"{value:.6g}")
    return [_rounded(v) for v in value] if isinstance(value, list | tuple) else value


def explain(trial: FrozenTrial, direction: StudyDirection) -> str:
    """Put a trial's note into words."""
    why = trial.system_attrs.get(NOTE)
    fixed = trial.system_attrs.get("fixed_params", {})
    lines = []
    if why is None:
        head = in_words(Record(trial.number, trial.params, "complete", why={}), "maximize")
        lines.append(head.splitlines()[0])
        lines.append("  was not proposed by BanditSampler: enqueued, added, or another sampler's.")
    else:
        record = Record(trial.number, trial.params, "complete", why=why)
        lines.append(in_words(record, direction.name.lower()))
        if "arm" in why:
            lines.append(f"  Planned arm: {why['arm']}.")
    if fixed:
        lines.append(f"  Fixed beforehand: {', '.join(f'{k}={v}' for k, v in fixed.items())}.")
    return "\n".join(lines)
