"""Rows that pandas and polars take as they are, and that print as a table."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from banditbo.bandit import Outlook
from banditbo.optimizer.history import History
from banditbo.space import Arm

__all__ = ["Best", "Rows", "arm_rows", "history_rows"]


@dataclass(frozen=True, slots=True)
class Best:
    """A trial that stands out: ``value`` as told, ``mean`` as the model believes it."""

    number: int
    arm: Arm
    params: dict[str, Any]
    value: float
    mean: float


class Rows(list[dict[str, Any]]):
    """A list of dicts that prints as a table.

    >>> print(Rows([{"arm": "a", "pulls": 2}, {"arm": "bb", "pulls": 10}]))
    arm  pulls
    a        2
    bb      10
    """

    def __str__(self) -> str:
        columns = list(dict.fromkeys(name for row in self for name in row))
        table = [[_cell(row.get(c)) for c in columns] for row in self]
        widths = [max(len(c), *(len(r[i]) for r in table)) for i, c in enumerate(columns)]
        numeric = [all(not isinstance(row.get(c), str) for row in self) for c in columns]
        lines = [
            "  ".join(
                t.rjust(w) if n else t.ljust(w)
                for t, w, n in zip(line, widths, numeric, strict=True)
            )
            for line in [columns, *table]
        ]
        return "\n".join(line.rstrip() for line in lines)


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def arm_rows(history: History, open_arms: Any, view: Outlook) -> Rows:
    """One row an arm, the likeliest best first."""
    sign, space = history.sign, history.frame.space
    best: dict[int, float] = {}
    failed = np.zeros(len(space.arms), dtype=int)
    pulls = history.pulls(open_arms)
    data = history.observations()
    for arm, value in zip(data.arm, data.value, strict=True):
        best[int(arm)] = max(best.get(int(arm), -np.inf), float(value))
    told = np.bincount(data.arm, minlength=len(space.arms))
    failed = pulls.count - told
    low, high = (view.low, view.high) if sign > 0 else (-view.high, -view.low)
    rows: list[dict[str, Any]] = [
        {
            "arm": str(arm),
            "pulls": int(pulls.count[i]),
            "failed": int(failed[i]),
            "pending": int(pulls.pulls[i] - pulls.count[i]),
            "best": sign * best[i] if i in best else None,
            "optimum": float(sign * view.mean[i]),
            "low": float(low[i]),
            "high": float(high[i]),
            "probability": float(view.probability[i]),
            "retired": bool(not open_arms[i]),
        }
        for i, arm in enumerate(space.arms)
    ]
    return Rows(sorted(rows, key=lambda r: (-r["probability"], -sign * r["optimum"])))


def history_rows(history: History) -> Rows:
    """One row a trial, parameters prefixed with ``params_``."""
    return Rows(
        {
            "number": r.number,
            "status": r.status,
            "value": r.value,
            "noise": r.noise,
            "error": r.error,
            **{f"params_{name}": value for name, value in r.params.items()},
        }
        for r in history
    )
