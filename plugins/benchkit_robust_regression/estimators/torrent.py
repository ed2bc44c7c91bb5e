"""TORRENT-FC (Bhatia, Jain & Kar 2015): least squares on the rows with the smallest residuals."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from benchkit_robust_regression.estimators.batch_regressor import BatchRegressor
from benchkit_robust_regression.solvers.least_squares import trimmed_least_squares
from benchkit_robust_regression.solvers.selection import smallest_mask


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

    def __init__(
        self,
        clean_size: Any = 0.9,
        corruption: float | None = None,
        deviation: float = 0.0,
        n_selected: int | float | None = None,
        batch_size: int | None = None,
        max_iter: int = 100,
        tol: float = 1e-6,
        fit_intercept: bool = False,
        random_state: Any = None,
    ) -> None:
        self.clean_size = clean_size
        self.corruption = corruption
        self.deviation = deviation
        self.n_selected = n_selected
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """See all features, in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        self._believed = None
        if self.corruption is not None:
            if not (0 <= self.corruption <= 1 and self.deviation >= 0):
                message = "expected a fraction and a number of at least 0"
                raise ValueError(f"corruption, deviation are {self.corruption!r}, {self.deviation!r}: {message}")
            drawn = check_random_state(self.random_state).uniform(-self.deviation, self.deviation)
            self._believed = min(1.0, self.corruption * (1 + drawn))
        return super().fit(X, y)

    def _fit_matrix(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights, clean, n_iter = trimmed_least_squares(A, y, self._find_clean, self.max_iter, self.tol)
        self.n_iter_ += n_iter
        return weights, clean

    def _find_clean(self, residuals: np.ndarray) -> np.ndarray:
        if self._believed is None:
            return super()._find_clean(residuals)
        n = len(residuals)
        return smallest_mask(residuals, max(1, n - round(self._believed * n)))
