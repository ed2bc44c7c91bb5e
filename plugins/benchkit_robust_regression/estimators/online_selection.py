"""Features one by one: grafting (Perkins & Theiler 2003), online substitution (Yang, Fujimaki, Kusumura & Liu 2016)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import enet_path

from benchkit_robust_regression.estimators.linear_regressor import SparseLinearRegressor
from benchkit_robust_regression.solvers.selection import largest, resolve_count


@dataclass(eq=False, repr=False)
class Grafting(SparseLinearRegressor):
    """Takes a feature where that lowers |y - X w|^2 / (2 n) + alpha |w|_1, then fits those it holds again.

    Features come one by one and are seen once: feature j is taken where |x_j.r| / n > alpha; those whose weight becomes
    zero are dropped for good. Every row counts: the method knows of no corruption.

    Parameters
    ----------
    alpha : float, default=0.1
        As in `sklearn.linear_model.Lasso`.
    n_selected : int, float or None, default=None
        Number, or fraction, of features whose weights are kept in the end, the largest; all held where None.
    max_iter : int, default=1000
        Sweeps of coordinate descent per feature taken.
    tol : float, default=1e-4
        Duality gap of coordinate descent, as in `sklearn.linear_model.Lasso`.
    fit_intercept : bool, default=False

    Attributes
    ----------
    coef_, intercept_, support_ : ndarray of shape (n_features,), float and mask of shape (n_features,)
    n_iter_ : int
        Features taken.
    n_features_in_ : int

    References
    ----------
    Perkins & Theiler 2003, Online feature selection using grafting.
    """

    alpha: float = 0.1
    n_selected: int | float | None = None
    max_iter: int = 1000
    tol: float = 1e-4
    fit_intercept: bool = False

    def _learn(self, X: Any, y: np.ndarray) -> None:
        """See the features one by one, in their order."""
        n_features = X.shape[1]
        n_kept = n_features if self.n_selected is None else resolve_count("n_selected", self.n_selected, n_features)
        self._begin(y)
        for feature in range(n_features):
            column = X[:, [feature]].toarray().ravel() if sparse.issparse(X) else X[:, feature]
            self._see(feature, column)
        kept = largest(self._weights, n_kept)
        weights, columns = self._weights[kept], self._columns[kept]
        intercept = self._mean - float(self._means[kept] @ weights)
        self._set_coefficients(weights, columns, intercept, n_features)
        del self._block, self._gram, self._centred, self._residuals

    def _begin(self, y: np.ndarray) -> None:
        """Hold no feature."""
        self._mean = float(y.mean()) if self.fit_intercept else 0.0
        self._centred = y - self._mean
        self._residuals = self._centred
        self._block = np.empty((len(y), 0), order="F")
        self._gram = np.empty((0, 0))
        self._products, self._means, self._weights = np.empty(0), np.empty(0), np.empty(0)
        self._columns = np.empty(0, dtype=np.int64)
        self.n_iter_ = 0

    def _see(self, feature: int, column: np.ndarray) -> None:
        """Take a feature where its gradient exceeds alpha."""
        mean = float(column.mean()) if self.fit_intercept else 0.0
        centred = column - mean
        if abs(float(centred @ self._residuals)) <= self.alpha * len(column):
            return
        self.n_iter_ += 1
        held = len(self._columns)
        if self._block.shape[1] == held:
            grown = np.empty((len(column), max(16, 2 * held)), order="F")
            grown[:, :held] = self._block
            self._block = grown
        self._block[:, held] = centred
        across = self._block[:, : held + 1].T @ centred
        self._gram = np.block([[self._gram, across[:-1, None]], [across[None, :]]])
        self._products = np.append(self._products, centred @ self._centred)
        self._means, self._columns = np.append(self._means, mean), np.append(self._columns, feature)
        self._weights = self._descend(np.append(self._weights, 0.0))
        self._drop_zeros()
        self._residuals = self._centred - self._block[:, : len(self._columns)] @ self._weights

    def _descend(self, start: np.ndarray) -> np.ndarray:
        """Weights of the features held, by coordinate descent on their Gram matrix."""
        with warnings.catch_warnings():
            # A fit that is not quite there is gone on with at the next feature.
            warnings.simplefilter("ignore", ConvergenceWarning)
            _, path, _ = enet_path(
                self._block[:, : len(start)],
                self._centred,
                l1_ratio=1.0,
                alphas=[self.alpha],
                precompute=self._gram,
                Xy=self._products,
                coef_init=start,
                check_input=False,
                max_iter=self.max_iter,
                tol=self.tol,
            )
        weights: np.ndarray = path[:, 0]
        return weights

    def _drop_zeros(self) -> None:
        kept = np.flatnonzero(self._weights)
        if len(kept) == len(self._weights):
            return
        for target, origin in enumerate(kept):
            self._block[:, target] = self._block[:, origin]
        self._gram = self._gram[np.ix_(kept, kept)]
        self._products, self._means = self._products[kept], self._means[kept]
        self._columns, self._weights = self._columns[kept], self._weights[kept]


# What is left of a constant column after its mean was taken off, relative to its squares.
_ROUNDING = 1e-28


@dataclass(eq=False, repr=False)
class OnlineSubstitution(SparseLinearRegressor):
    """Steps down the gradient over the features held and the one that arrives, and drops the smallest weight beyond k.

    Features come one by one and are seen once. For each, w <- w + eta X'r / n over the held features and the new one,
    r = y - X w, and the one of the smallest weight goes if there are more than k; up to ``max_iter`` times. The new
    feature stays where its step, eta |x.r| / n, is longer than the smallest weight held. Every row counts: the method
    knows of no corruption.

    Parameters
    ----------
    n_selected : int or float, default=10
        k; a float is a fraction of the features. More than there are keeps all.
    step : float, default=0.1
        eta, at most the step that minimises the squared residuals along the gradient.
    max_iter : int, default=1
        Steps per feature.
    tol : float, default=1e-3
        No further step for a feature where the residual moved by at most ``tol`` times the length of y.
    fit_intercept : bool, default=False
        Centres y and every feature.

    Attributes
    ----------
    coef_, intercept_, support_ : ndarray of shape (n_features,), float and mask of shape (n_features,)
    n_iter_ : int
        Steps over all features.
    n_features_in_ : int

    References
    ----------
    Yang, Fujimaki, Kusumura & Liu 2016, Online feature selection: a limited-memory substitution algorithm and its
    asynchronous parallel variation.
    """

    n_selected: int | float = 10
    step: float = 0.1
    max_iter: int = 1
    tol: float = 1e-3
    fit_intercept: bool = False

    def _learn(self, X: Any, y: np.ndarray) -> None:
        """See the features one by one, in their order."""
        n_features = X.shape[1]
        mean = float(y.mean()) if self.fit_intercept else 0.0
        held = _HeldFeatures(y - mean, resolve_count("n_selected", self.n_selected, n_features))
        means = np.zeros(n_features)
        self.n_iter_ = 0
        for feature in range(n_features):
            column = X[:, [feature]].toarray().ravel() if sparse.issparse(X) else X[:, feature]
            if self.fit_intercept:
                means[feature] = column.mean()
                centred = column - means[feature]
                if centred @ centred <= _ROUNDING * (column @ column):
                    continue
                column = centred
            held.take(feature, column)
            for _ in range(self.max_iter):
                self.n_iter_ += 1
                if held.improve(self.step) <= self.tol:
                    break
        columns, weights = held.columns, held.weights
        self._set_coefficients(weights, columns, mean - float(means[columns] @ weights), n_features)


class _HeldFeatures:
    """At most ``limit`` columns with their weights, a new one, and what they leave of y."""

    def __init__(self, y: np.ndarray, limit: int) -> None:
        self._limit, self._scale = limit, float(np.linalg.norm(y))
        self._residuals = y.copy()
        self._block = np.empty((len(y), limit + 1), order="F")
        self._weights = np.zeros(limit + 1)
        self._columns = np.zeros(limit + 1, dtype=np.int64)
        self._count = 0

    @property
    def columns(self) -> np.ndarray:
        """Numbers of the features held, shape (count,)."""
        return self._columns[: self._count]

    @property
    def weights(self) -> np.ndarray:
        """Their weights, shape (count,)."""
        return self._weights[: self._count]

    def take(self, feature: int, column: np.ndarray) -> None:
        """Put a column of shape (n_samples,) beside the others, of weight 0, and drop one beyond k at the next step."""
        place = self._count
        self._block[:, place], self._columns[place], self._weights[place] = column, feature, 0.0
        self._count += 1

    def improve(self, longest: float) -> float:
        """One step; how far the residual moved, relative to y."""
        n, present, before = len(self._residuals), self._block[:, : self._count], self._residuals
        gradient = present.T @ before / n
        effect = present @ gradient
        curvature = float(effect @ effect) / n
        step = min(longest, float(gradient @ gradient) / curvature) if curvature > 0 else longest
        self.weights[:] += step * gradient
        self._residuals = before - step * effect
        if self._count > self._limit:
            self._drop_smallest()
        return float(np.linalg.norm(self._residuals - before)) / self._scale if self._scale > 0 else 0.0

    def _drop_smallest(self) -> None:
        """Forget the feature of the smallest weight, of equals the last; the last one moves into its place."""
        last = self._count - 1
        place = last - int(np.argmin(np.abs(self.weights[::-1])))
        self._residuals += self._weights[place] * self._block[:, place]
        self._block[:, place] = self._block[:, last]
        self._weights[place], self._columns[place] = self._weights[last], self._columns[last]
        self._count = last
