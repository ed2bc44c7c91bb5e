"""Dense error correction by alternating directions on the dual."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import linalg
from sklearn.exceptions import ConvergenceWarning

from benchkit_robust_regression.estimators.dense_error import DenseErrorRegressor, relative_gap

# Weight of the augmented Lagrangian's penalty, for |y| of mean 1: a choice of speed, not of result.
_PENALTY = 0.3


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

    def __init__(
        self,
        clean_size: Any = "adaptive",
        n_selected: int | float | None = None,
        batch_size: int | None = None,
        max_iter: int = 10000,
        tol: float = 1e-4,
        fit_intercept: bool = False,
    ) -> None:
        self.clean_size = clean_size
        self.n_selected = n_selected
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.tol = tol
        self.fit_intercept = fit_intercept

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
