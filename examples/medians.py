"""A plugin in a file: a scikit-learn estimator, and a declaration of three lines."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import Algorithm, hookimpl


class MedianClassifier(ClassifierMixin, BaseEstimator):
    """Linear classifier along the difference of the class medians.

    Parameters
    ----------
    power : float, default=1.0
        Of the differences' sizes: 0 lets every feature vote alike, large powers let the best decide.
    """

    def __init__(self, power: float = 1.0) -> None:
        self.power = power

    def fit(self, X: Any, y: Any) -> MedianClassifier:
        X, y = validate_data(self, X, y, dtype=float)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(f"Only binary classification is supported, not {len(self.classes_)} class(es)")
        below, above = (np.median(X[y == label], axis=0) for label in self.classes_)
        difference = above - below
        self.coef_ = (np.sign(difference) * np.abs(difference) ** self.power)[None, :]
        self.intercept_ = -self.coef_ @ (above + below) / 2
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        check_is_fitted(self)
        scores: np.ndarray = validate_data(self, X, dtype=float, reset=False) @ self.coef_[0] + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> np.ndarray:
        scores = self.decision_function(X)
        predicted: np.ndarray = self.classes_[(scores > 0).astype(int)]
        return predicted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags


@hookimpl
def benchkit_algorithms() -> list[Algorithm]:
    return [Algorithm(name="medians", make=MedianClassifier, grid={"power": [0.0, 0.5, 1.0, 2.0]})]
