"""Which model for this table? Five models with parameters of their own, 40 evaluations.

    make demo

Shows every evaluation as it comes, then the best point, the table of arms, why the last trial was
proposed, and writes a figure to build/demo.png.
"""

from __future__ import annotations

import time
import warnings
from pathlib import Path

import matplotlib as mpl
import numpy as np
from sklearn.datasets import load_digits
from sklearn.ensemble import ExtraTreesClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from banditbo import Choice, Float, Int, Optimizer, Space

mpl.use("Agg")
import matplotlib.pyplot as plt

SPACE = Space(
    {
        "model": Choice(
            {
                "svm": {
                    "C": Float(2**-5, 2**15, log=True),
                    "gamma": Float(2**-15, 2**3, log=True),
                },
                "trees": {"n_estimators": Int(10, 60), "max_features": Float(0.02, 1.0)},
                "neighbours": {"n_neighbors": Int(1, 40, log=True), "p": Float(1.0, 4.0)},
                "logistic": {"C": Float(1e-4, 1e3, log=True)},
                "tree": {"max_depth": Int(1, 15), "min_samples_leaf": Int(1, 30, log=True)},
            }
        )
    }
)
TRIALS = 40
X, Y = (part[:600] for part in load_digits(return_X_y=True))


def accuracy(model: str, **params: float) -> float:
    """Return the 3-fold accuracy of a model on 600 of the bundled digits."""
    estimator = {
        "svm": lambda: make_pipeline(StandardScaler(), SVC(**params)),
        "trees": lambda: ExtraTreesClassifier(random_state=0, **params),
        "neighbours": lambda: KNeighborsClassifier(**params),
        "logistic": lambda: make_pipeline(
            StandardScaler(), LogisticRegression(max_iter=200, **params)
        ),
        "tree": lambda: DecisionTreeClassifier(random_state=0, **params),
    }[model]()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return float(cross_val_score(estimator, X, Y, cv=3).mean())


def show(values: np.ndarray, arms: list[str], rows: list[dict[str, object]], path: Path) -> None:
    """Draw what was tried when, the best so far, and what is believed of every arm."""
    names = list(dict.fromkeys(str(row["arm"]) for row in rows))
    colours = dict(zip(names, plt.get_cmap("tab10").colors, strict=False))
    figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.2), width_ratios=(3, 2))
    for name in names:
        at = [i for i, arm in enumerate(arms) if arm == name]
        left.scatter(at, values[at], s=28, color=colours[name])
    left.step(range(len(values)), np.maximum.accumulate(values), "k-", lw=1, where="post")
    left.set(xlabel="trial", ylabel="accuracy", title="What was tried, and the best so far")
    for y, row in enumerate(reversed(rows)):
        colour = colours[str(row["arm"])]
        right.plot([row["low"], row["high"]], [y, y], color=colour, lw=6, alpha=0.45)
        right.plot(row["optimum"], y, "o", color=colour)
    labels = [f"{row['arm']}\nbest: {row['probability']:.0%}" for row in reversed(rows)]
    right.set_yticks(range(len(rows)), labels, fontsize=9)
    for tick, row in zip(right.get_yticklabels(), reversed(rows), strict=True):
        tick.set_color(colours[str(row["arm"])])
    right.set(xlabel="accuracy at the arm's optimum", title="What is believed of every arm")
    right.margins(y=0.12)
    figure.tight_layout()
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=130)


def main() -> None:
    """Run the demo."""
    print(SPACE, "\n")
    opt = Optimizer(SPACE, direction="maximize", seed=1)
    thinking = 0.0
    for _ in range(TRIALS):
        began = time.perf_counter()
        (trial,) = opt.ask()
        thinking += time.perf_counter() - began
        value = accuracy(**trial.params)
        record = opt.best_so_far
        opt.tell(trial, value)
        mark = " <- best so far" if record is None or value > record.value else ""
        params = ", ".join(
            f"{k}={v:.4g}" if isinstance(v, float) else f"{k}={v}" for k, v in trial.params.items()
        )
        print(f"{trial.number:3d}  {value:.4f}  {params}{mark}", flush=True)
    print(f"\nbest: {opt.best.params}\n      measured {opt.best.value:.4f}, {TRIALS} evaluations,")
    print(f"      {1000 * thinking / TRIALS:.0f} ms of thought each\n")
    print(opt.arms, "\n")
    print(opt.explain(TRIALS - 1))
    rows = opt.history
    values = np.array([row["value"] for row in rows])
    path = Path("build/demo.png")
    show(values, [f"model={row['params_model']}" for row in rows], list(opt.arms), path)
    print(f"\nfigure: {path}")


if __name__ == "__main__":
    main()
