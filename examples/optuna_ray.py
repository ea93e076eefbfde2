"""Ray Tune with the sampler, over a define-by-run space.

pip install "ray[tune]" banditbo optuna
python examples/optuna_ray.py
"""

from __future__ import annotations

import optuna
import ray
from ray import tune
from ray.tune.search import ConcurrencyLimiter
from ray.tune.search.optuna import OptunaSearch

from banditbo import BanditSampler


def space(trial: optuna.Trial) -> None:
    """Ask for a model, then for its parameter."""
    if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
        trial.suggest_float("C", 1e-2, 1e2, log=True)
    else:
        trial.suggest_int("n", 10, 50)


def train(config: dict) -> dict:
    """Stand in for a training that takes long."""
    if config["model"] == "svm":
        return {"loss": abs(config["C"] - 1.0)}
    return {"loss": 0.3 + abs(config["n"] - 30) / 100}


def main(n_trials: int = 24) -> None:
    """Run two trials at a time."""
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    search = OptunaSearch(space=space, sampler=BanditSampler(seed=0), metric="loss", mode="min")
    tuner = tune.Tuner(
        train,
        tune_config=tune.TuneConfig(
            search_alg=ConcurrencyLimiter(search, max_concurrent=2), num_samples=n_trials
        ),
    )
    results = tuner.fit()
    best = results.get_best_result("loss", "min")
    errors = len(results.errors)
    ray.shutdown()
    print(f"{len(results)} trials, {errors} errors, best {best.config}: {best.metrics['loss']}")


if __name__ == "__main__":
    main()
