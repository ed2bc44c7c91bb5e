"""Dense error correction: min |w|_1 + |e|_1 subject to y = X w + e (Wright & Ma 2010)."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from benchkit_robust_regression.batch_regressor import BatchRegressor
from benchkit_robust_regression.clean_count import Variant


class DenseErrorRegressor(BatchRegressor):
    """Base of the solvers: rows are clean where |e| is among the smallest, as many as ``clean_size`` says.

    The program has no set of clean rows of its own: with noise nearly all e differ from zero. The estimate is that of
    RLHH, since RoOFS's judges small tau by few residuals, and as many as there are features are zero here.
    """

    _estimate: Variant = "rlhh"

    def _fit_matrix(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not y.any():
            return np.zeros(A.shape[1]), self._find_clean(y)
        scale = float(np.abs(y).mean())
        weights, n_iter = self._minimise(A, y / scale)
        self.n_iter_ += n_iter
        return scale * weights, self._find_clean(y - scale * (A @ weights))

    @abstractmethod
    def _minimise(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, int]:
        """A minimiser's w, shape (n_columns,), and the number of iterations; the mean of |y| is 1."""
