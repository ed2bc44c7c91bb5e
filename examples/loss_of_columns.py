"""docs/tutorial.md's question with scikit-learn alone: which of six methods stands the loss of columns best?

It reads patients.csv, which make_patients.py writes, and prints mean errors over ten splits. What it leaves out is told
in the tutorial.
"""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC

table = pd.read_csv("patients.csv").drop(columns="patient")
X, y = table.drop(columns="ill"), (table["ill"] == "yes").astype(int)
numbers, words = X.select_dtypes("number").columns, X.select_dtypes(exclude="number").columns


def prepared(model, impute=True):
    """A pipeline from the table; a gap becomes the mean of a number, and no category."""
    scale = make_pipeline(StandardScaler(), *([SimpleImputer()] if impute else []))
    return make_pipeline(
        make_column_transformer((scale, numbers), (OneHotEncoder(handle_unknown="ignore"), words)), model
    )


def tuned(model, grid, impute=True):
    """A pipeline whose last step is tuned on inner folds."""
    name = type(model).__name__.lower()
    return GridSearchCV(prepared(model, impute), {f"{name}__{key}": values for key, values in grid.items()}, cv=3)


C = [1e-3, 1e-2, 1e-1, 1, 10]
METHODS = {
    "logistic-regression": tuned(LogisticRegression(max_iter=1000), {"C": C}),
    "svm": tuned(SVC(kernel="linear"), {"C": C}),
    "rbf-svm": tuned(SVC(), {"C": C}),
    "random-forest": prepared(RandomForestClassifier(50, min_samples_leaf=5), impute=False),
    "gradient-boosting": tuned(HistGradientBoostingClassifier(max_iter=50), {"learning_rate": [0.03, 0.1, 0.3]}, False),
    "nearest-neighbours": tuned(KNeighborsClassifier(), {"n_neighbors": [5, 15, 45]}),
}


def lose(X, gone):
    """The table without what a mask says; columns of numbers become NaN, categories None."""
    return X.mask(pd.DataFrame(gone, index=X.index, columns=X.columns))


def at_random(model, X, y, most, rng):
    """Errors after the loss of 0, 1, ... columns of each row, drawn at random."""
    ranks = rng.random(X.shape).argsort(axis=1).argsort(axis=1)
    return [np.mean(model.predict(lose(X, ranks < lost)) != y) for lost in range(most + 1)]


def score(model, X, y):
    """How far the true class is ahead."""
    if hasattr(model, "decision_function"):
        return np.where(y == 1, 1, -1) * model.decision_function(X)
    return np.where(y == 1, 1, -1) * (model.predict_proba(X)[:, 1] - 0.5)


def at_worst(model, X, y, most):
    """Errors after the loss of 0, 1, ... columns, in each row next the one that hurts most."""
    gone, errors = np.zeros(X.shape, dtype=bool), []
    best = score(model, X, y)
    for lost in range(most + 1):
        errors.append(np.mean(model.predict(lose(X, gone)) != y))
        if lost == most:
            return errors
        trials = []
        for column in range(X.shape[1]):
            tried = gone.copy()
            tried[:, column] = True
            trials.append(score(model, lose(X, tried), y))
        trials = np.array(trials)
        hurts = trials.min(axis=0) < best
        gone[np.flatnonzero(hurts), trials.argmin(axis=0)[hurts]] = True
        best = np.minimum(best, trials.min(axis=0))


rows = []
for repetition in range(10):
    split = train_test_split(X, y, test_size=0.25, stratify=y, random_state=repetition)
    X_train, X_test, y_train, y_test = split
    for name, method in METHODS.items():
        model = method.fit(X_train, y_train)
        y_true = y_test.to_numpy()
        rng = np.random.default_rng(repetition)
        for kind, errors in (
            ("random", at_random(model, X_test, y_true, 5, rng)),
            ("worst", at_worst(model, X_test, y_true, 5)),
        ):
            rows += [(kind, name, lost, repetition, error) for lost, error in enumerate(errors)]
results = pd.DataFrame(rows, columns=["loss", "method", "columns", "repetition", "error"])
print(results.pivot_table("error", ["loss", "method"], "columns").round(3))
