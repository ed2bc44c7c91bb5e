"""Imputation of the class-wise mean in feature space: Dick, Haider & Scheffer 2008, Definition 1."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.utils.validation import check_consistent_length, column_or_1d

from benchkit import check_count, check_not_negative
from benchkit_incomplete_data.solvers.kernels import Kernel, make_kernel
from benchkit_incomplete_data.solvers.observed import RowImputer, observed_box, observed_moments, typical_deviation
from benchkit_incomplete_data.solvers.spectral_projected_gradient import minimise


@dataclass(eq=False, repr=False)
class ClassMeanImputer(RowImputer):
    """Puts what brings the rows of a class closest to their mean in the kernel's feature space.

        min over imputations  sum_y 1/n_y sum_(i, j of class y) k(w_i, w_i) - 2 k(w_i, w_j) + k(w_j, w_j)

    within the ranges observed, from the class's mean in input space, which is the solution where the kernel is
    linear. Without labels all rows are one class. A row that is seen later has no label: it is brought closest to the
    mean of each class in turn, and the nearest counts.

    Parameters
    ----------
    kernel : {"rbf", "linear"}, default="rbf"
    gamma : float or "scale", default="scale"
    max_evaluations : int, default=100
        Of the sum and its gradient, for each class.
    tol : float, default=1e-4
        The end: two steps in a row lower the sum by less than this part of the decrease so far.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        None of them without labels: then it holds a single None.
    completed_ : ndarray of shape (n_samples, n_features)
        The training rows, filled in; ``fit_transform`` returns it.
    n_features_in_ : int
    """

    kernel: Literal["rbf", "linear"] = "rbf"
    gamma: float | str = "scale"
    max_evaluations: int = 100
    tol: float = 1e-4

    def _learn(self, X: np.ndarray, y: Any) -> None:
        """Fill in the training rows."""
        check_count(1, max_evaluations=self.max_evaluations)
        check_not_negative(tol=self.tol)
        missing = np.isnan(X)
        self._box, self._unit = observed_box(X), typical_deviation(X)
        means = np.where(missing, observed_moments(X)[0], X)
        self._kernel = make_kernel(self.kernel, self.gamma, means)
        self.completed_ = means
        if y is not None:
            y = column_or_1d(y)
            check_consistent_length(X, y)
        self.classes_ = np.array([None]) if y is None else np.unique(y)
        self._members = [np.ones(len(X), dtype=bool)] if y is None else [y == c for c in self.classes_]
        for members in self._members:
            self.completed_[members] = self._fill_class(X[members], missing[members], means[members])

    def _fill_class(self, X: np.ndarray, missing: np.ndarray, fallback: np.ndarray) -> np.ndarray:
        """The rows of one class, filled in."""
        n_observed = (~missing).sum(axis=0)
        class_means = np.where(missing, 0.0, X).sum(axis=0) / np.maximum(n_observed, 1)
        start = np.where(missing, np.where(n_observed > 0, class_means, fallback[0]), X)
        if self.kernel == "linear":
            return start
        share = np.full(len(X), 1.0 / np.sqrt(len(X)))

        def spread(rows: np.ndarray) -> tuple[float, np.ndarray]:
            own, own_gradient = self._kernel.diagonal(rows)
            between, between_gradient = self._kernel.quadratic(rows, share)
            return 2 * (own - between), 2 * (own_gradient - between_gradient) * missing

        start = np.clip(start, *self._box)
        return minimise(spread, start, *self._box, self.max_evaluations, self.tol, self._unit).point

    def fit_transform(self, X: Any, y: Any = None) -> np.ndarray:
        """Fill in the training rows, by their labels, and return them."""
        return self.fit(X, y).completed_

    def _filled(self, X: np.ndarray) -> np.ndarray:
        """Rows with what is missing filled in, without knowing their classes."""
        filled = X.copy()
        missing = np.isnan(X)
        rows = missing.any(axis=1)
        if rows.any():
            options = [self._approach(X[rows], missing[rows], self.completed_[each]) for each in self._members]
            distances = [
                _distances(self._kernel, option, self.completed_[each])
                for option, each in zip(options, self._members, strict=True)
            ]
            nearest = np.argmin(distances, axis=0)
            filled[rows] = np.array(options)[nearest, np.arange(rows.sum())]
        return filled

    def _approach(self, X: np.ndarray, missing: np.ndarray, towards: np.ndarray) -> np.ndarray:
        """Rows filled in so as to be closest to the mean of other rows."""
        start = np.where(missing, towards.mean(axis=0), X)
        if self.kernel == "linear":
            return start
        share = np.full(len(towards), 1.0 / len(towards))

        def distance(rows: np.ndarray) -> tuple[float, np.ndarray]:
            own, own_gradient = self._kernel.diagonal(rows)
            between, between_gradient = self._kernel.bilinear(rows, towards, share)
            return own - 2 * between, (own_gradient - 2 * between_gradient) * missing

        lower, upper = (np.where(missing, end, X) for end in self._box)
        start = np.clip(start, lower, upper)
        return minimise(distance, start, lower, upper, self.max_evaluations, self.tol, self._unit).point


def _distances(kernel: Kernel, rows: np.ndarray, towards: np.ndarray) -> np.ndarray:
    """Squared distance of each row from the mean of others in feature space, but for what all classes share."""
    within = kernel.matrix(towards, towards).mean()
    own = np.array([kernel.diagonal(row[None])[0] for row in rows])
    return own - 2 * kernel.matrix(rows, towards).mean(axis=1) + within
