"""The online-to-batch Perceptron of Dekel, Shamir & Xiao 2010, section 3."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.utils import check_random_state
from sklearn.utils.extmath import row_norms

from benchkit_feature_noise.robust_classifier import RobustLinearClassifier, check_positive
from benchkit_feature_noise.threat import check_values, relaxed_deletion, remaining_value


class OnlineToBatchPerceptron(RobustLinearClassifier):
    """Perceptron that sees each row after an adversary deleted features of total value N from it.

    Rows are shuffled and seen once. On a positive loss (Eq. 29, its inner maximum relaxed for values other than 0 and
    1), w moves by tau y x restricted to the kept features, b by tau y, both projected onto [-C, C]. The classifier is
    the average of the iterates before each update, w_1 = 0 to w_m.

    Parameters
    ----------
    C : float, default=1
    noise_budget : float, default=0
        N, 0 <= N < V.
    feature_values : array-like of shape (n_features,) or None
        v >= 0; ones where None.
    radius : {"data", "unit-l1"} or float, default="data"
        Norm bound R behind the step tau = C sqrt((n + 1) / (m (R^2 + 1))): the largest Euclidean norm of the rows, or a
        given one; "unit-l1" takes the paper's tau = C sqrt((n + 1) / (2 m)), whose proof needs |x|_1 <= 1.
    fit_intercept : bool, default=True
    n_passes : int, default=1
        How often all rows are seen.
    random_state : int, RandomState or None
        Of the shuffle.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    step_ : float
        tau.
    cumulative_loss_ : float
        Sum of the losses that were suffered, which Theorem 4 bounds.
    n_features_in_ : int
    """

    def __init__(
        self,
        C: float = 1.0,
        noise_budget: float = 0.0,
        feature_values: Any = None,
        radius: Literal["data", "unit-l1"] | float = "data",
        fit_intercept: bool = True,
        n_passes: int = 1,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.noise_budget = noise_budget
        self.feature_values = feature_values
        self.radius = radius
        self.fit_intercept = fit_intercept
        self.n_passes = n_passes
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Run the Perceptron over the rows and average.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        """
        check_positive(C=self.C, n_passes=self.n_passes)
        X, signs = self._validate_training(X, y)
        n_samples, n_features = X.shape
        values = check_values(self.feature_values, n_features)
        required = 1.0 / remaining_value(values, self.noise_budget)
        self.step_ = self._step(X, n_samples * self.n_passes)
        rng = check_random_state(self.random_state)
        weights, bias = np.zeros(n_features), 0.0
        weight_sum, bias_sum, loss_sum = np.zeros(n_features), 0.0, 0.0
        offset = required * values.sum()
        for _ in range(self.n_passes):
            for i in rng.permutation(n_samples):
                weight_sum += weights
                bias_sum += bias
                x = X[[i]].toarray()[0] if sparse.issparse(X) else X[i]
                sign = signs[i]
                contributions = sign * weights * x
                gains = contributions - required * values
                deleted = relaxed_deletion(gains[None, :], values, self.noise_budget)[0]
                loss = offset - sign * bias - contributions.sum() + deleted @ gains
                if loss <= 0:
                    continue
                loss_sum += loss
                weights = np.clip(weights + sign * self.step_ * (1.0 - deleted) * x, -self.C, self.C)
                if self.fit_intercept:
                    bias = float(np.clip(bias + sign * self.step_, -self.C, self.C))
        seen = n_samples * self.n_passes
        self.coef_ = (weight_sum / seen)[None, :]
        self.intercept_ = np.array([bias_sum / seen])
        self.cumulative_loss_ = float(loss_sum)
        return self

    def _step(self, X: Any, horizon: int) -> float:
        n_features = X.shape[1]
        if isinstance(self.radius, str):
            if self.radius == "unit-l1":
                return float(self.C * np.sqrt((n_features + 1) / (2 * horizon)))
            if self.radius != "data":
                raise ValueError(f"radius is {self.radius!r}, expected 'data', 'unit-l1' or a number")
            squared = float(row_norms(X, squared=True).max())
        else:
            check_positive(radius=self.radius)
            squared = float(self.radius) ** 2
        return float(self.C * np.sqrt((n_features + 1) / (horizon * (squared + 1))))
