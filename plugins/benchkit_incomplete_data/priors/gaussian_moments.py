"""Expected moments of rows with missing values under one Gaussian: the E-step of Gaussian EM.

Two ways with the same result: the rows in batches, and row by row as textbooks have it, for comparison.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

_BATCH_ENTRIES = 4_000_000


class Moments(NamedTuple):
    """What the M-step needs.

    Attributes
    ----------
    filled : ndarray of shape (n_samples, n_features)
        E[x - mean | what is observed of x].
    uncertainty : ndarray of shape (n_features, n_features)
        Sum over rows of Cov[x | what is observed of x].
    log_likelihood : float
        Of what is observed.
    """

    filled: np.ndarray
    uncertainty: np.ndarray
    log_likelihood: float


def expected_moments(centred: np.ndarray, missing: np.ndarray, covariance: np.ndarray) -> Moments:
    """All rows in batches.

    Where less is observed than missing, only inverses of the observed blocks S_oo are needed: the conditional
    covariance S - S_:o S_oo^-1 S_o: is 0 where a value is observed by itself, so that its sum over rows is
    n S - S G S with G the sum of the S_oo^-1, each put at its place. Elsewhere the precision L serves: the conditional
    covariance is L_mm^-1.

    Parameters
    ----------
    centred : ndarray of shape (n_samples, n_features)
        Rows minus the mean, 0 where a value is missing.
    missing : ndarray of bool, shape (n_samples, n_features)
    covariance : ndarray of shape (n_features, n_features)
        Positive definite.
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


def moments_by_row(centred: np.ndarray, missing: np.ndarray, covariance: np.ndarray) -> Moments:
    """As `expected_moments`, one inversion and one conditional covariance per row."""
    filled, uncertainty, total = centred.copy(), np.zeros_like(covariance), 0.0
    for row, gone in enumerate(missing):
        seen = ~gone
        block = covariance[np.ix_(seen, seen)]
        inverse = np.linalg.inv(block)
        pull = covariance[np.ix_(gone, seen)] @ inverse
        filled[row, gone] = pull @ centred[row, seen]
        uncertainty[np.ix_(gone, gone)] += covariance[np.ix_(gone, gone)] - pull @ covariance[np.ix_(seen, gone)]
        values = centred[row, seen]
        log_determinant = np.linalg.slogdet(block)[1]
        total -= 0.5 * (log_determinant + values @ inverse @ values + seen.sum() * np.log(2 * np.pi))
    return Moments(filled, uncertainty, float(total))


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
