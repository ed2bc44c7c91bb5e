"""Linear classifiers on random subsets of the features."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data


class RandomSubspaceClassifier(ClassifierMixin, BaseEstimator):
    """Logistic regressions, each on a random subset of the features, whose linear forms are averaged.

    The average of linear forms is a linear form, so that adversaries who need one face the ensemble as it is.

    Parameters
    ----------
    n_members : int, default=30
        M, classifiers in the ensemble.
    share : float, default=0.5
        Of the features that each member sees, 0 < share <= 1; at least one feature.
    C : float, default=1.0
        Inverse strength of each member's L2 penalty.
    random_state : int, RandomState or None, default=None
        Draws the subsets.

    Attributes
    ----------
    classes_ : ndarray of shape (2,)
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    n_features_in_ : int

    References
    ----------
    T. K. Ho, The random subspace method for constructing decision forests, IEEE TPAMI 20(8), 1998.
    """

    def __init__(self, n_members: int = 30, share: float = 0.5, C: float = 1.0, random_state: Any = None) -> None:
        self.n_members = n_members
        self.share = share
        self.C = C
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> RandomSubspaceClassifier:
        """Fit the members.

        Parameters
        ----------
        X : array-like or CSR matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        """
        if self.n_members < 1 or not 0 < self.share <= 1:
            raise ValueError(
                f"n_members={self.n_members} and share={self.share}: expected at least 1, and 0 < share <= 1"
            )
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=float)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(
                f"Only binary classification is supported. The data has {len(self.classes_)} class(es): {self.classes_}"
            )
        random = check_random_state(self.random_state)
        n_features = X.shape[1]
        seen = max(1, round(self.share * n_features))
        coef, intercept = np.zeros(n_features), 0.0
        for _ in range(self.n_members):
            subset = np.sort(random.permutation(n_features)[:seen])
            member = LogisticRegression(C=self.C, max_iter=1000).fit(X[:, subset], y)
            coef[subset] += member.coef_[0] / self.n_members
            intercept += member.intercept_[0] / self.n_members
        self.coef_, self.intercept_ = coef[None, :], np.array([intercept])
        return self

    def decision_function(self, X: Any) -> np.ndarray:
        """Positive for the second class, shape (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=float, reset=False)
        scores: np.ndarray = X @ self.coef_[0] + self.intercept_[0]
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """Predicted classes, shape (n_samples,)."""
        scores = self.decision_function(X)
        predicted: np.ndarray = self.classes_[(scores > 0).astype(int)]
        return predicted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags
