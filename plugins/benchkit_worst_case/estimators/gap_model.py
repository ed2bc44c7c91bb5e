"""A model for each lost feature, chosen by the gaps that a row has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import Features, NotApplicableError, check_count
from benchkit_worst_case.estimators.learners import new_learner, not_installed

_MOST_MODELS = 1_000
_MOST_LOSSES = 5_000


class GapModel(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier on all features, and one on those that are left for each set of up to ``n_lost`` lost ones.

    A row is answered by the classifier that lacks what the row lacks. Where more is gone, by the mean of what the
    classifiers say that each lack ``n_lost`` of it, with the training means in place of the rest.

    Parameters
    ----------
    estimator : str, mapping or estimator, default="gradient-boosting"
        The classifier: scikit-learn's on histograms ("gradient-boosting"), its forest ("random-forest"), another
        method by its name, such as "xgboost", or an object, which is cloned.
    n_lost : int, default=1
        Features that may be gone together with a classifier of their own: 57 features make 58 classifiers, two at a
        time 1,654.
    groups : sequence of sequences of int, default=()
        Columns that are one feature: a source of data, which is there or not.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    models_ : dict of tuple of int to fitted estimator
        By the numbers of the lost features.
    means_ : ndarray of shape (n_features_in_,)
        Of the training part, without its gaps.
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int

    References
    ----------
    Saar-Tsechansky & Provost 2007, Handling missing values when applying classification models: reduced models.
    """

    certifies = "gaps"

    def __init__(
        self,
        estimator: Any = "gradient-boosting",
        n_lost: int = 1,
        groups: Sequence[Sequence[int]] = (),
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.n_lost = n_lost
        self.groups = groups
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifiers; gaps of the training part are filled with the means.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64)
        check_classification_targets(y)
        check_count(n_lost=self.n_lost)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("y holds one class; two at least are needed to tell them apart")
        features = Features(X.shape[1], self.groups)
        most = min(self.n_lost, features.n_features - 1)
        number = sum(comb(features.n_features, size) for size in range(most + 1))
        if number > _MOST_MODELS:
            raise ValueError(
                f"n_lost is {self.n_lost}, which for {features.n_features} features makes {number:,} classifiers; "
                f"at most {_MOST_MODELS:,}: lower it, or make groups of columns that are lost together"
            )
        known = ~np.isnan(X)
        self.means_ = np.where(known, X, 0.0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        filled = np.where(known, X, self.means_)
        learner = new_learner(self.estimator, check_random_state(self.random_state))
        try:
            self.models_ = {
                lost: clone(learner).fit(filled[:, self._left(features, lost)], y)
                for size in range(most + 1)
                for lost in combinations(range(features.n_features), size)
            }
        except ModuleNotFoundError as error:
            raise not_installed(error) from error
        return self

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest classes, of shape (n_samples,)."""
        chances = self.predict_proba(X)
        likeliest: np.ndarray = self.classes_[chances.argmax(axis=1)]
        return likeliest

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes); shares of classifiers that have none."""
        check_is_fitted(self)
        X = validate_data(self, X, ensure_all_finite="allow-nan", dtype=np.float64, reset=False)
        features = Features(X.shape[1], self.groups)
        gaps = np.isnan(X)
        filled = np.where(gaps, self.means_, X)
        chances = np.zeros((len(X), len(self.classes_)))
        patterns, of_row = np.unique(features.sum(gaps.astype(int)) > 0, axis=0, return_inverse=True)
        most = max(map(len, self.models_))
        for place, pattern in enumerate(patterns):
            rows = np.flatnonzero(of_row.ravel() == place)
            lost = np.flatnonzero(pattern).tolist()
            asked = list(combinations(lost, min(len(lost), most)))
            for each in asked:
                chances[rows] += self._chances(each, filled[rows][:, self._left(features, each)]) / len(asked)
        return chances

    def certified(self, X: Any, budget: float, feature_values: np.ndarray | None = None) -> np.ndarray:
        """Which rows keep their class whatever features of a total value are gaps: shape (n_samples,). By trying all.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Before anything is lost.
        budget : float
        feature_values : ndarray of shape (n_features,) or None, default=None
            What each column costs; a group costs the sum. None: each feature 1.

        Raises
        ------
        NotApplicableError
            There are more than 5,000 sets of features to try.
        """
        X = np.asarray(X, dtype=float)
        features = Features(self.n_features_in_, self.groups)
        values = np.ones(features.n_features) if feature_values is None else features.sum(feature_values)
        predicted = self.predict(X)
        kept = np.ones(len(X), dtype=bool)
        for number, lost in enumerate(affordable(values, budget * (1 + 1e-12))):
            if number == _MOST_LOSSES:
                raise NotApplicableError(f"more than {_MOST_LOSSES:,} sets of features can be lost for {budget:g}")
            gone = np.zeros((1, features.n_features), dtype=bool)
            gone[0, list(lost)] = True
            rows = np.flatnonzero(kept)
            kept[rows] = self.predict(np.where(features.spread(gone), np.nan, X[rows])) == predicted[rows]
            if not kept.any():
                break
        return kept

    def _chances(self, lost: tuple[int, ...], X: np.ndarray) -> np.ndarray:
        model = self.models_[lost]
        if hasattr(model, "predict_proba"):
            return np.asarray(model.predict_proba(X))
        return np.asarray(np.asarray(model.predict(X))[:, None] == self.classes_, dtype=float)

    @staticmethod
    def _left(features: Features, lost: tuple[int, ...]) -> np.ndarray:
        """Columns of the features that are not lost."""
        return np.flatnonzero(~np.isin(features.of_column, lost))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def affordable(values: np.ndarray, budget: float) -> Iterator[tuple[int, ...]]:
    """All sets of one feature or more whose values sum to no more than the budget, small sets first."""
    for size in range(1, len(values) + 1):
        if np.sort(values)[:size].sum() > budget:
            return
        for chosen in combinations(range(len(values)), size):
            if values[list(chosen)].sum() <= budget:
                yield chosen
