"""Dense error correction: min |w|_1 + |e|_1 subject to y = X w + e (Wright & Ma 2010), along a path or on the dual."""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from benchkit_robust_regression.estimators.torrent import BatchRegressor
from benchkit_robust_regression.solvers.dense_error_path import DenseErrorPath

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


# Weight of the augmented Lagrangian's penalty, for |y| of mean 1: a choice of speed, not of result.
_PENALTY = 0.3


@dataclass(eq=False, repr=False)
class DualAugmentedLagrangian(DenseErrorRegressor):
    """min |w|_1 + |e|_1 subject to y = X w + e, by DALM: the multipliers of the dual's constraints are (w, e).

    Parameters
    ----------
    clean_size : "adaptive" or float or int, default="adaptive"
        All rows up to 2.5 times the scale of e, a fraction of the rows, or a count.
    n_selected : int, float or None, default=None
        Number, or fraction, of features to keep; all where None.
    batch_size : int or None, default=None
        Features per batch; all at once where None.
    max_iter : int, default=10000
        Iterations per batch.
    tol : float, default=1e-4
        Largest gap between the objective of w and a lower bound from the dual, relative to the objective.
    fit_intercept : bool, default=False
        A column of ones, whose weight enters |w|_1 like any other.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    support_ : ndarray of bool of shape (n_features,)
        The features kept.
    inlier_mask_ : ndarray of bool of shape (n_samples,)
    n_clean_, n_iter_, n_features_in_ : int

    References
    ----------
    Wright & Ma 2010, Dense error correction via l1-minimization; the solver in Yang, Ganesh, Sastry & Ma 2010, Fast
    l1-minimization algorithms and an application in robust face recognition: a review.
    """

    clean_size: Any = "adaptive"
    n_selected: int | float | None = None
    batch_size: int | None = None
    max_iter: int = 10000
    tol: float = 1e-4
    fit_intercept: bool = False

    def _minimise(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, int]:
        """Maximise y.u subject to z = [A, I]'u, |z|_inf <= 1; x = (w, e) are the multipliers."""
        solve = _solver_of_gram(A)
        k = A.shape[1]
        x, image = np.zeros(k + len(y)), np.zeros(k + len(y))
        for iteration in range(1, self.max_iter + 1):
            z = np.clip(image + x / _PENALTY, -1.0, 1.0)
            target = z - x / _PENALTY
            u = solve(A @ target[:k] + target[k:] + y / _PENALTY)
            image = np.concatenate([A.T @ u, u])
            x -= _PENALTY * (z - image)
            if iteration % 10 == 0 and relative_gap(A, y, x[:k], u, image) <= self.tol:
                break
        else:
            warnings.warn(f"no gap of {self.tol:g} after {self.max_iter} iterations", ConvergenceWarning, stacklevel=2)
        return x[:k], iteration


def _solver_of_gram(A: np.ndarray) -> Callable[[np.ndarray], np.ndarray]:
    """Solves (I + A A') u = v, by the smaller of A A' and A'A."""
    n_rows, n_columns = A.shape
    if n_rows <= n_columns:
        rows = linalg.cho_factor(np.eye(n_rows) + A @ A.T)
        return lambda v: np.asarray(linalg.cho_solve(rows, v))
    columns = linalg.cho_factor(np.eye(n_columns) + A.T @ A)
    return lambda v: np.asarray(v - A @ linalg.cho_solve(columns, A.T @ v))


# Ties among rows or columns can lead the path astray: an end further above the dual's bound, of the objective, is told.
_TOLERANCE = 1e-4


@dataclass(eq=False, repr=False)
class Homotopy(DenseErrorRegressor):
    """min |w|_1 + |e|_1 subject to y = X w + e, by the Lasso's path on [X, I] down to penalty zero.

    Parameters
    ----------
    clean_size, n_selected, batch_size, fit_intercept
        As of `DualAugmentedLagrangian`, as are attributes and references.
    max_iter : int, default=20000
        Steps of the path per batch.
    """

    clean_size: Any = "adaptive"
    n_selected: int | float | None = None
    batch_size: int | None = None
    max_iter: int = 20000
    fit_intercept: bool = False

    def _minimise(self, A: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, int]:
        path = DenseErrorPath(A, y)
        finished = path.follow(self.max_iter)
        weights = path.weights
        image = np.concatenate([A.T @ path.dual, path.dual])
        if not finished or relative_gap(A, y, weights, path.dual, image) > _TOLERANCE:
            warnings.warn(
                f"the path stopped above the least objective, after {path.n_steps} steps",
                ConvergenceWarning,
                stacklevel=2,
            )
        return weights, path.n_steps


def compile_path() -> None:
    """Follow the path on a tiny problem, before anything is timed."""
    random = np.random.default_rng(0)
    X = random.normal(size=(12, 3))
    Homotopy().fit(X, X @ np.ones(3) + 0.1 * random.normal(size=12))
