"""Classes as 0, 1, ... for estimators that take no others, and back."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin


class EncodedLabels(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """A classifier of 0, 1, ... as one of the classes that the data has.

    The codes are those of the classes in the training part, so that none of them is without a row.

    Parameters
    ----------
    estimator : classifier

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        In the order of the columns that ``predict_proba`` gives.
    """

    def __init__(self, estimator: Any) -> None:
        self.estimator = estimator

    def fit(self, X: Any, y: np.ndarray) -> EncodedLabels:
        """Fit the estimator to the classes' codes."""
        self.classes_, codes = np.unique(y, return_inverse=True)
        self.estimator.fit(X, codes)
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Classes, of shape (n_samples,)."""
        codes = np.asarray(self.estimator.predict(X)).reshape(-1)
        return np.asarray(self.classes_[codes.astype(int)])

    def __getattr__(self, name: str) -> Any:
        """What else the estimator has: ``predict_proba``, ``coef_`` and the like, for what asks whether it is there."""
        if name == "estimator" or name.startswith("__"):  # before it is set, as when it is unpickled
            raise AttributeError(name)
        return getattr(self.estimator, name)


def are_no_codes(y: np.ndarray) -> bool:
    """Whether classes are something else than 0, 1, ..., without a gap."""
    classes = np.unique(y)
    return classes.dtype.kind not in "iu" or not np.array_equal(classes, np.arange(len(classes)))
