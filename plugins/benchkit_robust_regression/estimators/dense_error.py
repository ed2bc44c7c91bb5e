"""Dense error correction: min |w|_1 + |e|_1 subject to y = X w + e (Wright & Ma 2010)."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from benchkit_robust_regression.estimators.batch_regressor import BatchRegressor

# Of normal noise, the median of |e| is so much of the standard deviation; 2.5 of these are taken as noise.
_MEDIAN_OF_NORMAL = 0.6745
_CUT = 2.5
# A residual below this share of the mean |y| is zero but for rounding, or for the solver's tolerance.
_ZERO = 1e-3


def relative_gap(A: np.ndarray, y: np.ndarray, w: np.ndarray, u: np.ndarray, image: np.ndarray) -> float:
    """How far the objective of w may be above the least, relative to it; by u scaled into the dual's box.

    ``image`` is [A'u, u].
    """
    objective = float(np.abs(w).sum() + np.abs(y - A @ w).sum())
    bound = float(y @ u) / max(1.0, float(np.abs(image).max()))
    return (objective - bound) / objective if objective else 0.0


class DenseErrorRegressor(BatchRegressor):
    """Base of the solvers.

    The program has no set of clean rows of its own: with noise nearly all e differ from zero. Where ``clean_size`` is
    "adaptive", rows are clean up to 2.5 times the scale of e, the normalised median of |e| without its m smallest, m
    being the number of columns: a minimiser makes about as many zero (Maronna, Martin & Yohai 2006, 4.4). The
    estimates of RoOFS and RLHH would take these zeros for the size of the noise.
    """

    def _fit_matrix(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        if not y.any():
            return np.zeros(A.shape[1]), np.ones(len(y), dtype=bool)
        unit = float(np.abs(y).mean())
        weights, n_iter = self._minimise(A, y / unit)
        self.n_iter_ += n_iter
        errors = y / unit - A @ weights
        clean = self._within_scale(errors, A.shape[1]) if self.clean_size == "adaptive" else self._find_clean(errors)
        return unit * weights, clean

    @staticmethod
    def _within_scale(errors: np.ndarray, n_columns: int) -> np.ndarray:
        magnitudes = np.abs(errors)
        rest = np.sort(magnitudes)[n_columns:]
        scale = float(np.median(rest)) / _MEDIAN_OF_NORMAL if len(rest) else np.inf
        return magnitudes <= max(_CUT * scale, _ZERO)

    @abstractmethod
    def _minimise(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, int]:
        """A minimiser's w, shape (n_columns,), and the number of iterations; the mean of |y| is 1."""
