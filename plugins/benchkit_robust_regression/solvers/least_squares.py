"""Least squares of any shape, and the alternation of least squares with trimming."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

# Below this ratio of squared pivots the normal equations are not trusted.
_SINGULAR = 1e-10


def least_squares(A: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The shortest w that minimises ||y - A w||.

    By Cholesky factors of A'A or, where A is wide, A A', refined once; by singular values where these are singular.

    Parameters
    ----------
    A : ndarray of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,)

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    tall = A.shape[0] >= A.shape[1]
    try:
        factors = linalg.cho_factor(A.T @ A if tall else A @ A.T, overwrite_a=True)
    except linalg.LinAlgError:
        return np.asarray(linalg.lstsq(A, y)[0])
    pivots = np.diag(factors[0]) ** 2
    if not pivots.size or pivots.min() <= _SINGULAR * pivots.max():
        return np.asarray(linalg.lstsq(A, y)[0])

    def solve(right: np.ndarray) -> np.ndarray:
        return linalg.cho_solve(factors, A.T @ right) if tall else A.T @ linalg.cho_solve(factors, right)

    weights = solve(y)
    refined: np.ndarray = weights + solve(y - A @ weights)
    return refined


def trimmed_least_squares(
    A: np.ndarray, y: np.ndarray, find_clean: Callable[[np.ndarray], np.ndarray], max_iter: int, tol: float
) -> tuple[np.ndarray, np.ndarray, int]:
    """Least squares on the clean rows, then the clean rows of the residuals, in turn; all rows are clean at first.

    Parameters
    ----------
    A : ndarray of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,)
    find_clean : callable
        Takes residuals, returns a mask; both of shape (n_rows,).
    max_iter : int
    tol : float
        Stop where the residuals move by at most ``tol`` times the length of y, or the clean rows stay the same.

    Returns
    -------
    weights : ndarray of shape (n_columns,)
    clean : ndarray of bool of shape (n_rows,)
    n_iter : int
    """
    clean, residuals = np.ones(len(y), dtype=bool), y
    scale = float(np.linalg.norm(y))
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        weights = least_squares(A[clean], y[clean])
        left = y - A @ weights
        moved = float(np.linalg.norm(left - residuals))
        before, clean, residuals = clean, find_clean(left), left
        if np.array_equal(before, clean) or moved <= tol * scale:
            break
    return weights, clean, n_iter
