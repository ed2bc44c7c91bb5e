"""RLHH (Zhang, Zhao, Boedihardjo & Lu 2017): least squares with an estimated number of clean rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchkit_robust_regression.estimators.batch_regressor import BatchRegressor
from benchkit_robust_regression.solvers.clean_count import Variant
from benchkit_robust_regression.solvers.least_squares import trimmed_least_squares


class HeuristicHardThresholding(BatchRegressor):
    """As `Torrent`, with the number of clean rows estimated from the residuals at every iteration.

    Parameters
    ----------
    clean_size : "adaptive" or float or int, default="adaptive"
        `estimate_clean_count` in RLHH's variant, a fraction of the rows, or a count.
    n_selected : int, float or None, default=None
        Number, or fraction, of features to keep; all where None.
    batch_size : int or None, default=None
        Features per batch; all at once where None.
    max_iter : int, default=100
        Iterations per batch.
    tol : float, default=1e-5
        Stop where the residual moves by at most ``tol`` times the length of y; or the clean rows stay the same.
    fit_intercept : bool, default=False

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    support_ : ndarray of bool of shape (n_features,)
    inlier_mask_ : ndarray of bool of shape (n_samples,)
    n_clean_, n_iter_, n_features_in_ : int

    References
    ----------
    Zhang, Zhao, Boedihardjo & Lu 2017, Robust regression via heuristic hard thresholding.
    """

    _estimate: Variant = "rlhh"

    def __init__(
        self,
        clean_size: Any = "adaptive",
        n_selected: int | float | None = None,
        batch_size: int | None = None,
        max_iter: int = 100,
        tol: float = 1e-5,
        fit_intercept: bool = False,
    ) -> None:
        self.clean_size = clean_size
        self.n_selected = n_selected
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept

    def _fit_matrix(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        weights, clean, n_iter = trimmed_least_squares(A, y, self._find_clean, self.max_iter, self.tol)
        self.n_iter_ += n_iter
        return weights, clean
