"""Methods, adversaries, data and metrics in plain NumPy: what they do never changes, so the protocol alone can."""

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from benchkit import Adversary, Algorithm, AttackResult, Data, Dataset, Metric, Tuner, hookimpl


def dense(X):
    return np.asarray(X.todense() if hasattr(X, "todense") else X, dtype=float)


class LeastSquares(BaseEstimator):
    """Ridge with an unpenalised intercept; what it is told shrinks it, so that it shows in the outcome."""

    def __init__(self, penalty=1.0, told_budget=0.0, told_values=None, told_groups=None, random_state=None):
        self.penalty, self.told_budget = penalty, told_budget
        self.told_values, self.told_groups, self.random_state = told_values, told_groups, random_state

    def _solve(self, X, target):
        X = dense(X)
        gaps = np.isnan(X)
        X = np.where(gaps, 0.25, X)
        cost = np.ones(X.shape[1]) if self.told_values is None else np.asarray(self.told_values, dtype=float)
        cost = cost * (1 + 0.1 * len(self.told_groups or ())) * (1 + 0.05 * self.told_budget)
        center = X.mean(axis=0)
        gram = (X - center).T @ (X - center) + self.penalty * np.diag(cost)
        coef = np.linalg.solve(gram, (X - center).T @ (target - target.mean(axis=0)))
        if self.random_state is not None:
            coef = coef * (1 + 0.01 * np.random.default_rng(self.random_state).random(coef.shape))
        return coef, target.mean(axis=0) - center @ coef

    def _scores(self, X):
        X = dense(X)
        return np.where(np.isnan(X), 0.25, X) @ self.coef_.T + self.intercept_


class Classifier(ClassifierMixin, LeastSquares):
    def fit(self, X, y):
        self.classes_ = np.unique(y)
        if len(self.classes_) == 2:
            coef, intercept = self._solve(X, np.where(y == self.classes_[1], 1.0, -1.0))
            self.coef_, self.intercept_ = coef[np.newaxis], np.atleast_1d(intercept)
        else:
            coef, intercept = self._solve(X, (y[:, np.newaxis] == self.classes_).astype(float))
            self.coef_, self.intercept_ = coef.T, intercept
        return self

    def decision_function(self, X):
        scores = self._scores(X)
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X):
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)]


class Regressor(RegressorMixin, LeastSquares):
    def fit(self, X, y):
        self.coef_, self.intercept_ = self._solve(X, y)
        return self

    def predict(self, X):
        return self._scores(X)


def fit_path(estimators, X, y):
    """One after another, each off by a little: who is chosen is fitted again."""
    return [estimator.fit(X, y) for estimator in estimators]


def grid(n_features, total_value, budget):
    return {"penalty": [0.1 * n_features, 0.5 * total_value, 1.0 + budget]}


class Takes:
    """Deletes what costs least for its weight, within the budget; draws among equals from its stream."""

    def __init__(self, unit="value", fill="zero"):
        self.unit, self.fill = unit, fill

    def corrupt(self, attack):
        X = dense(attack.X).copy()
        left = attack.left_by(self.fill)
        weight = np.abs(getattr(attack.model, "coef_", np.ones((1, X.shape[1])))).sum(axis=0).ravel()
        order = np.argsort(-weight + 1e-9 * attack.rng.random(len(weight)), kind="stable")
        grouped = {column for group in attack.groups for column in group}
        members = [*attack.groups, *((column,) for column in range(X.shape[1]) if column not in grouped)]
        feature_of = {column: number for number, columns in enumerate(members) for column in columns}
        spent, gone = 0.0, set()
        for column in order:
            number = feature_of[int(column)]
            cost = 1.0 if self.unit == "features" else float(sum(attack.feature_values[list(members[number])]))
            if number not in gone and spent + cost <= attack.budget + 1e-9:
                gone.add(number)
                spent += cost
        for number in gone:
            X[:, list(members[number])] = left[list(members[number])]
        return AttackResult(X=X, y=attack.y)


class Flips:
    def corrupt(self, attack):
        rows = attack.rng.permutation(len(attack.y))[: round(attack.budget * len(attack.y))]
        y, clean = attack.y.copy(), ~np.isin(np.arange(len(attack.y)), rows)
        if y.dtype.kind == "f":
            y[rows] += 3.0
        else:
            classes = np.unique(y)
            y[rows] = classes[(np.searchsorted(classes, y[rows]) + 1) % len(classes)]
        return AttackResult(X=attack.X, y=y, truth={"clean_rows": clean})


class Gaps:
    def corrupt(self, attack):
        X = np.array(attack.X, dtype=float)
        X[attack.rng.random(X.shape) < attack.budget] = np.nan
        return AttackResult(X=X, y=attack.y)


def classes(n=120, n_classes=2, gaps=False, sparse=False, random_state=0):
    """Blobs, with a block of two columns that are one feature."""
    rng = np.random.default_rng(random_state)
    y = np.arange(n) % n_classes
    X = rng.normal(size=(n, 6)) + 0.9 * (y[:, np.newaxis] == np.arange(6) % n_classes)
    X[:, 4] = X[:, 0] > 0.5
    X[:, 5] = 1 - X[:, 4]
    if gaps:
        X[rng.random(X.shape) < 0.1] = np.nan
    if sparse:
        X = csr_matrix(np.where(np.abs(X) < 0.5, 0, X))
    labels = np.where(y == 1, 1, -1) if n_classes == 2 else y
    names = [f"x{number}" for number in range(6)]
    return Data(X=X, y=labels, feature_names=names, groups=[(4, 5)], group_names=["kind"])


def line(n=90, random_state=0):
    rng = np.random.default_rng(random_state)
    X = rng.normal(size=(n, 5))
    y = X @ np.array([2.0, -1.0, 0.5, 0.0, 0.0]) + 0.3 * rng.normal(size=n)
    return Data(X=X, y=y, feature_values=np.array([2.0, 1.0, 1.0, 0.5, 0.5]))


def score(context):
    """Continuous, so that a hair's change shows: the mean of the scores times a number for each row."""
    scores = np.asarray(getattr(context.model, "decision_function", context.model.predict)(context.X), dtype=float)
    rows = np.sin(1.0 + np.arange(len(scores)))
    return float(np.mean(scores.reshape(len(scores), -1).sum(axis=1) * rows)) + 1e-3 * float(context.budget)


def seen(context):
    """What a metric is told of the training part, the data before the attack, and the truth."""
    train, before = float(np.nansum(np.abs(dense(context.X_train)))), float(np.nansum(dense(context.uncorrupted)))
    return train + before + float(np.sum(context.truth.get("clean_rows", 0.0)))


def costs(context):
    return float(context.feature_values @ np.cos(1.0 + np.arange(len(context.feature_values))))


def make_tuner(step=2):
    """Every `step`-th candidate on few rows, then the first two on all."""

    def search(context):
        grid = list(context.grid)[::step]
        context.judge(grid, rows=max(10, context.n_rows // 2))
        context.judge(grid[:2])

    return search


@hookimpl
def benchkit_algorithms():
    told = {"budget_param": "told_budget", "values_param": "told_values", "groups_param": "told_groups"}
    both = {"accepts_sparse": True, "accepts_missing": True}
    return [
        Algorithm(name="scores", make=Classifier, grid={"penalty": [0.1, 1.0, 10.0]}, accepts_sparse=True),
        Algorithm(name="told", make=Classifier, grid=grid, fit_path=fit_path, **told, **both),
        Algorithm(name="line", make=Regressor, grid={"penalty": [0.01, 1.0]}, tasks=("regression",), **told),
    ]


@hookimpl
def benchkit_adversaries():
    return [
        Adversary(name="takes", make=Takes, requires="linear"),
        Adversary(name="takes-features", make=lambda: Takes("features", "mean"), budget_unit="features"),
        Adversary(name="takes-by-score", make=lambda fill="nan": Takes(fill=fill), requires="decision_function"),
        Adversary(name="flips", make=Flips, phase="train", budget_unit="fraction"),
        Adversary(name="gaps", make=Gaps, phase="train", budget_unit="fraction"),
    ]


@hookimpl
def benchkit_datasets():
    return [
        Dataset(name="blobs", load=classes, generated=True),
        Dataset(name="fixed-blobs", load=lambda **params: classes(**params)),
        Dataset(name="line-data", load=line, generated=True, task="regression"),
    ]


@hookimpl
def benchkit_metrics():
    both = ("classification", "regression")
    return [Metric(name=of.__name__, compute=of, tasks=both) for of in (score, seen, costs)]


@hookimpl
def benchkit_tuners():
    return [Tuner(name="halves", make=make_tuner)]
