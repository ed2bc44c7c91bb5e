"""LP and FDROP as programs of the structured interior-point method: reduced, solved, and put back."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from scipy import sparse

from benchkit_feature_noise import hinge_interior_point, interior_point
from benchkit_feature_noise.interior_point import Program, Solution


def solve_lp(
    X: Any,
    y: np.ndarray,
    values: np.ndarray,
    C: float,
    noise_budget: float,
    margin: float,
    fit_intercept: bool,
    tol: float,
    max_iter: int,
    n_threads: int = 1,
) -> Solution:
    """Eq. 4 of Dekel, Shamir & Xiao 2010; parameters as of `benchkit_feature_noise.lp.RobustLinearProgram`.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,), -1 or +1
    values : ndarray of shape (n_features,)
    """
    m = X.shape[0]
    if noise_budget == 0:
        kept = np.flatnonzero(values > 0)
        plain = hinge_interior_point.solve(X[:, kept], y, margin, 1.0 / m, 0.0, C, fit_intercept, tol, max_iter)
        return _expand(plain, kept, len(values))
    kept, entries = _reduce(X, values)
    remaining = float(values.sum()) - noise_budget
    offset = margin / remaining
    used = values[kept]
    # Columns without an entry are zero entries of every row.
    absent = float(values.sum() - used.sum())
    present = entries.copy()
    present.data = used[present.indices]
    zero = values.sum() - np.asarray(present.sum(axis=1)).ravel()
    program = Program(
        X=entries,
        y=y,
        values=used,
        remaining=remaining - absent,
        offset=offset,
        required=offset * zero,
        price=1.0 / m,
        curvature=0.0,
        box=C,
        fit_intercept=fit_intercept,
        scale=margin,
        level=offset,
    )
    return _expand(interior_point.solve(program, tol, max_iter, n_threads), kept, len(values))


def solve_fdrop(
    X: Any,
    y: np.ndarray,
    values: np.ndarray,
    C: float,
    n_deleted: float,
    fit_intercept: bool,
    tol: float,
    max_iter: int,
    n_threads: int = 1,
) -> Solution:
    """Eq. 6 of Globerson & Roweis 2006, up to K; parameters as of `benchkit_feature_noise.fdrop.FeatureDroppingSVM`."""
    if n_deleted == 0:
        kept = np.flatnonzero(values > 0)
        plain = hinge_interior_point.solve(X[:, kept], y, 1.0, C, 1.0, np.inf, fit_intercept, tol, max_iter)
        return _expand(plain, kept, len(values))
    kept, entries = _reduce(X, values)
    used = values[kept]
    remaining = float(used.sum()) - n_deleted
    if remaining <= 1e-12 * used.sum():
        return _nothing_left(y, C, len(values), fit_intercept)
    program = Program(
        X=entries,
        y=y,
        values=used,
        remaining=remaining,
        offset=0.0,
        required=np.ones(len(y)),
        price=C,
        curvature=1.0,
        box=np.inf,
        fit_intercept=fit_intercept,
        scale=1.0,
        level=1.0 / remaining,
    )
    return _expand(interior_point.solve(program, tol, max_iter, n_threads), kept, len(values))


def _reduce(X: Any, values: np.ndarray) -> tuple[np.ndarray, sparse.csr_matrix]:
    """Columns that can have a weight, and their non-zero entries.

    A feature of value 0 is deleted wherever it helps, one without an entry never helps: both have weight 0.
    """
    entries = sparse.csr_matrix(X, dtype=np.float64, copy=True)
    entries.eliminate_zeros()
    filled = np.bincount(entries.indices, minlength=X.shape[1]) > 0
    kept = np.flatnonzero((values > 0) & filled)
    if len(kept) < X.shape[1]:
        entries = entries[:, kept]
    entries.sort_indices()
    return kept, entries


def _expand(solution: Solution, kept: np.ndarray, n_features: int) -> Solution:
    coef = np.zeros(n_features)
    coef[kept] = solution.coef
    return replace(solution, coef=coef)


def _nothing_left(y: np.ndarray, C: float, n_features: int, fit_intercept: bool) -> Solution:
    """Every helpful feature goes: no weight helps, and the bias is the majority's sign."""
    intercept = 1.0 if (y > 0).sum() >= (y < 0).sum() else -1.0
    if not fit_intercept:
        intercept = 0.0
    objective = float(C * np.maximum(0.0, 1.0 - y * intercept).sum())
    return Solution(np.zeros(n_features), intercept, objective, objective, 0, True)
