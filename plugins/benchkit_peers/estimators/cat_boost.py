"""CatBoost with one prediction a row, whatever the number of classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data


@dataclass(eq=False, repr=False)
class CatBoost(ClassifierMixin, BaseEstimator):
    """``catboost.CatBoostClassifier``, which itself predicts a column for more than two classes.

    Parameters
    ----------
    iterations : int, default=300
    learning_rate : float or None, default=None
        None: what CatBoost takes for as many rows and iterations.
        Only where ``l2_leaf_reg`` is None, too.
    depth : int, default=6
    l2_leaf_reg : float or None, default=None
        Of the squares of the leaves' values; None: CatBoost's, 3.
    random_seed : int, default=0
    """

    iterations: int = 300
    learning_rate: float | None = None
    depth: int = 6
    l2_leaf_reg: float | None = None
    random_seed: int = 0

    def fit(self, X: Any, y: Any) -> CatBoost:
        """Fit the trees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            May hold NaN.
        y : array-like of shape (n_samples,)
        """
        from catboost import CatBoostClassifier

        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan")
        given = {name: value for name, value in self.get_params().items() if value is not None}
        self.model_ = CatBoostClassifier(**given, thread_count=1, verbose=0, allow_writing_files=False).fit(X, y)
        self.classes_ = np.asarray(self.model_.classes_)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes)."""
        check_is_fitted(self)
        X = validate_data(self, X, ensure_all_finite="allow-nan", reset=False)
        return np.asarray(self.model_.predict_proba(X))

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest classes, of shape (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, ensure_all_finite="allow-nan", reset=False)
        return np.asarray(self.model_.predict(X)).ravel()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
