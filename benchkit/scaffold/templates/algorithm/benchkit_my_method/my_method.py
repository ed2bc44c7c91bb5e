"""The method: a scikit-learn estimator."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class MyMethod(ClassifierMixin, BaseEstimator):
    """Linear classifier along the difference of the class means, small weights set to zero.

    Parameters
    ----------
    shrinkage : float, default=0.1
        By how much each weight is drawn to zero, in the units of X.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    n_features_in_ : int
    """

    def __init__(self, shrinkage: float = 0.1) -> None:
        self.shrinkage = shrinkage

    def fit(self, X: Any, y: Any) -> MyMethod:
        """Find the two means.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        """
        X, y = validate_data(self, X, y, dtype=float)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported. The data has {len(self.classes_)} class(es): {self.classes_}"
            )
        below, above = (X[y == label].mean(axis=0) for label in self.classes_)
        difference = above - below
        weights = np.sign(difference) * np.maximum(np.abs(difference) - self.shrinkage, 0.0)
        self.coef_ = weights[None, :]
        self.intercept_ = np.array([-weights @ (above + below) / 2])
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Positive for the second class, shape (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=float, reset=False)
        scores: np.ndarray = X @ self.coef_[0] + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """Predicted classes, shape (n_samples,)."""
        scores = self.decision_function(X)
        predicted: np.ndarray = self.classes_[(scores > 0).astype(int)]
        return predicted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
