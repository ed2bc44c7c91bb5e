"""Logistic regression that answers with sets of classes, metrics of the sets; and one for the worst distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import MetricContext


@dataclass(eq=False, repr=False)
class ConformalLogisticRegression(LinearClassifierMixin, BaseEstimator):
    """Split conformal prediction (``crepes``) around logistic regression; to adversaries it is the linear model.

    Parameters
    ----------
    C : float, default=1.0
        Of the logistic regression.
    confidence : float, default=0.9
        Share of rows whose set shall hold the true class, where rows are exchangeable with the training rows.
    calibration : float, default=0.3
        Share of the training rows that are kept from the fit, to calibrate the sets.
    random_state : int or None, default=None
        Of the choice of these rows.
    """

    C: float = 1.0
    confidence: float = 0.9
    calibration: float = 0.3
    random_state: int | None = None

    def fit(self, X: Any, y: Any) -> Self:
        """Fit on one part, calibrate on the other.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        from crepes import WrapClassifier

        X, y = validate_data(self, X, y, dtype=float)
        self.classes_ = np.unique(y)
        fitted_on, kept, labels, kept_labels = train_test_split(
            X, y, test_size=self.calibration, stratify=y, random_state=self.random_state
        )
        model = LogisticRegression(C=self.C, max_iter=1000).fit(fitted_on, labels)
        self.coef_, self.intercept_ = model.coef_, model.intercept_
        self.wrapped_ = WrapClassifier(model)
        self.wrapped_.calibrate(kept, kept_labels)
        return self

    def predict_set(self, X: Any) -> np.ndarray:
        """Which classes the set of each row holds.

        Returns
        -------
        ndarray of bool, shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=float, reset=False)
        # Without smoothing the sets do not depend on draws; they cover at least as often.
        return np.asarray(
            self.wrapped_.predict_set(X, labels=False, confidence=self.confidence, smoothing=False), dtype=bool
        )


def coverage(context: MetricContext) -> float:
    """Share of rows whose set holds the true class; NaN of a model without sets."""
    sets = _sets(context)
    if sets is None:
        return float("nan")
    true = np.searchsorted(context.model.classes_, context.y)
    return float(sets[np.arange(len(sets)), true].mean())


def set_size(context: MetricContext) -> float:
    """Mean number of classes in the sets; NaN of a model without sets."""
    sets = _sets(context)
    return float("nan") if sets is None else float(sets.sum(axis=1).mean())


def _sets(context: MetricContext) -> np.ndarray | None:
    ask = getattr(context.model, "predict_set", None)
    return None if ask is None else np.asarray(ask(context.X), dtype=bool)


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

    def fit(self, X: Any, y: Any) -> Self:
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
