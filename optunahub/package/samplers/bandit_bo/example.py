"""Choose between two models, each with parameters of its own."""

import optuna
import optunahub


def objective(trial: optuna.Trial) -> float:
    """Choose a model, then its parameter."""
    if trial.suggest_categorical("model", ["line", "hill"]) == "line":
        return 0.5 * trial.suggest_float("a", 0, 1)
    return 1 - (trial.suggest_float("b", 0, 1) - 0.3) ** 2


if __name__ == "__main__":
    module = optunahub.load_module("samplers/bandit_bo")
    study = optuna.create_study(direction="maximize", sampler=module.BanditSampler(seed=0))
    study.optimize(objective, n_trials=20)
    print(study.best_params, study.best_value)
