"""The support vector machine on few features, ranked as Globerson & Roweis 2006, section 3, suggest, or otherwise."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from benchkit import check_positive
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.feature_ranking import deletion_frequency, information_gain, ranking
from benchkit_feature_noise.estimators.robust_classifier import RobustLinearClassifier

RANKINGS = ("deletion", "information-gain", "random")


class FeatureSelectingSVM(RobustLinearClassifier):
    """Linear support vector machine on the features that a ranking puts first.

    Parameters
    ----------
    C : float, default=1
        Of the machine, and of FDROP where that ranks.
    by : {"deletion", "information-gain", "random"}, default="deletion"
        How often FDROP's adversary deletes a feature from the training rows; I([x_j > 0]; y); or a random order, which
        a ranking that says anything must beat.
    n_selected : int, default=10
        All features where there are fewer.
    n_deleted : float, default=10
        K of FDROP, but no more than half of the features.
    random_state : int, RandomState or None
        Of the random order.

    Attributes
    ----------
    selected_ : ndarray of int, shape (n_selected,)
        Best first.
    coef_ : ndarray of shape (1, n_features)
        Zero for what is not selected.
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    n_features_in_ : int

    References
    ----------
    A. Globerson, S. Roweis. Nightmare at test time: robust learning by feature deletion. ICML 2006, section 3.
    """

    def __init__(
        self,
        C: float = 1.0,
        by: Literal["deletion", "information-gain", "random"] = "deletion",
        n_selected: int = 10,
        n_deleted: float = 10.0,
        random_state: Any = None,
    ) -> None:
        self.C = C
        self.by = by
        self.n_selected = n_selected
        self.n_deleted = n_deleted
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Rank the features, select, and train libsvm.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        sample_weight : array-like of shape (n_samples,) or None
            A row of weight k counts as k rows.
        """
        check_positive(C=self.C, n_selected=self.n_selected)
        if self.by not in RANKINGS:
            raise ValueError(f"by is {self.by!r}, expected one of {', '.join(RANKINGS)}")
        X, signs, weights = self._validate_weighted(X, y, sample_weight)
        self.selected_ = self._rank(X, signs, weights)[: int(self.n_selected)]
        machine = SVC(kernel="linear", C=self.C).fit(X[:, self.selected_], signs, weights)
        coef = machine.coef_
        self.coef_ = np.zeros((1, X.shape[1]))
        self.coef_[0, self.selected_] = np.ravel(coef.toarray() if hasattr(coef, "toarray") else coef)
        self.intercept_ = np.array(machine.intercept_)
        return self

    def _rank(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> np.ndarray:
        if self.by == "random":
            order: np.ndarray = check_random_state(self.random_state).permutation(X.shape[1])
            return order
        if self.by == "information-gain":
            return ranking(information_gain(X, signs, weights))
        n_deleted = min(self.n_deleted, X.shape[1] // 2)
        robust = FeatureDroppingSVM(C=self.C, n_deleted=n_deleted).fit(X, signs, weights)
        return ranking(deletion_frequency(robust, X, signs, n_deleted, weights))
