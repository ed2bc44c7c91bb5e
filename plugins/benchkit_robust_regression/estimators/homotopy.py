"""Dense error correction along the path of the Lasso."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchkit_robust_regression.estimators.dense_error import DenseErrorRegressor, relative_gap
from benchkit_robust_regression.solvers.dense_error_path import DenseErrorPath

# Ties among rows or columns can lead the path astray: an end further above the dual's bound, of the objective, is told.
_TOLERANCE = 1e-4


class Homotopy(DenseErrorRegressor):
    """min |w|_1 + |e|_1 subject to y = X w + e, by the Lasso's path on [X, I] down to penalty zero.

    Parameters
    ----------
    clean_size : "adaptive" or float or int, default="adaptive"
        All rows up to 2.5 times the scale of e, a fraction of the rows, or a count.
    n_selected : int, float or None, default=None
        Number, or fraction, of features to keep; all where None.
    batch_size : int or None, default=None
        Features per batch; all at once where None.
    max_iter : int, default=20000
        Steps of the path per batch.
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
        max_iter: int = 20000,
        fit_intercept: bool = False,
    ) -> None:
        self.clean_size = clean_size
        self.n_selected = n_selected
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept

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
