"""Many classes through binary robust classifiers, one against the rest (Globerson & Roweis 2006, footnote 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.svm import SVC
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram
from benchkit_feature_noise.estimators.o2b import OnlineToBatchPerceptron
from benchkit_feature_noise.estimators.tgrs import StochasticFeatureDropping

BASES: dict[str, Any] = {
    "lp": RobustLinearProgram,
    "o2b": OnlineToBatchPerceptron,
    "fdrop": FeatureDroppingSVM,
    "fdrop-v": FeatureDroppingSVM,
    "tgrs": StochasticFeatureDropping,
    "tgrs-v": StochasticFeatureDropping,
    "svm": partial(SVC, kernel="linear"),
}
_KNOW_NO_VALUES = ("fdrop", "tgrs")


@dataclass(eq=False, repr=False)
class OneVersusRest(ClassifierMixin, BaseEstimator):
    """A binary linear classifier for each class against the others; the largest score decides.

    Parameters
    ----------
    estimator : {"lp", "o2b", "fdrop", "fdrop-v", "tgrs", "tgrs-v", "svm"} or estimator, default="lp"
        The binary classifier; an object is cloned and its own parameters kept.
    C : float, default=1
        Of the named classifiers.
    budget : float, default=0
        N or K of the named classifiers.
    feature_values : array-like of shape (n_features,) or None
        v >= 0, for the named classifiers that take them; ones where None.
    groups : sequence of sequences of int, default=()
        Columns that are one feature, for the named classifiers that take them.
    random_state : int, RandomState or None
        For the named classifiers that take one.

    Attributes
    ----------
    coef_ : ndarray of shape (n_classes, n_features), or (1, n_features) for two classes
    intercept_ : ndarray of shape (n_classes,), or (1,)
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list of fitted estimators
    n_features_in_ : int
    """

    estimator: Any = "lp"
    C: float = 1.0
    budget: float = 0.0
    feature_values: Any = None
    groups: Sequence[Sequence[int]] = ()
    random_state: Any = None

    def fit(self, X: Any, y: Any) -> Self:
        """Fit one classifier per class, of two or more."""
        X, y = validate_data(self, X, y, accept_sparse="csr", dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError(f"OneVersusRest needs 2 classes, the data has one class: {self.classes_[0]}")
        positive = self.classes_[1:] if len(self.classes_) == 2 else self.classes_
        base = self._base()
        self.estimators_ = [clone(base).fit(X, np.where(y == label, 1, -1)) for label in positive]
        coefs = [each.coef_.toarray() if hasattr(each.coef_, "toarray") else each.coef_ for each in self.estimators_]
        self.coef_ = np.concatenate(coefs)
        self.intercept_ = np.concatenate([np.ravel(each.intercept_) for each in self.estimators_])
        return self

    def _base(self) -> Any:
        if not isinstance(self.estimator, str):
            return self.estimator
        if self.estimator not in BASES:
            raise ValueError(f"estimator is {self.estimator!r}, expected one of {', '.join(BASES)}, or an estimator")
        base = BASES[self.estimator](C=self.C)
        given = {
            "noise_budget": self.budget,
            "n_deleted": self.budget,
            "feature_values": None if self.estimator in _KNOW_NO_VALUES else self.feature_values,
            "groups": self.groups,
            "random_state": self.random_state,
        }
        return base.set_params(**{name: given[name] for name in given.keys() & base.get_params().keys()})

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores of the classes, shape (n_samples, n_classes), or (n_samples,) for two classes."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", reset=False)
        scores: np.ndarray = safe_sparse_dot(X, self.coef_.T) + self.intercept_
        return scores[:, 0] if len(self.classes_) == 2 else scores

    def predict(self, X: Any) -> np.ndarray:
        """Classes, shape (n_samples,)."""
        scores = self.decision_function(X)
        chosen = (scores > 0).astype(int) if scores.ndim == 1 else scores.argmax(axis=1)
        labels: np.ndarray = self.classes_[chosen]
        return labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
