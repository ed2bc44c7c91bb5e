"""What the observed values of incomplete rows tell of their columns, and what imputers of such rows share."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

_ROUNDING = 1e-12


def observed_box(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and greatest observed value of each column, shape (n_features,); 0 where nothing was observed."""
    missing = np.isnan(X)
    empty = missing.all(axis=0)
    lower = np.where(missing, np.inf, X).min(axis=0)
    upper = np.where(missing, -np.inf, X).max(axis=0)
    return np.where(empty, 0.0, lower), np.where(empty, 0.0, upper)


def observed_moments(X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of the observed values of each column, shape (n_features,).

    A column without two different values has the deviation 0, and its one value, or 0, as mean: their sum may be off by
    rounding, which is no deviation to divide by.
    """
    missing = np.isnan(X)
    n_observed = np.maximum((~missing).sum(axis=0), 1)
    mean = np.where(missing, 0.0, X).sum(axis=0) / n_observed
    deviation = np.sqrt((np.where(missing, 0.0, X - mean) ** 2).sum(axis=0) / n_observed)
    varies = deviation > _ROUNDING * np.maximum(np.abs(mean), np.finfo(float).tiny)
    return np.where(varies, mean, observed_box(X)[0]), np.where(varies, deviation, 0.0)


def typical_deviation(X: np.ndarray) -> float:
    """Root mean square of the observed values' deviations from their columns' means; 1 where there are none."""
    observed = ~np.isnan(X)
    mean, _ = observed_moments(X)
    deviation = float(np.sqrt(np.mean((X - mean)[observed] ** 2))) if observed.any() else 0.0
    return deviation if deviation > 0 else 1.0


class RowImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Base of imputers that fill in what is missing in rows, all columns kept."""

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn from training rows with NaN; y are classes, for imputers that ask for them."""
        self._learn(validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan"), y)
        return self

    def transform(self, X: Any) -> np.ndarray:
        """Rows with what is missing filled in, without knowing their classes."""
        check_is_fitted(self)
        return self._filled(validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False))

    @abstractmethod
    def _learn(self, X: np.ndarray, y: Any) -> None:
        """Set what is fitted, once the parameters are found right."""

    @abstractmethod
    def _filled(self, X: np.ndarray) -> np.ndarray:
        """The rows without NaN."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags
