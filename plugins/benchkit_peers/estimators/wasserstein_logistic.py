"""Logistic regression under Wasserstein distributional robustness, with its weights at hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.utils.validation import validate_data


@dataclass(eq=False, repr=False)
class WassersteinLogisticRegression(LinearClassifierMixin, BaseEstimator):
    """``skwdro``'s logistic regression as a linear classifier of scikit-learn: of its weights adversaries can know.

    Parameters
    ----------
    rho : float, default=0.01
        Radius of the Wasserstein ball around the training rows.
    l2_reg : float, default=0.0
    random_state : int, default=0
    """

    rho: float = 0.01
    l2_reg: float = 0.0
    random_state: int = 0

    def fit(self, X: Any, y: Any) -> WassersteinLogisticRegression:
        """Fit the weights.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        """
        from skwdro.linear_models import LogisticRegression

        X, y = validate_data(self, X, y, dtype=float)
        self.classes_ = np.unique(y)
        if len(self.classes_) != 2:
            raise ValueError(f"Only binary classification is supported, not {len(self.classes_)} class(es)")
        # Read-only arrays make torch warn that it cannot protect them.
        model = LogisticRegression(rho=self.rho, l2_reg=self.l2_reg, random_state=self.random_state)
        model.fit(np.array(X), np.where(y == self.classes_[1], 1, -1))
        self.coef_ = np.asarray(model.coef_, dtype=float).reshape(1, -1)
        self.intercept_ = np.asarray(model.intercept_, dtype=float).reshape(1)
        return self

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags
