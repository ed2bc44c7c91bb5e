"""A support vector machine on rows that miceforest has completed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.impute import SimpleImputer
from sklearn.svm import SVC
from sklearn.utils.validation import check_is_fitted, validate_data


@dataclass(eq=False, repr=False)
class ChainedForestsSVC(ClassifierMixin, BaseEstimator):
    """Imputes by chained boosted trees, then learns with Gaussian kernels.

    Parameters
    ----------
    C : float, default=1.0
    gamma : float, default=0.1
        Of the kernel exp(-gamma |x - x'|^2).
    iterations : int, default=4
        Rounds of imputing each column from the others.
    n_estimators : int, default=30
        Trees for each column and round.
    random_state : int, default=0
    """

    C: float = 1.0
    gamma: float = 0.1
    iterations: int = 4
    n_estimators: int = 30
    random_state: int = 0

    def fit(self, X: Any, y: Any) -> ChainedForestsSVC:
        """Impute, then learn.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN where a value is missing.
        y : array-like of shape (n_samples,)
        """
        from miceforest import ImputationKernel

        X, y = validate_data(self, X, y, dtype=float, ensure_all_finite="allow-nan")
        self.classes_ = np.unique(y)
        # A column without a value has nothing to learn from, and new rows may miss what training rows had.
        self.means_ = SimpleImputer(keep_empty_features=True).fit(X)
        self.kernel_ = None  # miceforest fails on rows without a missing value
        completed = X
        if np.isnan(X).any():
            self.kernel_ = ImputationKernel(_frame(X), num_datasets=1, random_state=self.random_state)
            self.kernel_.mice(self.iterations, n_estimators=self.n_estimators, num_threads=1, verbose=False)
            completed = self.means_.transform(self.kernel_.complete_data(0).to_numpy(dtype=float))
        self.svm_ = SVC(C=self.C, gamma=self.gamma).fit(completed, y)
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of rows, completed by the trees of the training rows."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=float, ensure_all_finite="allow-nan", reset=False)
        if np.isnan(X).any():
            if self.kernel_ is not None:
                imputed = self.kernel_.impute_new_data(_frame(X), random_state=self.random_state, verbose=False)
                X = imputed.complete_data(0).to_numpy(dtype=float)
            X = self.means_.transform(X)
        scores: np.ndarray = self.svm_.decision_function(X)
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """Classes of rows."""
        predicted: np.ndarray = self.classes_[(self.decision_function(X) > 0).astype(int)]
        return predicted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.classifier_tags.multi_class = False
        return tags


def _frame(X: np.ndarray) -> Any:
    import pandas as pd

    return pd.DataFrame(X, columns=[f"x{column}" for column in range(X.shape[1])])
