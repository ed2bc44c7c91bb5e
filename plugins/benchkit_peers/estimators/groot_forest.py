"""GROOT's forest, told by one number how far features may move."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.preprocessing import MinMaxScaler
from sklearn.utils.validation import check_is_fitted, validate_data


@dataclass(eq=False, repr=False)
class GrootForest(ClassifierMixin, BaseEstimator):
    """``groot.model.GrootRandomForestClassifier`` on features scaled to their range, as its authors use it.

    Parameters
    ----------
    epsilon : float, default=0.1
        How far each feature may move, as a share of its range in training.
    n_estimators : int, default=100
    min_samples_leaf : int, default=1
    random_state : int or None, default=None
    """

    epsilon: float = 0.1
    n_estimators: int = 100
    min_samples_leaf: int = 1
    random_state: int | None = None

    def fit(self, X: Any, y: Any) -> GrootForest:
        """Fit the forest.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        """
        from groot.model import GrootRandomForestClassifier

        X, y = validate_data(self, X, y)
        self.classes_, encoded = np.unique(y, return_inverse=True)
        if len(self.classes_) != 2:
            raise ValueError(f"Only binary classification is supported, not {len(self.classes_)} class(es)")
        self.scaler_ = MinMaxScaler().fit(X)
        self.model_ = GrootRandomForestClassifier(
            n_estimators=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            attack_model=[self.epsilon] * X.shape[1],
            random_state=self.random_state,
        ).fit(self.scaler_.transform(X), encoded)
        return self

    def predict_proba(self, X: Any) -> np.ndarray:
        """Probabilities of the classes, of shape (n_samples, 2)."""
        check_is_fitted(self)
        return np.asarray(self.model_.predict_proba(self.scaler_.transform(validate_data(self, X, reset=False))))

    def predict(self, X: Any) -> np.ndarray:
        """The likelier classes."""
        predicted: np.ndarray = self.classes_[self.predict_proba(X).argmax(axis=1)]
        return predicted

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
