"""Best-subset regression on data that may have constant columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
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

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
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

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Predicted responses, of shape (n_rows,)."""
        check_is_fitted(self)
        return np.asarray(validate_data(self, X, reset=False) @ self.coef_ + self.intercept_)
