"""Models of every library that is read, fitted once on small data with gaps."""

from functools import cache

import numpy as np
import pytest
from sklearn import ensemble, linear_model, naive_bayes, tree

_FEW = {"n_estimators": 12, "max_depth": 4, "random_state": 0}
_CATBOOST = {"iterations": 12, "depth": 4, "verbose": 0, "allow_writing_files": False, "random_seed": 0}
_LIGHTGBM = {"n_estimators": 12, "num_leaves": 8, "verbose": -1, "n_jobs": 1}

# Name: of the classifier, of the regressor, parameters; a string names the package.
ZOO = {
    "tree": (tree.DecisionTreeClassifier, tree.DecisionTreeRegressor, {"max_depth": 6, "random_state": 0}),
    "forest": (ensemble.RandomForestClassifier, ensemble.RandomForestRegressor, _FEW),
    "extra-trees": (ensemble.ExtraTreesClassifier, ensemble.ExtraTreesRegressor, _FEW),
    "gradient-boosting": (ensemble.GradientBoostingClassifier, ensemble.GradientBoostingRegressor, _FEW),
    "histogram-boosting": (
        ensemble.HistGradientBoostingClassifier,
        ensemble.HistGradientBoostingRegressor,
        {"max_iter": 12, "max_leaf_nodes": 8},
    ),
    "xgboost": ("xgboost:XGBClassifier", "xgboost:XGBRegressor", {**_FEW, "n_jobs": 1}),
    "lightgbm": ("lightgbm:LGBMClassifier", "lightgbm:LGBMRegressor", _LIGHTGBM),
    "catboost": ("catboost:CatBoostClassifier", "catboost:CatBoostRegressor", _CATBOOST),
    "catboost-lossguide": (
        "catboost:CatBoostClassifier",
        "catboost:CatBoostRegressor",
        {**_CATBOOST, "grow_policy": "Lossguide"},
    ),
    "ebm": (
        "interpret.glassbox:ExplainableBoostingClassifier",
        "interpret.glassbox:ExplainableBoostingRegressor",
        {"interactions": 2, "max_rounds": 30, "n_jobs": 1, "outer_bags": 2},
    ),
    "linear": (linear_model.LogisticRegression, linear_model.Ridge, {}),
    "gaussian-naive-bayes": (naive_bayes.GaussianNB, None, {}),
    "bernoulli-naive-bayes": (naive_bayes.BernoulliNB, None, {}),
    "multinomial-naive-bayes": (naive_bayes.MultinomialNB, None, {}),
}
TAKES_GAPS = {name for name in ZOO if name not in ("gradient-boosting", "linear") and "naive-bayes" not in name}
CASES = [
    (name, task)
    for name, (_, regressor, _) in ZOO.items()
    for task in ("binary", "many", "regression")
    if (task != "regression" or regressor) and (name, task) != ("ebm", "many")  # no interactions of many classes
]


def pytest_generate_tests(metafunc):
    """Every library and task that a test asks for by `library` and `task`."""
    if {"library", "task"} <= set(metafunc.fixturenames):
        metafunc.parametrize(("library", "task"), CASES)


@cache
def small_data(task, gaps):
    rng = np.random.default_rng(7)
    X = rng.normal(size=(200, 6)).round(2)
    signal = X[:, 0] + X[:, 1] * X[:, 2] - 0.7 * X[:, 3]
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    if task == "regression":
        return X, signal + 3
    return X, np.digitize(signal, [0.0] if task == "binary" else [-0.7, 0.7]) + 4


@cache
def fitted(library, task):
    kind = ZOO[library][1 if task == "regression" else 0]
    if isinstance(kind, str):
        package, name = kind.split(":")
        kind = getattr(pytest.importorskip(package), name)
    # Of gaps an explainable boosting machine warns that its pictures show none.
    X, y = small_data(task, library in TAKES_GAPS and library != "ebm")
    if library == "multinomial-naive-bayes":
        X = np.abs(X)
    if library == "xgboost" and task != "regression":
        y = y - y.min()  # it takes the labels 0, 1, ... alone
    return kind(**ZOO[library][2]).fit(X, y), X, y


@pytest.fixture
def model_and_rows(library, task):
    return fitted(library, task)


@pytest.fixture
def fills(library):
    """What deletion may leave: zeros, means, and NaN where the library takes it."""
    known = {"zero": np.zeros(6), "mean": np.array([0.1, -0.2, 0.3, 0.0, 0.05, -0.1])}
    if library in TAKES_GAPS:
        known["nan"] = np.full(6, np.nan)
    return known


@pytest.fixture
def scores_of(library, task):
    """What the library itself says: margins of the second class, scores of classes, or predictions."""
    raw = {"xgboost": {"output_margin": True}, "lightgbm": {"raw_score": True}}
    raw["catboost"] = {"prediction_type": "RawFormulaVal"}
    options = {} if task == "regression" else raw.get(library.partition("-")[0])
    names = ("predict",) if options is not None else ("predict_joint_log_proba", "decision_function", "predict_proba")

    def ask(model, X):
        answer = next(getattr(model, name) for name in names if hasattr(model, name))
        said = np.asarray(answer(X, **(options or {})), dtype=float)
        if task == "binary" and said.ndim == 2:
            said = said[:, 1] - said[:, 0]
        return said.reshape(len(X), -1)

    return ask
