"""The constant predictor."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class ConstantClassifier(ClassifierMixin, BaseEstimator):
    """Predicts the majority class of the training part, the first of equals.

    scikit-learn's DummyClassifier says the same but has no linear form; this one is the linear classifier with w = 0,
    so that adversaries that need one face it too and find nothing to delete.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        Zeros.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        Positive for the majority class only.
    n_features_in_ : int
    """

    def fit(self, X: Any, y: Any) -> Self:
        """Find the majority class.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        X, y = validate_data(self, X, y, accept_sparse="csr", ensure_all_finite="allow-nan")
        check_classification_targets(y)
        self.classes_, counts = np.unique(y, return_counts=True)
        majority = int(np.argmax(counts))
        rows = 1 if len(self.classes_) <= 2 else len(self.classes_)
        self.coef_ = np.zeros((rows, X.shape[1]))
        self.intercept_ = np.array([1.0 if majority == 1 else -1.0]) if rows == 1 else -np.ones(rows)
        if rows > 1:
            self.intercept_[majority] = 1.0
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Constant scores, shape (n_samples,) or (n_samples, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", ensure_all_finite="allow-nan", reset=False)
        scores = np.tile(self.intercept_, (X.shape[0], 1))
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> np.ndarray:
        """The majority class for every row, shape (n_samples,)."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        return self.classes_[chosen]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = True
        tags.classifier_tags.poor_score = True
        return tags
