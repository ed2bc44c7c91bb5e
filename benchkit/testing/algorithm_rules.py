"""Rules of algorithms."""

import traceback
from collections import defaultdict
from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import is_classifier, is_regressor
from sklearn.utils.estimator_checks import check_estimator

from benchkit.errors import one_line
from benchkit.plugin.declarations import Algorithm
from benchkit.testing.rule import BrokenRuleError, NotAskedError, quietly, require, rule
from benchkit.testing.tiny import data_for, same
from benchkit.trial.prepared import protected

_SHOWN = 3  # mistakes that scikit-learn's checks tell of
_LONGEST = 160  # characters of one of them


def _make(algorithm: Algorithm, n_features: int) -> Any:
    """An unfitted estimator with the budget, the feature values and the seed that a trial would give it."""
    if algorithm.warm_up is not None:
        algorithm.warm_up()
    given = ((algorithm.budget_param, 1.0), (algorithm.values_param, protected(np.ones(n_features))))
    estimator = algorithm.make(**{name: value for name, value in given if name is not None})
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=0)
    return estimator


@rule("algorithms")
def makes_an_estimator(algorithm: Algorithm) -> None:
    """`make` gives an unfitted estimator with fit, predict and get_params, of the declared task."""
    estimator = algorithm.make()
    kind = type(estimator).__name__
    for method in ("fit", "predict", "get_params", "set_params"):
        remedy = "derive it from sklearn.base.BaseEstimator" if method.endswith("_params") else "define it"
        require(hasattr(estimator, method), f"{kind} has no {method}: {remedy}")
    for task, is_one, mixin in (
        ("classification", is_classifier, "ClassifierMixin"),
        ("regression", is_regressor, "RegressorMixin"),
    ):
        require(
            task not in algorithm.tasks or is_one(estimator),
            f"{kind} is declared for {task} but is none to scikit-learn: derive it from {mixin}, left of "
            "BaseEstimator, or correct 'tasks'",
        )


@rule("algorithms")
def grid_within_parameters(algorithm: Algorithm) -> None:
    """The default grid names parameters of the constructor and gives each at least one value, whatever the data."""
    if algorithm.grid is None:
        raise NotAskedError("declares no grid")
    parameters = {*algorithm.make.parameters(), *algorithm.make().get_params(deep=True)}
    listed = ", ".join(sorted(parameters)) or "no parameters"
    for n_features, total, budget in ((6, 6.0, 0.0), (6, 6.0, 2.0), (1000, 1234.5, 100.0)):
        grid = algorithm.default_grid(n_features, total, budget)
        size = f"for {n_features} features of value {total:g} and budget {budget:g}"
        require(isinstance(grid, Mapping), f"the grid {size} is {grid!r}, expected a mapping of names to values")
        for name, values in grid.items():
            require(name in parameters, f"the grid names {name!r}, but the constructor takes {listed}")
            require(
                isinstance(values, Sequence | np.ndarray) and not isinstance(values, str) and len(values),
                f"the grid {size} gives {name} the values {values!r}, expected a list with at least one",
            )


@rule("algorithms")
def scikit_learn_checks(algorithm: Algorithm) -> None:
    """scikit-learn's own checks of an estimator pass for what `make` gives."""
    estimator = algorithm.make()
    if type(estimator).__module__.partition(".")[0] == "sklearn":
        raise NotAskedError("scikit-learn checks its own")
    if algorithm.warm_up is not None:
        algorithm.warm_up()
    with quietly():
        results = check_estimator(estimator, on_fail=None, on_skip=None)
    failed = [test for test in results if test["status"] == "failed"]
    mistakes: dict[str, list[str]] = defaultdict(list)
    for test in failed:
        names = mistakes[shorten(_said(test["exception"]), _LONGEST, placeholder=" ...")]
        names += [test["check_name"]] * (test["check_name"] not in names)
    lines = [
        f"{', '.join(names[:_SHOWN])}{f' and {len(names) - _SHOWN} more' * (len(names) > _SHOWN)}: {mistake}"
        for mistake, names in mistakes.items()
    ]
    more = f"; and {len(lines) - _SHOWN} other mistakes" if len(lines) > _SHOWN else ""
    if failed:
        error = BrokenRuleError(f"{len(failed)} of {len(results)} fail: {'; '.join(lines[:_SHOWN])}{more}")
        raise error from failed[0]["exception"]


def _said(error: BaseException) -> str:
    """What an exception says; of an assertion without words its line: ``accuracy_score(y, y_pred) > 0.83``."""
    if str(error) or error.__traceback__ is None:
        return one_line(error)
    line = traceback.extract_tb(error.__traceback__)[-1].line or ""
    learns = " (a method that learns little may fail this)" if "accuracy" in line or "score" in line else ""
    return f"{one_line(error)}: {line.removeprefix('assert ')}{learns}"


@rule("algorithms")
def fits_the_same_again(algorithm: Algorithm) -> None:
    """A fit after one on other data answers as a first fit does; what it is given cannot be written to."""
    for task in algorithm.tasks:
        data, other = (data_for(task, seed) for seed in (0, 1))
        with quietly():
            fresh, again = (_make(algorithm, data.X.shape[1]) for _ in range(2))
            again.fit(protected(other.X), protected(other.y))
            X, y = protected(data.X), protected(data.y)
            one, two = (
                np.asarray(getattr(model.fit(X, y), "decision_function", model.predict)(X)) for model in (fresh, again)
            )
        numbers = one.shape == two.shape and one.dtype.kind in "fiu"
        by = f" by up to {np.max(np.abs(one.astype(float) - two)):.2g}" if numbers else ""
        require(
            same(one, two),
            f"after a fit on other data the answers differ{by}: set every attribute anew in fit, take a parameter "
            "'random_state', and draw from sklearn.utils.check_random_state(self.random_state)",
        )


@rule("algorithms")
def sparse_as_declared(algorithm: Algorithm) -> None:
    """With `accepts_sparse`, CSR matrices can be fitted and predicted, and predictions are those on the dense rows."""
    if not algorithm.accepts_sparse:
        raise NotAskedError("does not declare accepts_sparse")
    for task in algorithm.tasks:
        data = data_for(task)
        X = np.where(np.abs(data.X) > 0.5, data.X, 0.0)
        as_sparse = protected(sparse.csr_matrix(X))
        with quietly("declares accepts_sparse=True but fails on a CSR matrix"):
            model = _make(algorithm, X.shape[1]).fit(as_sparse, data.y)
            predictions, as_dense = np.asarray(model.predict(as_sparse)), np.asarray(model.predict(X))
        close = predictions == as_dense if task == "classification" else np.isclose(predictions, as_dense)
        require(np.mean(close) > 0.95, "predictions on a CSR matrix are not those on the same rows in a dense array")


@rule("algorithms")
def missing_values_as_declared(algorithm: Algorithm) -> None:
    """With `accepts_missing`, NaN can be fitted and predicted; without, fit refuses NaN."""
    for task in algorithm.tasks:
        data = data_for(task)
        X = data.X.copy()
        with quietly():  # what fits nothing refuses nothing
            _make(algorithm, X.shape[1]).fit(X, data.y)
        X[::5, 0] = np.nan
        try:
            with quietly("declares accepts_missing=True but fails on NaN"):
                predictions = np.asarray(_make(algorithm, X.shape[1]).fit(X, data.y).predict(X))
        except BrokenRuleError:
            if algorithm.accepts_missing:
                raise
            continue
        require(
            algorithm.accepts_missing,
            "fits NaN without complaint: declare accepts_missing=True, or validate with "
            "sklearn.utils.validation.validate_data",
        )
        finite = predictions.dtype.kind != "f" or np.isfinite(predictions).all()
        require(finite, "predictions of rows with NaN are not finite")
