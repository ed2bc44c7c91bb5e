"""What classifiers that are trained on rows with lost columns have in common."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
<<<<<<< HEAD
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
=======
from sklearn.base import ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
>>>>>>> main
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

<<<<<<< HEAD
from benchkit import Features
from benchkit_worst_case.estimators.learners import new_learner, not_installed

Fill = Literal["zero", "nan", "mean"]
=======
from benchkit_worst_case.estimators.hardened_model import HardenedModel
>>>>>>> main


class HardenedClassifier(ClassifierMixin, HardenedModel):  # type: ignore[misc]
    """A classifier fitted on the training rows and on copies of them that lack columns.

    Subclasses say which columns the copies lack.

    Attributes
    ----------
    model_ : fitted estimator
    classes_ : ndarray of shape (n_classes,)
    n_features_in_ : int
    """

    named: ClassVar = {"gradient-boosting": HistGradientBoostingClassifier, "random-forest": RandomForestClassifier}

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            May hold NaN where the classifier takes it.
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = np.unique(y)
        if len(self.classes_) < 2:
            raise ValueError("y holds one class; two at least are needed to tell them apart")
<<<<<<< HEAD
        if self.fill not in ("zero", "nan", "mean"):
            raise ValueError(f"fill is {self.fill!r}, expected 'zero', 'nan' or 'mean'")
        rng = check_random_state(self.random_state)
        learner = new_learner(self.estimator, rng)
        try:
            self.model_ = self._fit_hardened(learner, X, y, self._left(X), Features(X.shape[1], self.groups), rng)
        except ModuleNotFoundError as error:
            raise not_installed(error) from error
=======
        self._fit_copies(X, y)
>>>>>>> main
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes)."""
        X = self._checked(X)
        return np.asarray(self.model_.predict_proba(X))
<<<<<<< HEAD

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest classes, of shape (n_samples,)."""
        X = self._checked(X)
        return np.asarray(self.model_.predict(X))

    def _checked(self, X: Any) -> Any:
        check_is_fitted(self)
        return validate_data(self, X, ensure_all_finite="allow-nan", dtype=np.float64, reset=False)

    @abstractmethod
    def _fit_hardened(
        self, learner: Any, X: np.ndarray, y: np.ndarray, left: np.ndarray, features: Features, rng: Any
    ) -> Any:
        """The classifier, fitted on rows and copies; ``left`` is what a lost column holds."""

    def _left(self, X: np.ndarray) -> np.ndarray:
        """What deletion leaves in each column."""
        if self.fill == "nan":
            return np.full(X.shape[1], np.nan)
        if self.fill == "zero":
            return np.zeros(X.shape[1])
        known = ~np.isnan(X)
        sums = np.where(known, X, 0.0).sum(axis=0)
        return np.asarray(sums / np.maximum(known.sum(axis=0), 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
=======
>>>>>>> main
