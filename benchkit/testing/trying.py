"""Making and fitting a declared algorithm as a trial would, on tiny data."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from benchkit.plugin.declarations import Algorithm, Data
from benchkit.testing.tiny import tiny_classification, tiny_regression

SEED = 0


@contextmanager
def quietly() -> Iterator[None]:
    """One BLAS thread, as in a worker, and no warnings of convergence on tiny data."""
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def data_for(task: str, seed: int = 0) -> Data:
    """Tiny data of a task."""
    return tiny_classification(seed=seed) if task == "classification" else tiny_regression(seed=seed)


def make(algorithm: Algorithm, n_features: int, budget: float = 1.0, params: Mapping[str, Any] | None = None) -> Any:
    """An unfitted estimator with the budget, the feature values and the seed that a trial would give it."""
    if algorithm.warm_up is not None:
        algorithm.warm_up()
    given: dict[str, Any] = {}
    if algorithm.budget_param is not None:
        given[algorithm.budget_param] = budget
    if algorithm.values_param is not None:
        given[algorithm.values_param] = np.ones(n_features)
    estimator = algorithm.make(**{**given, **(params or {})})
    if "random_state" in estimator.get_params(deep=False):
        estimator.set_params(random_state=SEED)
    return estimator


def answers(model: Any, X: Any) -> np.ndarray:
    """The finest answer that a model gives: its decision function, else its predictions."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X))
    return np.asarray(model.predict(X))


def largest_difference(first: np.ndarray, second: np.ndarray) -> str:
    """By how much two answers differ, for a message."""
    if first.shape != second.shape or first.dtype.kind not in "fiu":
        return f"{first.shape} against {second.shape}"
    return f"by up to {np.max(np.abs(first.astype(float) - second.astype(float))):.2g}"
