"""An Optuna script before and after changing one line: the same seeds, the same budget, plotted.

    python examples/optuna_one_line.py [FIGURE.png]

The objective is the tree of Jenatton et al. (2017): three binary choices, four leaves, each with
two parameters of its own; the optimum is 0.1, and it is minimised.
"""

from __future__ import annotations

import sys

import numpy as np
import optuna

from banditbo import BanditSampler

N_TRIALS, N_SEEDS, OPTIMUM = 60, 10, 0.1


def objective(trial: optuna.Trial) -> float:
    """Walk down the tree; every leaf is a parabola."""
    if trial.suggest_categorical("x1", [0, 1]) == 0:
        shared = trial.suggest_float("r8", 0, 1)
        if trial.suggest_categorical("x2", [0, 1]) == 0:
            return trial.suggest_float("x4", -1, 1) ** 2 + 0.1 + shared
        return trial.suggest_float("x5", -1, 1) ** 2 + 0.2 + shared
    shared = trial.suggest_float("r9", 0, 1)
    if trial.suggest_categorical("x3", [0, 1]) == 0:
        return trial.suggest_float("x6", -1, 1) ** 2 + 0.3 + shared
    return trial.suggest_float("x7", -1, 1) ** 2 + 0.4 + shared


def before(seed: int) -> optuna.Study:
    """Run the script as it was."""
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(objective, n_trials=N_TRIALS)
    return study


def after(seed: int) -> optuna.Study:
    """Run the script with another sampler."""
    study = optuna.create_study(sampler=BanditSampler(seed=seed))
    study.optimize(objective, n_trials=N_TRIALS)
    return study


def regrets(study: optuna.Study) -> np.ndarray:
    """Return how far the best value so far is from the optimum, after every trial."""
    values = [np.inf if t.value is None else t.value for t in study.trials]
    return np.minimum.accumulate(values) - OPTIMUM


def plot(curves: dict[str, np.ndarray], path: str) -> None:
    """Draw the distance from the optimum over the trials."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    for (name, each), colour in zip(curves.items(), ("#D55E00", "#0072B2"), strict=True):
        kept = np.maximum(each, 1e-7)
        axes.plot(range(1, N_TRIALS + 1), np.median(kept, axis=0), color=colour, label=name)
        low, high = np.quantile(kept, (0.1, 0.9), axis=0)
        axes.fill_between(range(1, N_TRIALS + 1), low, high, color=colour, alpha=0.2, lw=0)
    axes.set(
        yscale="log",
        xlabel="Trial",
        ylabel="Distance from the optimum",
        title=f"Median of {N_SEEDS} seeds, and 10% to 90%",
    )
    axes.legend(frameon=False)
    figure.savefig(path, dpi=120)


def main(path: str) -> None:
    """Run both with the same seeds."""
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    curves = {}
    for name, run in (("before: TPESampler", before), ("after: BanditSampler", after)):
        studies = [run(seed) for seed in range(N_SEEDS)]
        curves[name] = np.array([regrets(study) for study in studies])
        last = curves[name][:, -1]
        print(f"{name:22s} mean distance from the optimum after {N_TRIALS} trials: ", end="")
        print(f"{last.mean():.5f}, worst of {N_SEEDS} seeds: {last.max():.5f}")
    print()
    print(after(0).sampler.arms(studies[0]))
    print()
    print(studies[0].sampler.explain(studies[0], N_TRIALS - 1))
    plot(curves, path)
    print(f"\n{path} shows it.")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "optuna_one_line.png")
