"""Least squares of any shape and on changing rows, and the alternation of least squares with trimming."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy import linalg

# Below this ratio of squared pivots the normal equations are not trusted.
_SINGULAR = 1e-10
# A factor is corrected for up to this part of its columns in changed rows, and only if what the normal equations leave is
# that small beside their right-hand side.
_FEW, _EXACT = 20, 1e-12


def least_squares(A: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The shortest w that minimises ||y - A w||.

    Parameters
    ----------
    A : ndarray of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,)

    Returns
    -------
    ndarray of shape (n_columns,)
    """
    return RowSubsets(A, y).solve(np.ones(len(y), dtype=bool))


class RowSubsets:
    """Least squares on one subset of the rows after another, the shortest solution of each.

    By Cholesky factors of A'A or, where the subset has fewer rows than columns, of A A', refined once; by singular
    values where these are singular. A'A follows the rows that join and leave, A A' is formed once: from the second
    subset on the factors are what costs. Where few rows joined or left since A'A was factored, that factor serves on,
    corrected by those rows alone.

    Parameters
    ----------
    A : ndarray of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,)
    """

    def __init__(self, A: np.ndarray, y: np.ndarray) -> None:
        self._A, self._y = A, y
        self._counted = np.zeros(len(y), dtype=bool)
        self._of_columns: np.ndarray | None = None
        self._of_rows: np.ndarray | None = None
        self._factored: tuple[np.ndarray, tuple[np.ndarray, bool]] | None = None

    def solve(self, rows: np.ndarray) -> np.ndarray:
        """The weights for these rows.

        Parameters
        ----------
        rows : ndarray of bool of shape (n_rows,)

        Returns
        -------
        ndarray of shape (n_columns,)
        """
        tall = int(rows.sum()) >= self._A.shape[1]
        corrected = self._corrected(rows) if tall else None
        if corrected is not None:
            return corrected
        try:
            factors = linalg.cho_factor(self._of_these_columns(rows) if tall else self._of_these_rows(rows))
        except linalg.LinAlgError:
            return np.asarray(linalg.lstsq(self._A[rows], self._y[rows])[0])
        pivots = np.diag(factors[0]) ** 2
        if not pivots.size or pivots.min() <= _SINGULAR * pivots.max():
            return np.asarray(linalg.lstsq(self._A[rows], self._y[rows])[0])
        if tall:
            self._factored = rows.copy(), factors
            return self._refined(rows, lambda right: np.asarray(linalg.cho_solve(factors, right, check_finite=False)))

        def solve(right: np.ndarray) -> np.ndarray:
            spread = np.zeros(len(rows))
            spread[rows] = linalg.cho_solve(factors, right[rows], check_finite=False)
            weights: np.ndarray = self._A.T @ spread
            return weights

        weights = solve(self._y)
        refined: np.ndarray = weights + solve(self._y - self._A @ weights)
        return refined

    def _refined(self, rows: np.ndarray, solve: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """The weights by what solves A'A w = r for the rows, and once more for what that leaves."""
        weights = solve(self._A.T @ np.where(rows, self._y, 0.0))
        refined: np.ndarray = weights + solve(self._A.T @ np.where(rows, self._y - self._A @ weights, 0.0))
        return refined

    def _corrected(self, rows: np.ndarray) -> np.ndarray | None:
        """The weights by the last factor G of A'A and the rows U that joined (S = 1) or left (S = -1) since.

        (G + U'SU)^-1 = G^-1 - G^-1 U' (S + U G^-1 U')^-1 U G^-1, S being its own inverse. None where that is no less
        work than a new factor, or not as good.
        """
        if self._factored is None:
            return None
        before, (factor, _) = self._factored
        changed = rows ^ before
        if changed.sum() > len(factor) / _FEW:
            return None
        U = self._A[changed]
        V = linalg.solve_triangular(factor, U.T, trans="T", check_finite=False)
        try:
            small = np.linalg.inv(np.diag(np.where(rows[changed], 1.0, -1.0)) + V.T @ V)
        except np.linalg.LinAlgError:  # without the rows that left, columns depend on each other
            return None

        def solve(right: np.ndarray) -> np.ndarray:
            half = linalg.solve_triangular(factor, right, trans="T", check_finite=False)
            half -= V @ (small @ (V.T @ half))
            return np.asarray(linalg.solve_triangular(factor, half, check_finite=False))

        weights = self._refined(rows, solve)
        left = self._A.T @ np.where(rows, self._y - self._A @ weights, 0.0)
        size = np.linalg.norm(self._A.T @ np.where(rows, self._y, 0.0))
        return weights if np.linalg.norm(left) <= _EXACT * size else None

    def _of_these_columns(self, rows: np.ndarray) -> np.ndarray:
        """A'A of these rows, from that of the last ones where fewer rows changed than there are."""
        joined, left = rows & ~self._counted, self._counted & ~rows
        if self._of_columns is None or joined.sum() + left.sum() >= rows.sum():
            chosen = self._A if rows.all() else self._A[rows]
            self._of_columns = chosen.T @ chosen
        else:
            for changed, sign in ((joined, 1.0), (left, -1.0)):
                if changed.any():
                    chosen = self._A[changed]
                    self._of_columns += sign * (chosen.T @ chosen)
        self._counted = rows.copy()
        return self._of_columns

    def _of_these_rows(self, rows: np.ndarray) -> np.ndarray:
        """A A' of these rows."""
        if self._of_rows is None:
            self._of_rows = self._A @ self._A.T
        return self._of_rows[np.ix_(rows, rows)]


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
    clean, residuals, subsets = np.ones(len(y), dtype=bool), y, RowSubsets(A, y)
    scale = float(np.linalg.norm(y))
    n_iter = 0
    while n_iter < max_iter:
        n_iter += 1
        weights = subsets.solve(clean)
        left = y - A @ weights
        moved = float(np.linalg.norm(left - residuals))
        before, clean, residuals = clean, find_clean(left), left
        if np.array_equal(before, clean) or moved <= tol * scale:
            break
    return weights, clean, n_iter
