"""Imputation under a mixture of spherical Gaussians, fitted to incomplete rows by EM."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.special import logsumexp
from sklearn.cluster import kmeans_plusplus
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from benchkit import check_count, check_not_negative, check_positive
from benchkit_incomplete_data.solvers.observed import RowImputer, observed_moments


class _Components(NamedTuple):
    """Of the scaled columns: shares (k,), means (k, n_features), variances (k,)."""

    shares: np.ndarray
    means: np.ndarray
    variances: np.ndarray


@dataclass(eq=False, repr=False)
class GaussianMixtureEMImputer(RowImputer):
    """Puts the mean of what is missing given what is observed of a row, under a mixture of spherical Gaussians.

    EM over rows with NaN, columns scaled to mean 0 and variance 1 of what is observed; columns without two different
    observed values are not part of the model: their one value, or 0, is put. Given its component a row's
    values are independent, so a missing value says nothing and only the component is hidden. Each iteration raises

        log-likelihood of what is observed - sum_k s/2 (log v_k + (1 + |m_k|^2) / v_k),   s = ridge n_samples,

    with v_k the variance and m_k the mean of component k: a prior as of s values at distance 1 that keeps components
    of few values apart from a point.

    Parameters
    ----------
    n_components : int, default=10
        At most the number of rows.
    ridge : float, default=0.01
    max_iter : int, default=100
    tol : float, default=1e-4
        The end: an iteration raises the penalised log-likelihood by less than this per observed value.
    random_state : int, RandomState or None
        Of the first means, by k-means++ on rows filled with column means.

    Attributes
    ----------
    weights_ : ndarray of shape (n_components,)
    means_ : ndarray of shape (n_components, n_features)
    variances_ : ndarray of shape (n_components,)
        In units of the columns' observed variances.
    log_likelihood_path_ : ndarray of shape (n_iter_ + 1,)
        The penalised log-likelihood of the scaled rows, before the first iteration and after each.
    n_iter_ : int
    n_features_in_ : int

    References
    ----------
    Dick, Haider & Scheffer 2008, section 6 ("GMM").
    """

    n_components: int = 10
    ridge: float = 0.01
    max_iter: int = 100
    tol: float = 1e-4
    random_state: Any = None

    def _learn(self, X: np.ndarray, y: Any) -> None:
        """Fit the mixture."""
        check_positive(ridge=self.ridge)
        check_not_negative(tol=self.tol)
        check_count(1, n_components=self.n_components)
        check_count(0, max_iter=self.max_iter)
        self._location, spread = observed_moments(X)
        self._modelled = spread > 0
        self._scale = np.where(self._modelled, spread, 1.0)
        self._components = self._maximise(*self._scaled(X))
        self.weights_, means, self.variances_ = self._components
        self.means_ = self._location + means * self._scale

    def _scaled(self, X: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Scaled values and where the model sees them; 0 elsewhere."""
        seen = ~np.isnan(X) & self._modelled
        return np.where(seen, (X - self._location) / self._scale, 0.0), seen

    def _maximise(self, X: np.ndarray, observed: np.ndarray) -> _Components:
        k = min(self.n_components, len(X))
        centres, _ = kmeans_plusplus(X, k, random_state=check_random_state(self.random_state))
        components = _Components(np.full(k, 1.0 / k), centres, np.ones(k))
        seen = observed.astype(np.float64)
        prior = self.ridge * len(X)
        memberships, likelihood = _memberships(X, seen, components)
        path = [likelihood - _penalty(prior, components)]
        self.n_iter_ = 0
        for _ in range(self.max_iter):
            components = _update(X, seen, memberships, prior)
            memberships, likelihood = _memberships(X, seen, components)
            self.n_iter_ += 1
            path.append(likelihood - _penalty(prior, components))
            if path[-1] - path[-2] < self.tol * max(seen.sum(), 1.0):
                break
        else:
            warnings.warn(
                f"GaussianMixtureEMImputer did not converge in {self.max_iter} iterations",
                ConvergenceWarning,
                stacklevel=4,
            )
        self.log_likelihood_path_ = np.array(path)
        return components

    def _filled(self, X: np.ndarray) -> np.ndarray:
        """Rows with what is missing filled in: the components' means, weighted by the row's memberships."""
        scaled, seen = self._scaled(X)
        memberships, _ = _memberships(scaled, seen.astype(np.float64), self._components)
        return np.where(np.isnan(X), memberships @ self.means_, X)


def _memberships(X: np.ndarray, seen: np.ndarray, components: _Components) -> tuple[np.ndarray, float]:
    """Posterior of the component of each row, shape (n_samples, k), and the log-likelihood of what is observed."""
    shares, means, variances = components
    # X is 0 where nothing is seen.
    distances = (X**2).sum(axis=1)[:, None] - 2 * X @ means.T + seen @ (means**2).T
    counts = seen.sum(axis=1)[:, None]
    with np.errstate(divide="ignore"):
        log_shares = np.log(shares)
    joint = log_shares - 0.5 * (counts * np.log(2 * np.pi * variances) + np.maximum(distances, 0.0) / variances)
    total = logsumexp(joint, axis=1, keepdims=True)
    return np.exp(joint - total), float(total.sum())


def _update(X: np.ndarray, seen: np.ndarray, memberships: np.ndarray, prior: float) -> _Components:
    """M-step."""
    shares = memberships.mean(axis=0)
    # The prior on the mean has precision s / v_k, so its optimum does not depend on v_k.
    means = memberships.T @ X / (memberships.T @ seen + prior)
    weights = memberships.T @ seen
    squares = (memberships.T @ X**2).sum(axis=1) - 2 * (memberships.T @ X * means).sum(axis=1)
    squares += (weights * means**2).sum(axis=1)
    values = weights.sum(axis=1)
    variances = (np.maximum(squares, 0.0) + prior * (1.0 + (means**2).sum(axis=1))) / (values + prior)
    return _Components(shares, means, variances)


def _penalty(prior: float, components: _Components) -> float:
    _, means, variances = components
    return float(0.5 * prior * (np.log(variances) + (1.0 + (means**2).sum(axis=1)) / variances).sum())
