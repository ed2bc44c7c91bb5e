"""The online-to-batch Perceptron of Dekel, Shamir & Xiao 2010, section 3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from benchkit import Features, check_positive
from benchkit_deletion.threat import check_values
from benchkit_feature_noise.bounds import remaining_value
from benchkit_feature_noise.estimators.robust_classifier import RobustLinearClassifier
from benchkit_feature_noise.solvers import perceptron_kernel

_BLOCK = 4096  # dense rows that are laid side by side in the order of the pass


@dataclass(eq=False, repr=False)
class OnlineToBatchPerceptron(RobustLinearClassifier):
    """Perceptron that sees each row after an adversary deleted features of total value N from it.

    Rows are shuffled and seen once. On a positive loss (Eq. 29, its inner maximum relaxed for values other than 0 and
    1), w moves by tau y x restricted to the kept features, b by tau y, both projected onto [-C, C]. The classifier is
    the average of the iterates before each update, w_1 = 0 to w_m. Memory is constant: `partial_fit` takes a stream.

    Parameters
    ----------
    C : float, default=1
    noise_budget : float, default=0
        N, 0 <= N < V.
    feature_values : array-like of shape (n_features,) or None
        v >= 0; ones where None.
    groups : sequence of sequences of int, default=()
        Columns that are one feature, such as a one-hot block: the adversary deletes them together, for the sum of their
        values.
    radius : {"data", "unit-l1"} or float, default="data"
        Norm bound R behind the step tau = C sqrt((n + 1) / (m (R^2 + 1))): the largest Euclidean norm of the rows (seen
        so far, in a stream), or a given one; "unit-l1" takes the paper's tau = C sqrt((n + 1) / (2 m)), whose proof
        needs |x|_1 <= 1.
    horizon : int or None, default=None
        m, the length of a stream; without it row t of a stream moves by the tau of m = t. `fit` knows its m.
    fit_intercept : bool, default=True
    random_state : int, RandomState or None
        Of the shuffle in `fit`; a stream is taken in its own order.

    Attributes
    ----------
    coef_, intercept_, classes_ : ndarray of shape (1, n_features), (1,) and (2,)
    n_seen_ : int
        Rows seen.
    cumulative_loss_ : float
        Sum of the losses that were suffered, which Theorem 4 bounds.
    step_ : float
        tau of the last row.
    n_features_in_ : int
    """

    C: float = 1.0
    noise_budget: float = 0.0
    feature_values: Any = None
    groups: Sequence[Sequence[int]] = ()
    radius: Literal["data", "unit-l1"] | float = "data"
    horizon: int | None = None
    fit_intercept: bool = True
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Run the Perceptron over the rows of two classes, shuffled, and average."""
        check_positive(C=self.C)
        X, signs = self.validated(X, y)
        self._begin(X.shape[1])
        self._see(X, signs, check_random_state(self.random_state).permutation(X.shape[0]), X.shape[0])
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Go on with the next rows of a stream, in their order; ``classes`` are needed once where y lacks one."""
        check_positive(C=self.C, **({} if self.horizon is None else {"horizon": self.horizon}))
        begins = not hasattr(self, "n_seen_")
        X, signs = self._validate_stream(X, y, classes, begins)
        if begins:
            self._begin(X.shape[1])
        self._see(X, signs, np.arange(X.shape[0]), self.horizon)
        return self

    def _begin(self, n_features: int) -> None:
        # The compiled pass is one for arrays that may be written to, and another for those that may not.
        features = Features(n_features, self.groups)
        self._values = np.array(features.sum(check_values(self.feature_values, n_features, features)))
        self._owner = np.array(features.of_column)
        self._required = 1.0 / remaining_value(self._values, self.noise_budget)
        self._weights, self._sum = np.zeros(n_features), np.zeros(n_features)
        self._bias = np.zeros(3)  # the bias, its sum, the cumulative loss
        self._squared = 0.0
        self.n_seen_ = 0

    def _see(self, X: Any, signs: np.ndarray, order: np.ndarray, horizon: int | None) -> None:
        steps = self._steps(X, len(order), horizon)
        threat = self._values, self._owner, self._required, float(self.noise_budget), float(self.C)
        state = bool(self.fit_intercept), self._weights, self._sum, self._bias
        if sparse.issparse(X):
            perceptron_kernel.run(X.indptr, X.indices, X.data, signs, order, *threat, steps, *state)
        else:
            # Some at a time, side by side: all rows as a sparse matrix would be three times the data.
            for start in range(0, len(order), _BLOCK):
                part = order[start : start + _BLOCK]
                rows, step = np.take(X, part, axis=0), steps[start : start + _BLOCK]
                perceptron_kernel.run_dense(rows, signs[part], *threat, step, *state)
        self.n_seen_ += len(order)
        self.step_ = float(steps[-1])
        self.coef_ = (self._sum / self.n_seen_)[None, :]
        self.intercept_ = np.array([self._bias[1] / self.n_seen_])
        self.cumulative_loss_ = float(self._bias[2])

    def _steps(self, X: Any, count: int, horizon: int | None) -> np.ndarray:
        """Tau of each of the next rows, shape (count,)."""
        lengths = self.n_seen_ + np.arange(1.0, count + 1) if horizon is None else np.full(count, float(horizon))
        if isinstance(self.radius, str):
            if self.radius == "unit-l1":
                return self.C * np.sqrt((X.shape[1] + 1) / (2 * lengths))
            if self.radius != "data":
                raise ValueError(f"radius is {self.radius!r}, expected 'data', 'unit-l1' or a number")
            self._squared = max(self._squared, float(row_norms(X, squared=True).max()))
            squared = self._squared
        else:
            check_positive(radius=self.radius)
            squared = float(self.radius) ** 2
        return self.C * np.sqrt((X.shape[1] + 1) / (lengths * (squared + 1)))
