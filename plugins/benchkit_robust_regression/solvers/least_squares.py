"""Least squares of any shape and on changing rows, and the alternation of least squares with trimming."""

from collections.abc import Callable

import numpy as np
from scipy import linalg

from benchkit_robust_regression.solvers.selection import robust_length

# Below this ratio of squared pivots the normal equations are not trusted.
_SINGULAR = 1e-10
# Rows that leave take their rounding errors not with them: what is less than this of what it was is formed anew.
_SHRUNK = 1e-6


def least_squares(A: np.ndarray, y: np.ndarray) -> np.ndarray:
    """The shortest w, shape (n_columns,), that minimises ||y - A w||."""
    return RowSubsets(A, y).solve(np.ones(len(y), dtype=bool))


class RowSubsets:
    """Least squares on one subset of the rows of A after another, the shortest solution of each.

    By Cholesky factors of A'A or, where the subset has fewer rows than columns, of A A', refined once; by singular
    values where these are singular. A'A follows the rows that join and leave, unless those that left were nearly all of
    it; A A' is formed once: from the second subset on the factors are what costs.
    """

    def __init__(self, A: np.ndarray, y: np.ndarray) -> None:
        self._A, self._y = A, y
        self._counted = np.zeros(len(y), dtype=bool)
        self._of_columns: np.ndarray | None = None
        self._largest = np.zeros(A.shape[1])  # diagonal of A'A since it was formed
        self._of_rows: np.ndarray | None = None

    def solve(self, rows: np.ndarray) -> np.ndarray:
        """The weights, shape (n_columns,), for the rows of a mask."""
        tall = int(rows.sum()) >= self._A.shape[1]
        try:
            factors = linalg.cho_factor(self._of_these_columns(rows) if tall else self._of_these_rows(rows))
        except linalg.LinAlgError:
            return np.asarray(linalg.lstsq(self._A[rows], self._y[rows])[0])
        pivots = np.diag(factors[0]) ** 2
        if not pivots.size or pivots.min() <= _SINGULAR * pivots.max():
            return np.asarray(linalg.lstsq(self._A[rows], self._y[rows])[0])

        def solve(right: np.ndarray) -> np.ndarray:
            spread = np.zeros(len(rows))
            spread[rows] = right[rows] if tall else linalg.cho_solve(factors, right[rows], check_finite=False)
            weights: np.ndarray = self._A.T @ spread
            return linalg.cho_solve(factors, weights, check_finite=False) if tall else weights

        weights = solve(self._y)
        refined: np.ndarray = weights + solve(self._y - self._A @ weights)
        return refined

    def _of_these_columns(self, rows: np.ndarray) -> np.ndarray:
        """A'A of these rows, from that of the last ones where fewer rows changed than there are."""
        joined, left = rows & ~self._counted, self._counted & ~rows
        product = self._of_columns
        self._counted = rows.copy()
        if product is not None and joined.sum() + left.sum() < rows.sum():
            for changed, sign in ((joined, 1.0), (left, -1.0)):
                if changed.any():
                    chosen = self._A[changed]
                    product += sign * (chosen.T @ chosen)
                    np.maximum(self._largest, np.diag(product), out=self._largest)
            if (np.diag(product) >= _SHRUNK * self._largest).all():
                return product
        chosen = self._A if rows.all() else self._A[rows]
        self._of_columns = chosen.T @ chosen
        self._largest = np.diag(self._of_columns).copy()
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

    ``find_clean`` makes a mask of rows of the residuals. It ends where these move by at most ``tol`` times the
    `robust_length` of y, or the same rows are clean. Returns weights, the mask, and the number of iterations.
    """
    clean, residuals, subsets = np.ones(len(y), dtype=bool), y, RowSubsets(A, y)
    scale = robust_length(y)
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
