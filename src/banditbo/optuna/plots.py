"""What the arms did, in Optuna's manner: three figures, with plotly or with matplotlib.

``allocation`` shows which arm each trial played, ``probability`` how the belief in the best arm
came about, ``optima`` what is believed of each arm's optimum now. Each takes a study with a
``BanditSampler``, or one begun with another sampler.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from optuna.study import Study

from banditbo.errors import InvalidValueError
from banditbo.optimizer import Optimizer
from banditbo.optuna.sampler import BanditSampler

__all__ = ["allocation", "optima", "probability"]

Backend = Literal["plotly", "matplotlib"]

#: So many arms have a row or a line of their own; the others are shown together.
SHOWN = 20

#: Beliefs are computed at so many lengths of the history at most.
LOOKS = 25

#: Okabe and Ito's colours, which those see who see colours differently.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
DASHES = ("solid", "dash", "dot")


@dataclass(frozen=True, slots=True)
class _Arms:
    """The arms that are shown, the likeliest best first, and where every arm is among them."""

    labels: list[str]
    place: dict[str, int]


def allocation(
    study: Study, *, backend: Backend = "plotly", sampler: BanditSampler | None = None
) -> Any:
    """Plot which arm each trial played, and the value it had.

    Returns a plotly ``Figure`` or a matplotlib ``Axes``.
    """
    is_plotly = _is_plotly(backend)
    optimizer = _optimizer(study, sampler)
    arms = _shown(optimizer)
    points = [
        (r.number, arms.place[str(optimizer.space.arm_of(r.params))], r.value)
        for r in optimizer.trials
        if r.params
    ]
    x, y = [p[0] for p in points], [p[1] for p in points]
    failed = [p[2] is None for p in points]
    values = [np.nan if p[2] is None else p[2] for p in points]
    if is_plotly:
        go = _plotly()
        figure = go.Figure(layout=_layout("Arm of each trial", "Trial", "", len(arms.labels)))
        colours = {"color": values, "colorscale": "Viridis", "colorbar": {"title": "Value"}}
        for name, keep, marker in (
            ("complete", False, {**colours, "size": 9}),
            ("failed", True, {"symbol": "x", "color": "#666666", "size": 8}),
        ):
            at = [i for i, f in enumerate(failed) if f is keep]
            if "colorscale" in marker:
                marker["color"] = [values[i] for i in at]
            figure.add_scatter(
                x=[x[i] for i in at],
                y=[y[i] for i in at],
                mode="markers",
                marker=marker,
                name=name,
                showlegend=False,
            )
        _name_rows(figure, arms.labels)
        return figure
    axes = _axes(max(2.0, 0.32 * len(arms.labels) + 1.2))
    ok = np.array([not f for f in failed], dtype=bool)
    xs, ys = np.array(x), np.array(y)
    drawn = axes.scatter(xs[ok], ys[ok], c=np.array(values)[ok], cmap="viridis", s=22, zorder=3)
    axes.scatter(xs[~ok], ys[~ok], marker="x", color="#666666", s=22, zorder=3, label="failed")
    axes.figure.colorbar(drawn, ax=axes, label="Value")
    if (~ok).any():
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, 1.0), frameon=True)
    _rows(axes, arms.labels)
    axes.set(title="Arm of each trial", xlabel="Trial")
    return axes


def probability(
    study: Study, *, backend: Backend = "plotly", sampler: BanditSampler | None = None
) -> Any:
    """Plot the probability of being the best of each arm, over the trials.

    Returns a plotly ``Figure`` or a matplotlib ``Axes``. Cost: a fit of the model at up to 25
    lengths of the history.
    """
    is_plotly = _is_plotly(backend)
    optimizer = _optimizer(study, sampler)
    records = [r for r in optimizer.trials if r.status != "pending"]
    lengths = sorted(
        {round(v) for v in np.linspace(min(2, len(records)), len(records), LOOKS)} - {0}
    )
    beliefs = []
    for n in lengths:
        part = optimizer.with_history(records[:n])
        beliefs.append(part.outlook().probability)
    trials = [records[n - 1].number for n in lengths]
    belief = np.array(beliefs)
    order = np.argsort(-belief[-1] - 0.01 * belief.max(axis=0), kind="stable")
    kept = [int(i) for i in order if belief[:, i].max() > 0.0][:7]
    lines = [(str(optimizer.space.arms[i]), belief[:, i]) for i in kept]
    rest = 1.0 - belief[:, kept].sum(axis=1)
    if rest.max() > 1e-9:
        others = len(optimizer.space.arms) - len(kept)
        lines.append((f"{others} other arms" if others > 1 else "the other arm", rest))
    if is_plotly:
        go = _plotly()
        figure = go.Figure(
            layout=_layout("Probability that an arm is the best", "Trial", "Probability", 8)
        )
        for i, (name, line) in enumerate(lines):
            figure.add_scatter(
                x=trials, y=line, name=name, line={"color": _colour(i), "dash": _dash(i)}
            )
        figure.update_yaxes(range=[-0.03, 1.03])
        return figure
    axes = _axes(4.0)
    for i, (name, line) in enumerate(lines):
        style = {"solid": "-", "dash": "--", "dot": ":"}[_dash(i)]
        axes.plot(trials, line, style, color=_colour(i), label=name)
    axes.set(
        title="Probability that an arm is the best",
        xlabel="Trial",
        ylabel="Probability",
        ylim=(-0.03, 1.03),
    )
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=8)
    return axes


def optima(
    study: Study, *, backend: Backend = "plotly", sampler: BanditSampler | None = None
) -> Any:
    """Plot what is believed of each arm's optimum: mean, 90% interval, and the best value seen.

    Returns a plotly ``Figure`` or a matplotlib ``Axes``.
    """
    is_plotly = _is_plotly(backend)
    optimizer = _optimizer(study, sampler)
    rows = list(optimizer.arms)[:SHOWN]
    labels = [_label(r["arm"], len(optimizer.arms), i) for i, r in enumerate(rows)]
    mean = np.array([r["optimum"] for r in rows])
    low, high = np.array([r["low"] for r in rows]), np.array([r["high"] for r in rows])
    best = [(r["best"], i) for i, r in enumerate(rows) if r["best"] is not None]
    title = "Optimum of each arm, as the model believes it"
    if is_plotly:
        go = _plotly()
        figure = go.Figure(layout=_layout(title, "Value", "", len(rows)))
        figure.add_scatter(
            x=mean,
            y=list(range(len(rows))),
            mode="markers",
            marker={"color": COLOURS[0], "size": 9},
            name="mean and 90%",
            error_x={
                "type": "data",
                "symmetric": False,
                "array": high - mean,
                "arrayminus": mean - low,
                "color": COLOURS[0],
            },
        )
        figure.add_scatter(
            x=[b for b, _ in best],
            y=[i for _, i in best],
            mode="markers",
            marker={"symbol": "diamond-open", "color": COLOURS[1], "size": 10},
            name="best seen",
        )
        _name_rows(figure, labels)
        return figure
    axes = _axes(max(2.2, 0.32 * len(rows) + 1.4))
    y = np.arange(len(rows))
    spread = np.abs(np.array([mean - low, high - mean]))
    axes.errorbar(mean, y, xerr=spread, fmt="o", color=COLOURS[0], capsize=3, label="mean and 90%")
    axes.plot(
        [b for b, _ in best],
        [i for _, i in best],
        "D",
        mfc="none",
        color=COLOURS[1],
        label="best seen",
    )
    _rows(axes, labels)
    axes.set(title=title, xlabel="Value")
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), frameon=False, fontsize=8)
    return axes


def _optimizer(study: Study, sampler: BanditSampler | None) -> Optimizer:
    own = study.sampler
    if sampler is None:
        sampler = own if isinstance(own, BanditSampler) else BanditSampler(seed=0)
    optimizer = sampler.optimizer(study)
    if optimizer is None:
        raise InvalidValueError(
            f"the study {study.study_name!r} has no finished trial with parameters: run it first"
        )
    return optimizer


def _shown(optimizer: Optimizer) -> _Arms:
    names = [row["arm"] for row in optimizer.arms]
    labels = [_label(name, len(names), i) for i, name in enumerate(names[:SHOWN])]
    return _Arms(labels, {name: min(i, SHOWN - 1) for i, name in enumerate(names)})


def _label(name: str, count: int, i: int) -> str:
    if count > SHOWN and i == SHOWN - 1:
        return f"{count - SHOWN + 1} other arms"
    return name if len(name) <= 44 else f"{name[:30]}...{name[-11:]}"


def _colour(i: int) -> str:
    return COLOURS[i % len(COLOURS)]


def _dash(i: int) -> str:
    return DASHES[i % len(DASHES)]


def _is_plotly(backend: str) -> bool:
    if backend not in ("plotly", "matplotlib"):
        raise InvalidValueError(f"backend={backend!r}: use 'plotly' or 'matplotlib'")
    return backend == "plotly"


def _plotly() -> Any:
    try:
        from plotly import graph_objects
    except ImportError as error:
        raise ImportError("this plot needs plotly: pip install plotly") from error
    return graph_objects


def _layout(title: str, x: str, y: str, rows: int) -> dict[str, Any]:
    return {
        "title": title,
        "xaxis": {"title": x},
        "yaxis": {"title": y},
        "template": "plotly_white",
        "height": 180 + 28 * max(rows, 6),
    }


def _name_rows(figure: Any, labels: list[str]) -> None:
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=labels,
        range=[len(labels) - 0.4, -0.6],
        automargin=True,
    )


def _axes(height: float) -> Any:
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("this plot needs matplotlib: pip install matplotlib") from error
    figure = Figure(figsize=(8.0, height), layout="constrained")
    return figure.add_subplot()


def _rows(axes: Any, labels: list[str]) -> None:
    axes.set_yticks(range(len(labels)), labels)
    axes.set_ylim(len(labels) - 0.4, -0.6)
    axes.grid(axis="y", alpha=0.3)
