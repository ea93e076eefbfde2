"""One worker of a study in a storage: ``python worker.py STORAGE TRIALS [VICTIM_FILE]``.

With a third argument the worker hangs in its second trial, after writing that file: to be killed.
"""

import logging
import sys
import time
import warnings
from pathlib import Path

import optuna
from optuna.study import MaxTrialsCallback
from optuna.trial import TrialState

from banditbo.optuna import BanditSampler


def open_storage(address: str) -> optuna.storages.BaseStorage:
    kind, _, rest = address.partition("://")
    if kind == "journal":
        backend = optuna.storages.journal.JournalFileBackend(rest)
        return optuna.storages.JournalStorage(backend)
    if kind == "grpc":
        host, _, port = rest.partition(":")
        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        return optuna.storages.GrpcStorageProxy(host=host, port=int(port))
    wait = {"connect_args": {"timeout": 120}} if kind == "sqlite" else {}
    return optuna.storages.RDBStorage(address, engine_kwargs=wait)


def objective(trial: optuna.Trial) -> float:
    name = trial.suggest_categorical("model", ["a", "b", "c"])
    x = trial.suggest_float(f"{name}_x", 0, 1)
    value = (x - 0.3) ** 2 + {"a": 0.0, "b": 0.1, "c": 0.2}[name]
    if name == "a":
        value += (trial.suggest_float("a_y", 1e-3, 1, log=True) - 0.1) ** 2
    time.sleep(0.02)
    return float(value)


def main(address: str, trials: int, victim: Path | None) -> None:
    optuna.logging.set_verbosity(logging.WARNING)

    def hangs(trial: optuna.Trial) -> float:
        value = objective(trial)
        if victim is not None and trial.number >= 10:
            victim.write_text(str(trial.number))
            time.sleep(600)
        return value

    study = optuna.load_study(
        study_name="s", storage=open_storage(address), sampler=BanditSampler()
    )
    study.optimize(hangs, callbacks=[MaxTrialsCallback(trials, states=(TrialState.COMPLETE,))])


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]) if len(sys.argv) > 3 else None)
