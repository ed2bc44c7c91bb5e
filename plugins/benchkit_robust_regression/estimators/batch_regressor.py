"""Methods that need all their columns at once, run on batches of features: RoOFS VI-B."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from scipy import sparse

from benchkit import check_count, check_positive
from benchkit_robust_regression.estimators.linear_regressor import SparseLinearRegressor
from benchkit_robust_regression.solvers.selection import largest, resolve_count


class BatchRegressor(SparseLinearRegressor):
    """Base of methods that fit a matrix of all columns they are given, and know nothing of selection.

    On batches, the method is fitted to the features kept and those of the batch; where these are more than
    ``n_selected``, the ones with the largest weights are kept. In the end it is fitted to the kept ones alone. With
    ``batch_size=None`` it sees all features at once, and is fitted again to those it keeps.
    """

    def fit(self, X: Any, y: Any) -> Self:
        """See all features, in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        check_positive(**({"tol": self.tol} if hasattr(self, "tol") else {}))
        check_count(max_iter=self.max_iter, **({} if self.batch_size is None else {"batch_size": self.batch_size}))
        X, y = self._validate_training(X, y)
        n_features = X.shape[1]
        n_kept = n_features if self.n_selected is None else resolve_count("n_selected", self.n_selected, n_features)
        self.n_iter_ = 0
        columns = np.empty(0, dtype=np.int64)
        for start in range(0, n_features, self.batch_size or n_features):
            batch = np.arange(start, min(start + (self.batch_size or n_features), n_features))
            columns = np.concatenate([columns, batch])
            if len(columns) > n_kept:
                weights, _, _ = self._fit_columns(X, columns, y)
                columns = columns[largest(weights, n_kept)]
        weights, intercept, clean = self._fit_columns(X, columns, y)
        self._set_coefficients(weights, columns, intercept, n_features)
        self._set_clean(clean)
        return self

    def _fit_columns(self, X: Any, columns: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
        A = X[:, columns]
        A = A.toarray() if sparse.issparse(A) else A
        if not self.fit_intercept:
            weights, clean = self._fit_matrix(A, y)
            return weights, 0.0, clean
        weights, clean = self._fit_matrix(np.column_stack([A, np.ones(len(y))]), y)
        return weights[:-1], float(weights[-1]), clean

    @abstractmethod
    def _fit_matrix(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights of shape (n_columns,) and the mask of clean rows of shape (n_rows,); counts ``n_iter_`` up."""
