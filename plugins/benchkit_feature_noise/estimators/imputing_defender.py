"""A defender who knows what is missing: imputes at test time, then asks any classifier."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.linear_model import LogisticRegression
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

_RIDGE = 1e-3


def _has(method: str) -> Any:
    def has_method(self: ImputingDefender) -> bool:
        inner = self.estimator_ if hasattr(self, "estimator_") else self._make()
        return hasattr(inner, method)

    return has_method


@dataclass(eq=False, repr=False)
class ImputingDefender(ClassifierMixin, BaseEstimator):
    """Any classifier behind an imputation of what was deleted.

    Adversaries put 0. An entry counts as missing where it is exactly 0 in a feature that is never 0 in training; in a
    feature that is 0 now and then, such as a word count, a deletion cannot be told from a true 0 and stays. So this
    defender suits continuous features, and is blind to corruption by noise.

    Parameters
    ----------
    estimator : classifier, str or None, default=None
        The classifier, or ``"module:Class"``; a logistic regression where None.
    estimator_params : mapping or None, default=None
        Parameters of the classifier.
    imputation : {"gaussian", "mean"}, default="gaussian"
        The mean given the row's other features, under one Gaussian fitted to the training rows (covariance with a
        thousandth of its mean variance added to the diagonal), or the feature's training mean, which in standardised
        data is the 0 that was put.

    Attributes
    ----------
    estimator_ : classifier
        Fitted on the training rows.
    classes_ : ndarray of shape (n_classes,)
    mean_ : ndarray of shape (n_features,)
    precision_ : ndarray of shape (n_features, n_features)
        Inverse covariance; with ``imputation="gaussian"`` only.
    never_zero_ : ndarray of bool, shape (n_features,)
    n_features_in_ : int
    """

    estimator: Any = None
    estimator_params: Mapping[str, Any] | None = None
    imputation: Literal["gaussian", "mean"] = "gaussian"

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the classifier, and what the imputation needs.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        """
        if self.imputation not in ("gaussian", "mean"):
            raise ValueError(f"imputation is {self.imputation!r}, expected 'gaussian' or 'mean'")
        X, y = validate_data(self, X, y, dtype=np.float64)
        self.estimator_ = self._make().fit(X, y)
        self.classes_ = self.estimator_.classes_
        self.never_zero_ = (X != 0).all(axis=0)
        self.mean_ = X.mean(axis=0)
        if self.imputation == "gaussian":
            centred = X - self.mean_
            covariance = centred.T @ centred / len(X)
            ridge = _RIDGE * np.trace(covariance) / X.shape[1]
            self.precision_ = np.linalg.inv(covariance + (ridge or 1.0) * np.eye(X.shape[1]))
        return self

    def impute(self, X: Any) -> np.ndarray:
        """A copy of the rows with what is missing filled in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = np.array(validate_data(self, X, dtype=np.float64, reset=False))
        missing = (X == 0) & self.never_zero_
        if self.imputation == "mean":
            return np.where(missing, self.mean_, X)
        rows = np.flatnonzero(missing.any(axis=1))
        patterns, which = np.unique(missing[rows], axis=0, return_inverse=True)
        for place, gone in enumerate(patterns):
            same = rows[which.ravel() == place]
            # Under a Gaussian the mean of the missing part is mean - L_mm^-1 L_mo (x_o - mean_o), L the precision.
            pull = self.precision_[np.ix_(gone, ~gone)] @ (X[same][:, ~gone] - self.mean_[~gone]).T
            X[np.ix_(same, gone)] = self.mean_[gone] - np.linalg.solve(self.precision_[np.ix_(gone, gone)], pull).T
        return X

    def predict(self, X: Any) -> np.ndarray:
        """Classes, shape (n_samples,)."""
        X = self.impute(X)
        labels: np.ndarray = self.estimator_.predict(X)
        return labels

    @available_if(_has("decision_function"))
    def decision_function(self, X: Any) -> np.ndarray:
        """The classifier's scores, after imputation."""
        X = self.impute(X)
        values: np.ndarray = self.estimator_.decision_function(X)
        return values

    @available_if(_has("predict_proba"))
    def predict_proba(self, X: Any) -> np.ndarray:
        """The classifier's probabilities, after imputation."""
        X = self.impute(X)
        shares: np.ndarray = self.estimator_.predict_proba(X)
        return shares

    def _make(self) -> Any:
        """The unfitted classifier."""
        params = dict(self.estimator_params or {})
        if self.estimator is None:
            return LogisticRegression(**params)
        if isinstance(self.estimator, str):
            module, colon, name = self.estimator.partition(":")
            if not colon:
                raise ValueError(f"estimator is {self.estimator!r}, expected 'module:Class' or a classifier")
            return getattr(import_module(module), name)(**params)
        return clone(self.estimator).set_params(**params)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = get_tags(self._make()).classifier_tags.multi_class
        return tags
