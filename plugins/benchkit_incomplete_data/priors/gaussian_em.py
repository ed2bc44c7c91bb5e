"""Imputation under one Gaussian with a full covariance, fitted to incomplete rows by EM."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchkit import check_count, check_not_negative
from benchkit_incomplete_data.solvers.observed import RowImputer, observed_moments

_BATCH_ENTRIES = 4_000_000


class Moments(NamedTuple):
    """What the M-step needs: E[x - mean | what is observed of x], the sum over rows of Cov[x | what is observed of x],
    and the log-likelihood of what is observed.
    """

    filled: np.ndarray
    uncertainty: np.ndarray
    log_likelihood: float


def expected_moments(centred: np.ndarray, missing: np.ndarray, covariance: np.ndarray) -> Moments:
    """All rows in batches; ``centred`` is rows minus the mean, 0 where a value is missing.

    Where less is observed than missing, only inverses of the observed blocks S_oo are needed: the conditional
    covariance S - S_:o S_oo^-1 S_o: is 0 where a value is observed by itself, so that its sum over rows is n S - S G S
    with G the sum of the S_oo^-1, each put at its place. Elsewhere the precision L serves: the conditional covariance
    is L_mm^-1.
    """
    n_missing = missing.sum(axis=1)
    few_observed = 2 * n_missing >= missing.shape[1]
    filled, uncertainty, total = np.empty_like(centred), np.zeros_like(covariance), 0.0
    for rows, part in ((few_observed, _from_covariance), (~few_observed, _from_precision)):
        if rows.any():
            moments = part(centred[rows], missing[rows], covariance)
            filled[rows] = moments.filled
            uncertainty += moments.uncertainty
            total += moments.log_likelihood
    filled[~missing] = centred[~missing]
    constant = -0.5 * np.log(2 * np.pi) * (missing.size - n_missing.sum())
    return Moments(filled, uncertainty, float(total + constant))


def _from_covariance(centred: np.ndarray, missing: np.ndarray, covariance: np.ndarray) -> Moments:
    solved = np.zeros_like(centred)
    inverses = np.zeros_like(covariance)
    log_determinants = _each_block(covariance, ~missing, centred, solved, inverses)
    # S_oo^-1 x_o at the observed places, times S: x_o there, E[x_m | x_o] elsewhere.
    filled = solved @ covariance
    uncertainty = len(centred) * covariance - covariance @ inverses @ covariance
    quadratic = np.einsum("ij,ij->", centred, solved)
    return Moments(filled, uncertainty, -0.5 * (log_determinants + quadratic))


def _from_precision(centred: np.ndarray, missing: np.ndarray, covariance: np.ndarray) -> Moments:
    precision = np.linalg.inv(covariance)
    pull = centred @ precision
    solved = np.zeros_like(centred)
    uncertainty = np.zeros_like(covariance)
    log_determinants = _each_block(precision, missing, pull, solved, uncertainty)
    # |S_oo| = |S| |L_mm|, and S_oo^-1 = L_oo - L_om L_mm^-1 L_mo.
    log_determinants += len(centred) * np.linalg.slogdet(covariance)[1]
    quadratic = np.einsum("ij,ij->", centred, pull) - np.einsum("ij,ij->", pull, solved)
    return Moments(-solved, uncertainty, -0.5 * (log_determinants + quadratic))


def _each_block(
    matrix: np.ndarray, chosen: np.ndarray, values: np.ndarray, solved: np.ndarray, inverses: np.ndarray
) -> float:
    """Solve with each row's block of a matrix; returns the sum of the blocks' log-determinants.

    Adds to ``solved`` the solutions block^-1 values and to ``inverses`` the inverses, each at its place. Blocks of one
    size are solved together.
    """
    d = len(matrix)
    counts = chosen.sum(axis=1)
    total = 0.0
    for size in np.unique(counts[counts > 0]).tolist():
        alike = np.flatnonzero(counts == size)
        for start in range(0, len(alike), max(1, _BATCH_ENTRIES // size**2)):
            rows = alike[start : start + max(1, _BATCH_ENTRIES // size**2)]
            places = np.nonzero(chosen[rows])[1].reshape(len(rows), size)
            flat = places[:, :, None] * d + places[:, None, :]
            blocks = matrix.take(flat)
            diagonals = np.linalg.cholesky(blocks)[:, np.arange(size), np.arange(size)]
            total += 2.0 * float(np.log(diagonals).sum())
            inverted = np.linalg.inv(blocks)
            solved[rows[:, None], places] += np.einsum("bij,bj->bi", inverted, values[rows[:, None], places])
            inverses += np.bincount(flat.ravel(), weights=inverted.ravel(), minlength=d * d).reshape(d, d)
    return total


_SINGULAR = 1e-10
# It keeps every eigenvalue above about this.
_SAFE_RIDGE = 1e-8


@dataclass(eq=False, repr=False)
class GaussianEMImputer(RowImputer):
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

    ridge: float = 0.05
    max_iter: int = 50
    tol: float = 1e-4

    def _learn(self, X: np.ndarray, y: Any) -> None:
        """Fit mean and covariance."""
        check_not_negative(ridge=self.ridge, tol=self.tol)
        check_count(0, max_iter=self.max_iter)
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

    def _maximise(self, X: np.ndarray, missing: np.ndarray, kappa: float) -> tuple[np.ndarray, np.ndarray]:
        """Mean and covariance of scaled rows, 0 where a value is missing."""
        n, d = X.shape
        mean, covariance = np.zeros(d), np.eye(d)
        self.n_iter_, self.log_likelihood_path_ = 0, np.empty(0)
        if n == 0 or d == 0:
            return mean, covariance
        moments = expected_moments(X, missing, covariance)
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
            moments = expected_moments(np.where(missing, 0.0, X - mean), missing, covariance)
            self.n_iter_ += 1
            path.append(moments.log_likelihood - _penalty(kappa, covariance))
            if path[-1] - path[-2] < self.tol * (~missing).sum():
                break
        else:
            warnings.warn(
                f"GaussianEMImputer did not converge in {self.max_iter} iterations", ConvergenceWarning, stacklevel=4
            )
        self.log_likelihood_path_ = np.array(path)
        return mean, covariance

    def _filled(self, X: np.ndarray) -> np.ndarray:
        """Rows with what is missing filled in."""
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


def _penalty(kappa: float, covariance: np.ndarray) -> float:
    if kappa == 0:
        return 0.0
    return float(0.5 * kappa * (np.linalg.slogdet(covariance)[1] + np.trace(np.linalg.inv(covariance))))
