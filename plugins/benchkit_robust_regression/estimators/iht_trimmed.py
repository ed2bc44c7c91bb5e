"""Iterative hard thresholding of weights and of rows: the baseline that sees all features at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import aslinearoperator

from benchkit_robust_regression.estimators.linear_regressor import SparseLinearRegressor
from benchkit_robust_regression.solvers.least_squares import trimmed_least_squares
from benchkit_robust_regression.solvers.selection import largest, resolve_count, robust_length


@dataclass(eq=False, repr=False)
class TrimmedIterativeHardThresholding(SparseLinearRegressor):
    """w <- the k largest of w + eta X_S^T r_S / n over all features, S the rows of the smallest residuals; then refit.

    What RoOFS is where no feature is ever out of sight, with the step that minimises the clean rows' squares along the
    gradient on the current support (Blumensath & Davies 2010). In the end least squares and trimming alternate on the
    selected features.

    Parameters
    ----------
    n_selected : int or float, default=10
        k; a float is a fraction of the features. More than there are keeps all.
    clean_size : "adaptive" or float or int, default="adaptive"
        `estimate_clean_count` in the variant of RoOFS, a fraction of the rows, or a count.
    max_iter : int, default=100
        Steps, and again iterations of the refit.
    tol : float, default=1e-4
        Stop where the residual moves by at most ``tol`` times the length of y.
    refit : bool, default=True
    fit_intercept : bool, default=False
        Not counted among the k; centres the features, so that those of a large mean are not taken for it.

    Attributes
    ----------
    coef_, intercept_, support_, inlier_mask_, n_clean_, n_iter_, n_features_in_
        As of `RoOFS`.

    References
    ----------
    Blumensath & Davies 2010, Normalized iterative hard thresholding; Bhatia, Jain & Kar 2015, Robust regression via
    hard thresholding, for the rows.
    """

    n_selected: int | float = 10
    clean_size: Any = "adaptive"
    max_iter: int = 100
    tol: float = 1e-4
    refit: bool = True
    fit_intercept: bool = False

    def _learn(self, X: Any, y: np.ndarray) -> None:
        """Alternate steps and trimming over all features."""
        n_kept = resolve_count("n_selected", self.n_selected, X.shape[1])
        means = np.asarray(X.mean(axis=0)).ravel() if self.fit_intercept else np.zeros(X.shape[1])
        ones = aslinearoperator(np.ones((len(y), 1)))
        centred = aslinearoperator(X) - ones @ aslinearoperator(means[None, :]) if self.fit_intercept else X
        weights, bias, clean = self._iterate(centred, y, n_kept)
        bias -= float(means @ weights)
        support = np.sort(largest(weights, n_kept))
        if self.refit:
            A = X[:, support].toarray() if sparse.issparse(X) else X[:, support]
            A = np.column_stack([A, np.ones(len(y))]) if self.fit_intercept else A
            fitted, clean, _ = trimmed_least_squares(A, y, self._find_clean, self.max_iter, self.tol)
            weights[support] = fitted[: len(support)]
            bias = float(fitted[-1]) if self.fit_intercept else 0.0
        self._set_coefficients(weights[support], support, bias, X.shape[1])
        self._set_clean(clean)

    def _iterate(self, X: Any, y: np.ndarray, n_kept: int) -> tuple[np.ndarray, float, np.ndarray]:
        """Weights of shape (n_features,), at most ``n_kept`` not zero, intercept, and mask of clean rows."""
        n = len(y)
        weights, bias, residuals, clean = np.zeros(X.shape[1]), 0.0, y, self._find_clean(y)
        scale = robust_length(y)
        self.n_iter_ = 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            trimmed = np.where(clean, residuals, 0.0)
            gradient = X.T @ trimmed / n
            drift = float(trimmed.sum()) / n if self.fit_intercept else 0.0
            step = self._line_search(X, gradient, drift, weights, clean, n_kept)
            moved = weights + step * gradient
            kept = largest(moved, n_kept)
            weights = np.zeros_like(moved)
            weights[kept] = moved[kept]
            bias += step * drift
            before, residuals = residuals, y - X @ weights - bias
            clean = self._find_clean(residuals)
            if float(np.linalg.norm(residuals - before)) <= self.tol * scale:
                break
        return weights, bias, clean

    @staticmethod
    def _line_search(
        X: Any, gradient: np.ndarray, drift: float, weights: np.ndarray, clean: np.ndarray, n_kept: int
    ) -> float:
        """The step that minimises the clean rows' squares along the gradient on the support; at first, on its top k."""
        support = np.flatnonzero(weights)
        if not len(support):
            support = largest(gradient, n_kept)
        restricted = np.zeros_like(gradient)
        restricted[support] = gradient[support]
        effect = (X @ restricted + drift)[clean]
        curvature = float(effect @ effect) / len(clean)
        return (float(restricted @ restricted) + drift**2) / curvature if curvature > 0 else 0.0
