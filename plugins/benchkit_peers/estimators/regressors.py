"""Regressions of other packages, by scikit-learn's conventions: the best subset, and a bounded loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data


@dataclass(eq=False, repr=False)
class BestSubsetRegression(RegressorMixin, BaseEstimator):
    """`abess.LinearRegression`, which refuses a constant column, on the other columns.

    Parameters
    ----------
    ic_type : {"aic", "bic", "gic", "ebic"}, default="ebic"
        The information criterion that chooses the size of the subset.
    """

    ic_type: str = "ebic"

    def fit(self, X: Any, y: Any) -> Self:
        """Choose and fit the best subset.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        """
        from abess import LinearRegression

        X, y = validate_data(self, X, y, y_numeric=True)
        varies = np.ptp(X, axis=0) > 0
        model: Any = LinearRegression(ic_type=self.ic_type).fit(X[:, varies], y)
        self.coef_ = np.zeros(X.shape[1])
        self.coef_[varies] = np.ravel(model.coef_)
        self.intercept_ = float(np.ravel(model.intercept_)[0])
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Predicted responses, of shape (n_rows,)."""
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False) @ self.coef_ + self.intercept_)


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

    def fit(self, X: Any, y: Any) -> Self:
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
