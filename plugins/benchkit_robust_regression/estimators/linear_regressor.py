"""What the regressors share: validation of input, the set of clean rows, prediction."""

from __future__ import annotations

import warnings
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.extmath import safe_sparse_dot
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import check_count, check_positive
from benchkit_robust_regression.solvers.selection import Variant, estimate_clean_count, resolve_count, smallest_mask


class UncentredTargetsWarning(UserWarning):
    """Targets lie farther from zero than they vary, and there is no intercept."""


class SparseLinearRegressor(RegressorMixin, BaseEstimator):
    """Base of linear regressors that select features, with ``coef_`` of shape (n_features,) and ``intercept_``."""

    _estimate: Variant = "roofs"

    def fit(self, X: Any, y: Any) -> Self:
        """See all features, in their order."""
        self._check_parameters()
        self._learn(*self._validate_training(X, y))
        return self

    def _learn(self, X: Any, y: np.ndarray) -> None:
        """Set what is fitted."""
        raise NotImplementedError

    def _check_parameters(self) -> None:
        known = self.get_params(deep=False)
        check_positive(**{name: known[name] for name in ("alpha", "step", "tol") if name in known})
        batch = known.get("batch_size")
        check_count(max_iter=known["max_iter"], **({} if batch is None else {"batch_size": batch}))

    def _validate_training(self, X: Any, y: Any) -> tuple[Any, np.ndarray]:
        """X as float64 (CSC if sparse), and y of shape (n_samples,)."""
        X, y = validate_data(self, X, y, accept_sparse="csc", dtype=np.float64, y_numeric=True)
        y = np.asarray(y, dtype=np.float64)
        if not getattr(self, "fit_intercept", True) and abs(y.mean()) > y.std() > 0:
            warnings.warn(
                f"the targets have the mean {y.mean():.3g} and the standard deviation {y.std():.3g}, and no intercept "
                "is fitted, as in the paper: say fit_intercept=True",
                UncentredTargetsWarning,
                stacklevel=3,
            )
        return X, y

    def _find_clean(self, residuals: np.ndarray) -> np.ndarray:
        """Mask of the rows with the smallest residuals, as many as ``clean_size`` says."""
        self._check_clean_size()
        if isinstance(self.clean_size, str):
            count = estimate_clean_count(residuals, self._estimate)
        else:
            count = resolve_count("clean_size", self.clean_size, len(residuals))
        return smallest_mask(residuals, count)

    def _check_clean_size(self) -> None:
        if not isinstance(self.clean_size, str):
            resolve_count("clean_size", self.clean_size, 1)
        elif self.clean_size != "adaptive":
            raise ValueError(f"clean_size is {self.clean_size!r}, expected 'adaptive' or a fraction of the rows")

    def _set_coefficients(self, weights: np.ndarray, columns: np.ndarray, intercept: float, n_features: int) -> None:
        """Set ``coef_``, ``support_`` and ``intercept_`` from the weights of some columns."""
        self.coef_ = np.zeros(n_features)
        self.coef_[columns] = weights
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[columns] = True
        self.intercept_ = float(intercept)

    def _set_clean(self, clean: np.ndarray) -> None:
        """Set ``inlier_mask_`` and ``n_clean_``."""
        self.inlier_mask_ = clean
        self.n_clean_ = int(clean.sum())

    def predict(self, X: Any) -> np.ndarray:
        """Targets, shape (n_samples,)."""
        check_is_fitted(self)
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        targets: np.ndarray = safe_sparse_dot(X, self.coef_) + self.intercept_
        return targets

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        # Without an intercept, and with few of the features, nothing is promised on arbitrary data.
        tags.regressor_tags.poor_score = True
        return tags
