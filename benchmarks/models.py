"""scikit-learn models with parameters of their own: the alternatives of the real problems.

Each entry is (its parameters in plain-dict form, how to build the estimator from a flat point).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sklearn import (
    discriminant_analysis,
    ensemble,
    feature_selection,
    gaussian_process,
    kernel_approximation,
    kernel_ridge,
    linear_model,
    naive_bayes,
    neighbors,
    neural_network,
    preprocessing,
    svm,
    tree,
)
from sklearn.cross_decomposition import PLSRegression
from sklearn.decomposition import PCA
from sklearn.gaussian_process import kernels
from sklearn.pipeline import make_pipeline

from benchmarks.spaces import Params, PlainSpace

Model = tuple[PlainSpace, Callable[[Params], Any]]


def real(low: float, high: float, log: bool = False) -> dict[str, Any]:
    return {"float": [low, high], "log": True} if log else {"float": [low, high]}


def whole(low: int, high: int, log: bool = False) -> dict[str, Any]:
    return {"int": [low, high], "log": True} if log else {"int": [low, high]}


_WEIGHTS = ("uniform", "distance")
_KERNELS = {
    "linear": {},
    "rbf": {"gamma": real(1e-4, 10, log=True)},
    "poly": {"gamma": real(1e-4, 10, log=True), "degree": whole(2, 4), "coef0": real(0, 2)},
    "sigmoid": {"gamma": real(1e-4, 10, log=True), "coef0": real(0, 2)},
}


def _kernel(params: Params, name: str) -> dict[str, Any]:
    own: dict[str, Any] = {
        key: params[key] for key in ("gamma", "degree", "coef0") if key in params
    }
    return {"kernel": params[name], **own}


def _covariance(params: Params) -> Any:
    if params["gp_kernel"] == "matern":
        return kernels.Matern(params["gp_length"], nu=params["gp_smoothness"])
    if params["gp_kernel"] == "rational":
        return kernels.RationalQuadratic(params["gp_length"], params["gp_mixture"])
    return kernels.RBF(params["gp_length"])


def _mlp(kind: Any, params: Params) -> Any:
    return kind(
        hidden_layer_sizes=(params["mlp_hidden"],),
        alpha=params["mlp_alpha"],
        learning_rate_init=params["mlp_rate"],
        max_iter=30,
        random_state=0,
    )


_MLP = {
    "mlp_hidden": whole(2, 48, log=True),
    "mlp_alpha": real(1e-6, 10, log=True),
    "mlp_rate": real(1e-4, 0.3, log=True),
}
_TREE = {
    "tree_depth": whole(1, 20),
    "tree_leaf": whole(1, 40, log=True),
    "tree_alpha": real(1e-5, 0.1, log=True),
}
_KNN = {"knn_neighbors": whole(1, 60, log=True), "knn_p": real(1, 4)}
_EXTRA = {
    "extra_trees": whole(5, 25),
    "extra_features": real(0.05, 1),
    "extra_leaf": whole(1, 20, log=True),
}
_BOOSTING = {
    "boosting_trees": whole(5, 40, log=True),
    "boosting_rate": real(1e-3, 1, log=True),
    "boosting_depth": whole(1, 5),
    "boosting_subsample": real(0.3, 1),
}


def _decision_tree(kind: Any, params: Params) -> Any:
    return kind(
        max_depth=params["tree_depth"],
        min_samples_leaf=params["tree_leaf"],
        ccp_alpha=params["tree_alpha"],
        random_state=0,
    )


def _trees(kind: Any, params: Params, prefix: str) -> Any:
    return kind(
        params[f"{prefix}_trees"],
        max_features=params[f"{prefix}_features"],
        min_samples_leaf=params[f"{prefix}_leaf"],
        random_state=0,
    )


def _boosting(kind: Any, params: Params) -> Any:
    return kind(
        n_estimators=params["boosting_trees"],
        learning_rate=params["boosting_rate"],
        max_depth=params["boosting_depth"],
        subsample=params["boosting_subsample"],
        random_state=0,
    )


CLASSIFIERS: dict[str, Model] = {
    "logistic": (
        {"logistic_C": real(1e-4, 1e3, log=True)},
        lambda p: linear_model.LogisticRegression(C=p["logistic_C"], max_iter=60),
    ),
    "sgd": (
        {"sgd_alpha": real(1e-7, 1, log=True), "sgd_eta0": real(1e-4, 1, log=True)},
        lambda p: linear_model.SGDClassifier(
            loss="log_loss",
            alpha=p["sgd_alpha"],
            learning_rate="invscaling",
            eta0=p["sgd_eta0"],
            max_iter=15,
            tol=None,
            random_state=0,
        ),
    ),
    "ridge": (
        {"ridge_alpha": real(1e-3, 1e4, log=True)},
        lambda p: linear_model.RidgeClassifier(alpha=p["ridge_alpha"]),
    ),
    "svm": (
        {"svm_C": real(1e-3, 1e3, log=True), "svm_kernel": {"choice": _KERNELS}},
        lambda p: svm.SVC(C=p["svm_C"], max_iter=2000, random_state=0, **_kernel(p, "svm_kernel")),
    ),
    "nystroem": (
        {"nystroem_gamma": real(1e-5, 1, log=True), "nystroem_C": real(1e-3, 1e3, log=True)},
        lambda p: make_pipeline(
            kernel_approximation.Nystroem(
                gamma=p["nystroem_gamma"], n_components=60, random_state=0
            ),
            linear_model.LogisticRegression(C=p["nystroem_C"], max_iter=60),
        ),
    ),
    "lda": (
        {"lda_shrinkage": real(0, 1)},
        lambda p: discriminant_analysis.LinearDiscriminantAnalysis(
            solver="lsqr", shrinkage=p["lda_shrinkage"]
        ),
    ),
    "qda": (
        {"qda_reg": real(1e-4, 1, log=True)},
        lambda p: discriminant_analysis.QuadraticDiscriminantAnalysis(reg_param=p["qda_reg"]),
    ),
    "bayes": (
        {"bayes_smoothing": real(1e-9, 1, log=True)},
        lambda p: naive_bayes.GaussianNB(var_smoothing=p["bayes_smoothing"]),
    ),
    "knn": (
        {**_KNN, "knn_weights": {"categorical": list(_WEIGHTS)}},
        lambda p: neighbors.KNeighborsClassifier(
            p["knn_neighbors"], p=p["knn_p"], weights=p["knn_weights"]
        ),
    ),
    "tree": (_TREE, lambda p: _decision_tree(tree.DecisionTreeClassifier, p)),
    "extra": (_EXTRA, lambda p: _trees(ensemble.ExtraTreesClassifier, p, "extra")),
    "boosting": (_BOOSTING, lambda p: _boosting(ensemble.GradientBoostingClassifier, p)),
    "mlp": (_MLP, lambda p: _mlp(neural_network.MLPClassifier, p)),
}

REGRESSORS: dict[str, Model] = {
    "lasso": (
        {"lasso_alpha": real(1e-3, 100, log=True)},
        lambda p: linear_model.Lasso(alpha=p["lasso_alpha"], max_iter=300),
    ),
    "elastic": (
        {"elastic_alpha": real(1e-3, 100, log=True), "elastic_ratio": real(0, 1)},
        lambda p: linear_model.ElasticNet(
            alpha=p["elastic_alpha"], l1_ratio=p["elastic_ratio"], max_iter=300
        ),
    ),
    "poly": (
        {"poly_alpha": real(1e-3, 1e4, log=True), "poly_degree": whole(1, 3)},
        lambda p: make_pipeline(
            preprocessing.PolynomialFeatures(p["poly_degree"]),
            linear_model.Ridge(alpha=p["poly_alpha"]),
        ),
    ),
    "pls": (
        {"pls_components": whole(1, 10)},
        lambda p: PLSRegression(p["pls_components"]),
    ),
    "svr": (
        {
            "svr_C": real(1e-3, 1e3, log=True),
            "svr_epsilon": real(1e-3, 1, log=True),
            "svr_kernel": {"choice": {name: _KERNELS[name] for name in ("linear", "rbf", "poly")}},
        },
        lambda p: svm.SVR(
            C=p["svr_C"], epsilon=p["svr_epsilon"], max_iter=2000, **_kernel(p, "svr_kernel")
        ),
    ),
    "kernel": (
        {
            "kernel_alpha": real(1e-4, 100, log=True),
            "kernel_kind": {
                "choice": {
                    "rbf": {"gamma": real(1e-4, 10, log=True)},
                    "laplacian": {"gamma": real(1e-4, 10, log=True)},
                }
            },
        },
        lambda p: kernel_ridge.KernelRidge(
            alpha=p["kernel_alpha"], kernel=p["kernel_kind"], gamma=p["gamma"]
        ),
    ),
    "gp": (
        {
            "gp_noise": real(1e-6, 1, log=True),
            "gp_kernel": {
                "choice": {
                    "rbf": {"gp_length": real(0.1, 100, log=True)},
                    "matern": {
                        "gp_length": real(0.1, 100, log=True),
                        "gp_smoothness": {"categorical": [0.5, 1.5, 2.5]},
                    },
                    "rational": {
                        "gp_length": real(0.1, 100, log=True),
                        "gp_mixture": real(0.01, 100, log=True),
                    },
                }
            },
        },
        lambda p: gaussian_process.GaussianProcessRegressor(
            _covariance(p), alpha=p["gp_noise"], optimizer=None, normalize_y=True
        ),
    ),
    "knn": (
        {**_KNN, "knn_weights": {"categorical": list(_WEIGHTS)}},
        lambda p: neighbors.KNeighborsRegressor(
            p["knn_neighbors"], p=p["knn_p"], weights=p["knn_weights"]
        ),
    ),
    "tree": (
        _TREE,
        lambda p: _decision_tree(tree.DecisionTreeRegressor, p),
    ),
    "extra": (_EXTRA, lambda p: _trees(ensemble.ExtraTreesRegressor, p, "extra")),
    "boosting": (_BOOSTING, lambda p: _boosting(ensemble.GradientBoostingRegressor, p)),
    "mlp": (_MLP, lambda p: _mlp(neural_network.MLPRegressor, p)),
}

SCALERS: dict[str, Callable[[], Any]] = {
    "none": lambda: preprocessing.FunctionTransformer(),
    "standard": preprocessing.StandardScaler,
    "minmax": preprocessing.MinMaxScaler,
    "quantile": lambda: preprocessing.QuantileTransformer(n_quantiles=50, random_state=0),
}

FEATURES: dict[str, Model] = {
    "all": ({}, lambda p: preprocessing.FunctionTransformer()),
    "pca": (
        {"pca_components": whole(1, 15)},
        lambda p: PCA(p["pca_components"], random_state=0),
    ),
    "select": (
        {"select_k": whole(1, 15)},
        lambda p: feature_selection.SelectKBest(k=p["select_k"]),
    ),
    "kernel": (
        {"map_gamma": real(1e-4, 1, log=True), "map_components": whole(5, 60, log=True)},
        lambda p: kernel_approximation.Nystroem(
            gamma=p["map_gamma"], n_components=p["map_components"], random_state=0
        ),
    ),
}


def choice(models: dict[str, Model], names: str) -> dict[str, Any]:
    """Return the choice between some of the models, by their names."""
    return {"choice": {name: models[name][0] for name in names.split()}}
