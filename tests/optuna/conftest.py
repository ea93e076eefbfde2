import logging
from collections.abc import Iterator

import numpy as np
import optuna
import pytest


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    before = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    yield
    optuna.logging.set_verbosity(before)


@pytest.fixture
def said(caplog: pytest.LogCaptureFixture) -> Iterator[pytest.LogCaptureFixture]:
    """What the sampler says at INFO."""
    optuna.logging.enable_propagation()
    optuna.logging.disable_default_handler()
    optuna.logging.set_verbosity(optuna.logging.INFO)
    caplog.set_level(logging.INFO, logger="optuna.banditbo.optuna.sampler")
    yield caplog
    optuna.logging.disable_propagation()
    optuna.logging.enable_default_handler()


def tree_objective(trial: optuna.Trial) -> float:
    """Two models, one with a kernel of its own; the optimum is 0, in svm with kernel rbf."""
    if trial.suggest_categorical("model", ["svm", "forest", "mean"]) == "svm":
        c = trial.suggest_float("C", 1e-2, 1e2, log=True)
        value = np.log10(c) ** 2 / 4
        if trial.suggest_categorical("kernel", ["linear", "rbf"]) == "rbf":
            return float(value + (trial.suggest_float("gamma", 0, 1) - 0.3) ** 2)
        return float(value + 0.2)
    if trial.params["model"] == "forest":
        return 0.3 + abs(trial.suggest_int("n", 10, 50) - 30) / 100
    return 0.5


@pytest.fixture
def objective():  # type: ignore[no-untyped-def]
    return tree_objective
