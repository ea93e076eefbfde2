"""Why a trial was proposed: noted when it is, put into words when asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from banditbo.bandit import Auto, Peaks, Policy
from banditbo.model import Posterior
from banditbo.optimizer.history import Record
from banditbo.space import Arm

__all__ = ["explain", "reasons"]

#: Arms that are named beside the one that was chosen.
RUNNERS_UP = 3


def reasons(
    policy: Policy,
    posterior: Posterior,
    peaks: Peaks,
    arms: Sequence[Arm],
    chosen: int,
    point: NDArray[np.float64],
) -> dict[str, Any]:
    """Note what led to a proposal, as plain data; predictions are to be maximised."""
    mean, variance = posterior.mean_variance(np.array([chosen]), point[None])
    around = posterior.warp.inverse(mean + np.sqrt(variance) * np.array([-1.0, 0.0, 1.0]))
    order = np.argsort(-peaks.value, kind="stable")
    others = [int(c) for c in order[: RUNNERS_UP + 1] if c != chosen]
    score = np.exp(peaks.value) if isinstance(policy, Auto) else peaks.value
    return {
        "by": type(policy).__name__,
        "predicted": [float(v) for v in around],
        "score": float(score[chosen]),
        "runners_up": [
            [str(arms[c]), float(score[c])]
            for c in others[:RUNNERS_UP]
            if np.isfinite(peaks.value[c])
        ],
        "arms": int(np.isfinite(peaks.value).sum()),
        "exponent": posterior.warp.exponent,
    }


def explain(record: Record, direction: str) -> str:
    """Put what was noted into words."""
    params = ", ".join(f"{k}={_short(v)}" for k, v in record.params.items())
    head = f"trial {record.number}: {params}"
    why: Mapping[str, Any] = record.why
    by = why.get("by", "told")
    if by == "told":
        return f"{head}\n  was measured elsewhere and told."
    if by == "start":
        return (
            f"{head}\n  is part of the start: every alternative is visited in turn "
            "before a model is used."
        )
    low, mid, high = (
        why["predicted"] if direction == "maximize" else [-v for v in why["predicted"][::-1]]
    )
    name = {
        "Auto": "the expected improvement over the best posterior mean",
        "Thompson": "one function drawn from the posterior of every arm",
    }.get(by, f"the score of {by}")
    arms = f"{why['arms']} arm{'s' if why['arms'] != 1 else ''}"
    spread = f"within {_short(low)} to {_short(high)}"
    lines = [
        head,
        f"  is where {name} is highest, of {arms} ({_short(why['score'])} on the modelled scale).",
        f"  Predicted there: {_short(mid)}, {spread} (one standard deviation).",
    ]
    if why["runners_up"]:
        rest = ", ".join(f"{arm} ({_short(v)})" for arm, v in why["runners_up"])
        lines.append(f"  Next best: {rest}.")
    if why["exponent"] != 1.0:
        lines.append(
            f"  Values were bent by a power transform with exponent {_short(why['exponent'])}."
        )
    return "\n".join(lines)


def _short(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
