"""Imputation under one Gaussian with a full covariance, fitted to incomplete rows by EM."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import check_count, check_not_negative
from benchkit_incomplete_data.priors.gaussian_moments import expected_moments, moments_by_row
from benchkit_incomplete_data.solvers.observed import observed_moments

_E_STEPS = {"batches": expected_moments, "rows": moments_by_row}

_SINGULAR = 1e-10
# It keeps every eigenvalue above about this.
_SAFE_RIDGE = 1e-8


class GaussianEMImputer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):
    """Puts the conditional mean of what is missing given what is observed of a row.

    EM (Dempster, Laird & Rubin 1977) over rows with NaN. Columns are scaled to mean 0 and variance 1 of what is
    observed; the covariance S of the scaled columns maximises

        log-likelihood of what is observed - kappa/2 (log |S| + trace(S^-1)),   kappa = ridge n_samples,

    the penalty being an inverse-Wishart prior towards the identity. Each iteration raises it. With ``ridge=0`` it is
    maximum likelihood, which needs many more rows than columns.

    Columns without two different observed values are not part of the model: their one value, or 0, is put.

    Parameters
    ----------
    ridge : float, default=0.05
        Weight of the prior relative to the rows.
    max_iter : int, default=50
    tol : float, default=1e-4
        The end: an iteration raises the penalised log-likelihood by less than this per observed value.
    e_step : {"batches", "rows"}, default="batches"
        How the rows are gone through; "rows" inverts a matrix for each, to compare with.

    Attributes
    ----------
    mean_ : ndarray of shape (n_features,)
    covariance_ : ndarray of shape (n_features, n_features)
        0 in the rows and columns of features that are not part of the model.
    log_likelihood_path_ : ndarray of shape (n_iter_ + 1,)
        The penalised log-likelihood of the scaled rows, before the first iteration and after each.
    n_iter_ : int
    n_features_in_ : int

    References
    ----------
    Dick, Haider & Scheffer 2008, section 6 ("Gauss").
    """

    def __init__(
        self,
        ridge: float = 0.05,
        max_iter: int = 50,
        tol: float = 1e-4,
        e_step: Literal["batches", "rows"] = "batches",
    ) -> None:
        self.ridge = ridge
        self.max_iter = max_iter
        self.tol = tol
        self.e_step = e_step

    def fit(self, X: Any, y: Any = None) -> Self:
        """Fit mean and covariance.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            NaN where a value is missing.
        y : None
            Not used.
        """
        if self.e_step not in _E_STEPS:
            raise ValueError(f"e_step is {self.e_step!r}, expected 'batches' or 'rows'")
        check_not_negative(ridge=self.ridge, tol=self.tol)
        check_count(0, max_iter=self.max_iter)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan")
        missing = np.isnan(X)
        location, spread = observed_moments(X)
        centred = np.where(missing, 0.0, X - location)
        self._modelled = spread > 0
        self._scale = np.where(self._modelled, spread, 1.0)
        self.mean_, self.covariance_ = location, np.zeros((X.shape[1], X.shape[1]))
        kept = self._modelled
        # Rows of which nothing is observed say nothing.
        rows = ~missing[:, kept].all(axis=1)
        mean, self._scaled_covariance = self._maximise(
            (centred / self._scale)[np.ix_(rows, kept)], missing[np.ix_(rows, kept)], self.ridge * len(X)
        )
        self.mean_[kept] += mean * self._scale[kept]
        outer = np.outer(self._scale[kept], self._scale[kept])
        self.covariance_[np.ix_(kept, kept)] = self._scaled_covariance * outer
        return self

    def _maximise(self, X: np.ndarray, missing: np.ndarray, kappa: float) -> tuple[np.ndarray, np.ndarray]:
        """Mean and covariance of scaled rows, 0 where a value is missing."""
        n, d = X.shape
        mean, covariance = np.zeros(d), np.eye(d)
        self.n_iter_, self.log_likelihood_path_ = 0, np.empty(0)
        if n == 0 or d == 0:
            return mean, covariance
        e_step = _E_STEPS[self.e_step]
        moments = e_step(X, missing, covariance)
        path = [moments.log_likelihood - _penalty(kappa, covariance)]
        for _ in range(self.max_iter):
            shift = moments.filled.mean(axis=0)
            residual = moments.filled - shift
            scatter = residual.T @ residual + moments.uncertainty
            mean = mean + shift
            covariance = (scatter + kappa * np.eye(d)) / (n + kappa)
            covariance = (covariance + covariance.T) / 2
            if self.ridge < _SAFE_RIDGE and np.linalg.eigvalsh(covariance)[0] < _SINGULAR:
                raise ValueError(
                    f"the covariance became singular after {self.n_iter_ + 1} iterations: "
                    f"give GaussianEMImputer a larger ridge than {self.ridge:g}"
                )
            moments = e_step(np.where(missing, 0.0, X - mean), missing, covariance)
            self.n_iter_ += 1
            path.append(moments.log_likelihood - _penalty(kappa, covariance))
            if path[-1] - path[-2] < self.tol * (~missing).sum():
                break
        else:
            warnings.warn(
                f"GaussianEMImputer did not converge in {self.max_iter} iterations", ConvergenceWarning, stacklevel=3
            )
        self.log_likelihood_path_ = np.array(path)
        return mean, covariance

    def transform(self, X: Any) -> np.ndarray:
        """Rows with what is missing filled in.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_features)
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite="allow-nan", reset=False)
        missing = np.isnan(X)
        filled = np.where(missing, self.mean_, X)
        kept = np.flatnonzero(self._modelled)
        rows = np.flatnonzero(missing[:, kept].any(axis=1))
        if rows.size and kept.size:
            block = np.ix_(rows, kept)
            scaled = (filled[block] - self.mean_[kept]) / self._scale[kept]
            expected = expected_moments(scaled, missing[block], self._scaled_covariance).filled
            imputed = self.mean_[kept] + expected * self._scale[kept]
            filled[block] = np.where(missing[block], imputed, filled[block])
        return filled

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags


def _penalty(kappa: float, covariance: np.ndarray) -> float:
    if kappa == 0:
        return 0.0
    return float(0.5 * kappa * (np.linalg.slogdet(covariance)[1] + np.trace(np.linalg.inv(covariance))))
