"""Regression by a bounded loss, through statsmodels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data


@dataclass(eq=False, repr=False)
class MRegression(RegressorMixin, BaseEstimator):
    """``statsmodels.api.RLM`` with Tukey's biweight.

    Parameters
    ----------
    tuning : float, default=4.685
        Residuals beyond so many robust standard deviations weigh nothing; 4.685 is 95 % efficient on Gaussian noise.
    max_iter : int, default=200
    """

    tuning: float = 4.685
    max_iter: int = 200

    def fit(self, X: Any, y: Any) -> MRegression:
        """Fit by iterated weighted least squares.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        import statsmodels.api as sm

        X, y = validate_data(self, X, y, dtype=float, y_numeric=True)
        design = np.column_stack([np.ones(len(X)), X])
        norm = sm.robust.norms.TukeyBiweight(c=self.tuning)
        weights = sm.RLM(y, design, M=norm).fit(maxiter=self.max_iter).params
        self.intercept_, self.coef_ = float(weights[0]), np.asarray(weights[1:])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Targets of rows, of shape (n_samples,)."""
        check_is_fitted(self)
        predicted: np.ndarray = validate_data(self, X, dtype=float, reset=False) @ self.coef_ + self.intercept_
        return predicted
