"""Conditional problems with real model evaluations: which model, and its own parameters.

An evaluation is a deterministic cross-validation on a small bundled or generated dataset, cached
by exact parameters. A setting that is ill (a fit that fails, a loss that is not finite) counts as
the task's worst loss: a poor finite value, never an exception. Where it says ``logarithm``, the
value is the negative logarithm of the loss; without it nearly any setting of the good models has
almost all of the gain, and every method the same.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import sklearn
from scipy.ndimage import gaussian_filter
from sklearn import datasets, metrics
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler
from threadpoolctl import threadpool_limits

from benchmarks import models
from benchmarks.cache import cached
from benchmarks.spaces import Params, PlainSpace, canonical

SMALLEST = 0.002  # added before a logarithm: half a sample of some 250
Data = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Task:
    """A dataset, a space of estimators on it, and how they are judged."""

    space: PlainSpace
    data: Callable[[], Data]
    build: Callable[[Params], Any]
    loss: str  # "log-loss", "error", "rmse" or "unexplained" (one less R2): mean over the folds
    worst: float  # losses above count as this much, and so do settings that fail
    logarithm: bool = False  # each halving of the loss counts alike
    folds: int = 3
    version: int = 1  # raise it when anything that changes values does: it is part of the key

    def value(self, loss: float) -> float:
        """Return what is maximised, for a mean loss."""
        loss = min(loss, self.worst) if math.isfinite(loss) else self.worst
        return -math.log(loss + SMALLEST) if self.logarithm else -loss

    @property
    def bound(self) -> float:
        """Return what no value exceeds."""
        return self.value(0.0)


def _digits() -> Data:
    X, y = datasets.load_digits(return_X_y=True)
    rows = np.random.default_rng(0).permutation(len(X))[:300]
    return X[rows], y[rows]


def _noisy() -> Data:
    return datasets.make_classification(
        n_samples=400, n_features=12, n_informative=6, n_redundant=2, n_clusters_per_class=6,
        class_sep=1.3, flip_y=0.02, random_state=1,
    )  # fmt: skip


def _three_classes() -> Data:
    return datasets.make_classification(
        n_samples=300, n_features=15, n_informative=6, n_redundant=3, n_classes=3,
        n_clusters_per_class=4, class_sep=1.5, flip_y=0.01, random_state=2,
    )  # fmt: skip


def _standard(data: Data) -> Data:
    X, y = data
    return X, (y - y.mean()) / y.std()


def _friedman() -> Data:
    return _standard(
        datasets.make_friedman1(n_samples=200, n_features=8, noise=0.2, random_state=0)
    )


def _impedance() -> Data:
    return _standard(datasets.make_friedman2(n_samples=200, noise=1.0, random_state=0))


def _roll() -> Data:
    return _standard(datasets.make_swiss_roll(n_samples=200, noise=0.02, random_state=0))


def _model(table: dict[str, models.Model]) -> Callable[[Params], Any]:
    return lambda params: make_pipeline(StandardScaler(), table[params["model"]][1](params))


def _scaled(table: dict[str, models.Model]) -> Callable[[Params], Any]:
    return lambda params: make_pipeline(
        models.SCALERS[params["scaler"]](), table[params["model"]][1](params)
    )


def _pipeline(params: Params) -> Any:
    return make_pipeline(
        StandardScaler(),
        models.FEATURES[params["features"]][1](params),
        models.CLASSIFIERS[params["model"]][1](params),
    )


def _image(params: Params) -> Any:
    """Return a classifier of 8 x 8 images, blurred and with their contrast changed first."""

    def prepare(X: np.ndarray) -> np.ndarray:
        blurred = gaussian_filter(X.reshape(-1, 8, 8), (0.0, params["blur"], params["blur"]))
        return ((blurred / 16.0) ** params["contrast"]).reshape(len(X), -1)

    model = models.CLASSIFIERS[params["model"]][1](params)
    return make_pipeline(FunctionTransformer(prepare), StandardScaler(), model)


TASKS: dict[str, Task] = {
    "digits": Task(
        {"model": models.choice(models.CLASSIFIERS, "svm nystroem lda knn extra mlp"),
         "blur": models.real(0, 2), "contrast": models.real(0.1, 4, log=True)},
        _digits, _image, "error", 1.0, logarithm=True,
    ),
    "cancer": Task(
        {"model": models.choice(
            models.CLASSIFIERS, "svm sgd nystroem qda knn extra boosting mlp"
        )},
        lambda: datasets.load_breast_cancer(return_X_y=True),
        _model(models.CLASSIFIERS), "error", 1.0, logarithm=True,
    ),
    "wine": Task(
        {"model": models.choice(models.CLASSIFIERS, "sgd nystroem bayes knn tree extra mlp"),
         "scaler": {"categorical": list(models.SCALERS)}},
        lambda: datasets.load_wine(return_X_y=True),
        _scaled(models.CLASSIFIERS), "log-loss", 2.0, logarithm=True, folds=5,
    ),
    "noisy": Task(
        {"model": models.choice(models.CLASSIFIERS, "svm ridge lda qda knn tree extra boosting")},
        _noisy, _model(models.CLASSIFIERS), "error", 1.0, folds=5,
    ),
    "pipeline": Task(
        {"features": models.choice(models.FEATURES, "all pca select kernel"),
         "model": models.choice(models.CLASSIFIERS, "logistic lda qda bayes knn tree svm")},
        _three_classes, _pipeline, "error", 1.0,
    ),
    "friedman": Task(
        {"model": models.choice(
            models.REGRESSORS, "elastic pls svr kernel knn tree extra mlp"
        )},
        _friedman, _model(models.REGRESSORS), "rmse", 2.0, logarithm=True,
    ),
    "impedance": Task(
        {"model": models.choice(
            models.REGRESSORS, "lasso svr gp knn extra boosting mlp"
        ), "scaler": {"categorical": ["standard", "quantile"]}},
        _impedance, _scaled(models.REGRESSORS), "rmse", 2.0, logarithm=True,
    ),
    "roll": Task(
        {"model": models.choice(
            models.REGRESSORS, "poly svr kernel knn tree extra boosting mlp"
        )},
        _roll, _model(models.REGRESSORS), "rmse", 2.0, logarithm=True,
    ),
}  # fmt: skip


@lru_cache(maxsize=16)
def _folded(name: str) -> tuple[Data, list[tuple[np.ndarray, np.ndarray]]]:
    task = TASKS[name]
    X, y = task.data()
    kind = StratifiedKFold if task.loss in ("log-loss", "error") else KFold
    return (X, y), list(kind(task.folds, shuffle=True, random_state=0).split(X, y))


def _loss(kind: str, model: Any, X: np.ndarray, y: np.ndarray) -> float:
    if kind == "log-loss":
        return float(metrics.log_loss(y, model.predict_proba(X), labels=model.classes_))
    if kind == "error":
        return float(metrics.zero_one_loss(y, model.predict(X)))
    if kind == "rmse":
        return float(metrics.root_mean_squared_error(y, model.predict(X)))
    return 1.0 - float(metrics.r2_score(y, model.predict(X)))


def compute(name: str, params: Params) -> float:
    """Return the cross-validated value of a setting, never from the cache."""
    task = TASKS[name]
    (X, y), folds = _folded(name)
    losses = []
    with warnings.catch_warnings(), np.errstate(all="ignore"), threadpool_limits(1):
        warnings.simplefilter("ignore")
        try:
            for train, test in folds:
                model = task.build(params).fit(X[train], y[train])
                losses.append(_loss(task.loss, model, X[test], y[test]))
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return task.value(math.inf)
    return task.value(float(np.mean(losses)))


def evaluate(name: str, params: Params) -> float:
    """Return the same value, from the cache where it is known."""
    key = f"{name}/{TASKS[name].version}/sklearn {sklearn.__version__}/{canonical(params)}"
    return cached(key, lambda: compute(name, params))
