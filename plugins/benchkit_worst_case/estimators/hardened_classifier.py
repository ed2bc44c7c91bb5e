"""What classifiers that are trained on rows with lost columns have in common."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from benchkit_worst_case.estimators.hardened_model import HardenedModel


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
        self._fit_copies(X, y)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, n_classes)."""
        X = self._checked(X)
        return np.asarray(self.model_.predict_proba(X))
