"""Logistic regression that answers with sets of classes, and metrics of the sets."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model._base import LinearClassifierMixin
from sklearn.model_selection import train_test_split
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import MetricContext


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

    def __init__(
        self, C: float = 1.0, confidence: float = 0.9, calibration: float = 0.3, random_state: int | None = None
    ) -> None:
        self.C = C
        self.confidence = confidence
        self.calibration = calibration
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> ConformalLogisticRegression:
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
