"""Least squares on the rows with the smallest residuals, in batches of features (RoOFS VI-B).

TORRENT-FC (Bhatia, Jain & Kar 2015) is told their number, RLHH (Zhang et al. 2017) estimates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state

from benchkit_robust_regression.estimators.linear_regressor import SparseLinearRegressor
from benchkit_robust_regression.solvers.least_squares import trimmed_least_squares
from benchkit_robust_regression.solvers.selection import largest, resolve_count, smallest_mask


class BatchRegressor(SparseLinearRegressor):
    """Trimmed least squares, or another fit of a matrix of all columns that knows nothing of selection.

    On batches, the method is fitted to the features kept and those of the batch; where these are more than
    ``n_selected``, the ones with the largest weights are kept. In the end it is fitted to the kept ones alone. With
    ``batch_size=None`` it sees all features at once, and is fitted again to those it keeps.
    """

    def _learn(self, X: Any, y: np.ndarray) -> None:
        """See all features, in their order."""
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

    def _fit_columns(self, X: Any, columns: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, float, np.ndarray]:
        A = X[:, columns]
        A = A.toarray() if sparse.issparse(A) else A
        if not self.fit_intercept:
            weights, clean = self._fit_matrix(A, y)
            return weights, 0.0, clean
        means = A.mean(axis=0)  # columns far from 0 would be taken for the intercept where weights cost something
        weights, clean = self._fit_matrix(np.column_stack([A - means, np.ones(len(y))]), y)
        return weights[:-1], float(weights[-1] - means @ weights[:-1]), clean

    def _fit_matrix(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weights of shape (n_columns,) and the mask of clean rows of shape (n_rows,); counts ``n_iter_`` up."""
        weights, clean, n_iter = trimmed_least_squares(A, y, self._find_clean, self.max_iter, self.tol)
        self.n_iter_ += n_iter
        return weights, clean


@dataclass(eq=False, repr=False)
class Torrent(BatchRegressor):
    """Alternates least squares on the rows taken as clean with taking those of the smallest residuals as clean.

    Parameters
    ----------
    clean_size : "adaptive" or float or int, default=0.9
        Rows taken as clean: a fraction, a count, or the estimate of RoOFS.
    corruption : float or None, default=None
        Fraction of corrupted rows that is told; replaces ``clean_size``.
    deviation : float, default=0
        The fraction that is believed is ``corruption`` (1 + d), d uniform between +-``deviation``: 0.25 is TORR25 of
        RoOFS Table II.
    n_selected : int, float or None, default=None
        Number, or fraction, of features to keep; all where None.
    batch_size : int or None, default=None
        Features per batch; all at once where None.
    max_iter : int, default=100
        Iterations per batch.
    tol : float, default=1e-6
        Stop where the residual moves by at most ``tol`` times the length of y; or the clean rows stay the same.
    fit_intercept : bool, default=False
    random_state : int, RandomState or None
        Of ``deviation``.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    support_ : ndarray of bool of shape (n_features,)
    inlier_mask_ : ndarray of bool of shape (n_samples,)
    n_clean_, n_iter_, n_features_in_ : int

    References
    ----------
    Bhatia, Jain & Kar 2015, Robust regression via hard thresholding, Algorithms 1 and 2.
    """

    clean_size: Any = 0.9
    corruption: float | None = None
    deviation: float = 0.0
    n_selected: int | float | None = None
    batch_size: int | None = None
    max_iter: int = 100
    tol: float = 1e-6
    fit_intercept: bool = False
    random_state: Any = None

    def _learn(self, X: Any, y: np.ndarray) -> None:
        """See all features, in their order, once the fraction that is believed is drawn."""
        self._believed = None
        if self.corruption is not None:
            if not (0 <= self.corruption <= 1 and self.deviation >= 0):
                message = "expected a fraction and a number of at least 0"
                raise ValueError(f"corruption, deviation are {self.corruption!r}, {self.deviation!r}: {message}")
            drawn = check_random_state(self.random_state).uniform(-self.deviation, self.deviation)
            self._believed = min(1.0, self.corruption * (1 + drawn))
        super()._learn(X, y)

    def _find_clean(self, residuals: np.ndarray) -> np.ndarray:
        if self._believed is None:
            return super()._find_clean(residuals)
        n = len(residuals)
        return smallest_mask(residuals, max(1, n - round(self._believed * n)))


@dataclass(eq=False, repr=False)
class HeuristicHardThresholding(BatchRegressor):
    """As `Torrent`, with the number of clean rows estimated from the residuals at every iteration.

    Parameters
    ----------
    clean_size : "adaptive" or float or int, default="adaptive"
        `estimate_clean_count` in RLHH's variant, a fraction of the rows, or a count.
    n_selected, batch_size, max_iter, tol, fit_intercept
        As of `Torrent`, as are the attributes.

    References
    ----------
    Zhang, Zhao, Boedihardjo & Lu 2017, Robust regression via heuristic hard thresholding.
    """

    _estimate = "rlhh"

    clean_size: Any = "adaptive"
    n_selected: int | float | None = None
    batch_size: int | None = None
    max_iter: int = 100
    tol: float = 1e-5
    fit_intercept: bool = False
