"""XGBoost with class labels of any kind."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data


@dataclass(eq=False, repr=False)
class XGBoostClassifier(ClassifierMixin, BaseEstimator):
    """``xgboost.XGBClassifier``, which itself takes the labels 0, 1, ... alone.

    Parameters
    ----------
    n_estimators : int, default=100
    learning_rate : float, default=0.3
    max_depth : int, default=6
    reg_lambda : float, default=1.0
        Of the squares of the leaves' values.
    random_state : int or None, default=None
    """

    n_estimators: int = 100
    learning_rate: float = 0.3
    max_depth: int = 6
    reg_lambda: float = 1.0
    random_state: int | None = None

    def fit(self, X: Any, y: Any) -> XGBoostClassifier:
        """Fit the trees.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
            May hold NaN.
        y : array-like of shape (n_samples,)
        """
        from xgboost import XGBClassifier

        X, y = validate_data(self, X, y, accept_sparse="csr", ensure_all_finite="allow-nan")
        self.classes_, encoded = np.unique(y, return_inverse=True)
        self.model_ = XGBClassifier(**self.get_params(), n_jobs=1).fit(X, encoded)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", ensure_all_finite="allow-nan", reset=False)
        return np.asarray(self.model_.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest classes."""
        predicted: np.ndarray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return predicted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        return tags
