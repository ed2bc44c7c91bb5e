"""Marginalised corrupted features of van der Maaten, Chen, Tyree & Weinberger 2013."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor, cho_solve

from benchkit import check_positive
from benchkit_feature_noise.estimators.robust_classifier import RobustLinearClassifier


@dataclass(eq=False, repr=False)
class MarginalizedCorruptedFeatures(RobustLinearClassifier):
    """Least squares on infinitely many copies of the training rows with features deleted at random, in closed form.

    Minimises sum_i E (b + w.x~_i - y_i)^2 + ridge |w|^2, x~_ij = 0 with probability q and x_ij / (1 - q) otherwise
    (unbiased blankout noise): the expectation is the loss on X plus q/(1-q) sum_ij x_ij^2 w_j^2.

    Parameters
    ----------
    deletion_rate : float, default=0.5
        q, 0 <= q < 1.
    ridge : float, default=1
    fit_intercept : bool, default=True
        The bias is neither deleted nor regularised.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    n_features_in_ : int

    References
    ----------
    L. van der Maaten, M. Chen, S. Tyree, K. Q. Weinberger. Learning with marginalized corrupted features. ICML 2013,
    section 3.2.
    """

    deletion_rate: float = 0.5
    ridge: float = 1.0
    fit_intercept: bool = True

    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        """Solve the normal equations."""
        check_positive(ridge=self.ridge)
        if not 0 <= self.deletion_rate < 1:
            raise ValueError(f"deletion_rate is {self.deletion_rate!r}, expected 0 <= deletion_rate < 1")
        roots = np.sqrt(weights)[:, None]
        scaled = X.multiply(roots).tocsr() if sparse.issparse(X) else X * roots
        gram = scaled.T @ scaled
        gram = gram.toarray() if sparse.issparse(gram) else gram
        variance = self.deletion_rate / (1.0 - self.deletion_rate) * np.diag(gram)
        centre = np.zeros(X.shape[1])
        if self.fit_intercept:
            centre = (X.T @ weights) / weights.sum()
            gram = gram - weights.sum() * np.outer(centre, centre)
        shift = np.average(signs, weights=weights) if self.fit_intercept else 0.0
        gram[np.diag_indices_from(gram)] += variance + self.ridge
        coef = cho_solve(cho_factor(gram), X.T @ (weights * (signs - shift)))
        self.coef_ = coef[None, :]
        self.intercept_ = np.array([shift - centre @ coef])
