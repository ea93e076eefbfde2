"""Dask workers on one study, each with a copy of the sampler.

pip install "optuna-integration[dask]" distributed banditbo
python examples/optuna_dask.py
"""

from __future__ import annotations

import warnings

import optuna
from dask.distributed import Client, LocalCluster, wait
from optuna_integration import DaskStorage

from banditbo import BanditSampler


def objective(trial: optuna.Trial) -> float:
    """Choose a model, then its parameter."""
    if trial.suggest_categorical("model", ["svm", "forest"]) == "svm":
        return abs(trial.suggest_float("C", 1e-2, 1e2, log=True) - 1.0)
    return 0.3 + abs(trial.suggest_int("n", 10, 50) - 30) / 100


def main(n_workers: int = 4, n_trials: int = 40) -> optuna.Study:
    """Run the study on a local cluster; return a copy of it in memory."""
    with (
        LocalCluster(n_workers=n_workers, threads_per_worker=1, dashboard_address=None) as cluster,
        Client(cluster) as client,
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
            storage = DaskStorage(client=client)
        study = optuna.create_study(storage=storage, sampler=BanditSampler(seed=0))
        each = n_trials // n_workers
        futures = [
            client.submit(study.optimize, objective, n_trials=each, pure=False)
            for _ in range(n_workers)
        ]
        wait(futures)
        for future in futures:
            future.result()
        print(study.best_params, study.best_value)
        found = optuna.create_study()
        found.add_trials(study.trials)
    return found


if __name__ == "__main__":
    main()
