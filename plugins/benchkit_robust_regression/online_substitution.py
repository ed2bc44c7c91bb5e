"""Online substitution (Yang, Fujimaki, Kusumura & Liu 2016): least squares over at most k features of a stream."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from scipy import linalg, sparse

from benchkit_robust_regression.linear_regressor import SparseLinearRegressor
from benchkit_robust_regression.selection import resolve_count

# A feature that the held ones explain up to this share of its square adds nothing but rounding.
_DEPENDENT = 1e-8
# What is left of a constant column after its mean was taken off, relative to its squares.
_ROUNDING = 1e-28
# Rounding adds up in the inverse: it is computed anew where it misses the newest column by this much, ...
_DRIFT = 1e-6
# ... and after so many updates.
_FRESH = 256


class OnlineSubstitution(SparseLinearRegressor):
    """Takes every feature, fits those it holds by least squares, and drops the one of the smallest weight beyond k.

    Features come one by one and are seen once. Every row counts: the method knows of no corruption. A feature that is
    a combination of those held is passed over, so that at most n are held.

    Parameters
    ----------
    n_selected : int or float, default=10
        k; a float is a fraction of the features. More than there are keeps all.
    fit_intercept : bool, default=False
        Centres y and every feature.

    Attributes
    ----------
    coef_ : ndarray of shape (n_features,)
    intercept_ : float
    support_ : ndarray of bool of shape (n_features,)
    n_iter_ : int
        Features taken.
    n_features_in_ : int

    References
    ----------
    Yang, Fujimaki, Kusumura & Liu 2016, Online feature selection: a limited-memory substitution algorithm and its
    asynchronous parallel variation. The exact fit in place of the paper's descent only makes it stronger.
    """

    def __init__(self, n_selected: int | float = 10, fit_intercept: bool = False) -> None:
        self.n_selected = n_selected
        self.fit_intercept = fit_intercept

    def fit(self, X: Any, y: Any) -> Self:
        """See the features one by one, in their order.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        X, y = self._validate_training(X, y)
        n, n_features = X.shape
        n_kept = resolve_count("n_selected", self.n_selected, n_features)
        mean = float(y.mean()) if self.fit_intercept else 0.0
        held = _HeldFeatures(y - mean, min(n_kept, n))
        means = np.zeros(n_features)
        for feature in range(n_features):
            column = X[:, [feature]].toarray().ravel() if sparse.issparse(X) else X[:, feature]
            if self.fit_intercept:
                means[feature] = column.mean()
            held.see(feature, column - means[feature], float(column @ column))
        columns, weights = held.columns(), held.fitted()
        self.n_iter_ = held.taken
        self._set_coefficients(weights, columns, mean - float(means[columns] @ weights), n_features)
        return self


class _HeldFeatures:
    """At most k columns, and the inverse of their Gram matrix, which a column more or less changes by rank one.

    Parameters
    ----------
    y : ndarray of shape (n_samples,)
    limit : int
        k.
    """

    def __init__(self, y: np.ndarray, limit: int) -> None:
        self.y, self.limit = y, limit
        self.count = self.taken = 0
        self._block = np.empty((len(y), limit + 1), order="F")
        self._inverse = np.zeros((limit + 1, limit + 1))
        self._products = np.zeros(limit + 1)
        self._columns = np.zeros(limit + 1, dtype=np.int64)

    def columns(self) -> np.ndarray:
        """Numbers of the features held, shape (count,)."""
        return self._columns[: self.count].copy()

    def weights(self) -> np.ndarray:
        """Their least-squares weights by the inverse, shape (count,): good enough to see which is smallest."""
        m = self.count
        found: np.ndarray = self._inverse[:m, :m] @ self._products[:m]
        return found

    def fitted(self) -> np.ndarray:
        """Their least-squares weights, shape (count,)."""
        found: np.ndarray = linalg.lstsq(self._block[:, : self.count], self.y)[0]
        return found

    def see(self, feature: int, column: np.ndarray, uncentred: float) -> None:
        """Take a column, whose squares summed to ``uncentred`` before its mean was taken off.

        The one of the smallest weight is dropped if there are more than k now.
        """
        m = self.count
        square = float(column @ column)
        across = self._block[:, :m].T @ column
        explained = self._inverse[:m, :m] @ across
        rest = square - float(across @ explained)
        if rest <= max(_DEPENDENT * square, _ROUNDING * uncentred):
            return
        self._inverse[:m, :m] += np.outer(explained / rest, explained)
        self._inverse[:m, m] = self._inverse[m, :m] = -explained / rest
        self._inverse[m, m] = 1.0 / rest
        self._block[:, m] = column
        self._products[m] = column @ self.y
        self._columns[m] = feature
        self.count += 1
        self.taken += 1
        # The inverse times the newest column of the Gram matrix, which should be a unit vector.
        missed = self._inverse[: m + 1, : m + 1] @ np.append(across, square)
        missed[m] -= 1.0
        if np.abs(missed).max() > _DRIFT:
            self._refresh()
        if self.count > self.limit:
            self._drop(int(np.argmin(np.abs(self.weights()))))
        if self.taken % _FRESH == 0:
            self._refresh()

    def _drop(self, place: int) -> None:
        """Forget a column; the last one moves into its place."""
        last = self.count - 1
        inverse = self._inverse[: self.count, : self.count]
        if place != last:
            inverse[[place, last]] = inverse[[last, place]]
            inverse[:, [place, last]] = inverse[:, [last, place]]
            self._block[:, place] = self._block[:, last]
            self._products[place], self._columns[place] = self._products[last], self._columns[last]
        towards = inverse[:last, last]
        inverse[:last, :last] -= np.outer(towards / inverse[last, last], towards)
        self.count = last

    def _refresh(self) -> None:
        m = self.count
        block = self._block[:, :m]
        self._inverse[:m, :m] = linalg.inv(block.T @ block)
