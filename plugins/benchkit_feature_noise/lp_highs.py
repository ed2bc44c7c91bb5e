"""Eq. 4 of Dekel, Shamir & Xiao 2010 as a sparse linear program for HiGHS.

Entries x_ij = 0 leave in closed form: there alpha_ij = v_j (lambda_i + margin/P), so only the value Z_i of the zero
entries of each row remains.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import highspy
import numpy as np
from scipy import sparse

from benchkit_feature_noise.threat import remaining_value


@dataclass(frozen=True)
class Problem:
    """The data of Eq. 4: X (n_samples, n_features), y in {-1, +1}, values, C, N, margin, and whether b is free."""

    X: Any
    y: np.ndarray
    values: np.ndarray
    C: float
    noise_budget: float
    margin: float
    fit_intercept: bool


@dataclass(frozen=True)
class Solution:
    """Weights (n_features,), bias, lower bound on the optimum from the multipliers, iterations."""

    coef: np.ndarray
    intercept: float
    dual_objective: float
    n_iter: int


def solve(problem: Problem, tol: float) -> Solution:
    """Solve with HiGHS' interior-point method, without crossover to a vertex."""
    entries = sparse.coo_matrix(problem.X)
    entries.eliminate_zeros()
    highs = highspy.Highs()
    highs.silent()
    for option, value in {
        "solver": "ipm",
        "run_crossover": "off",
        "threads": 1,
        "primal_feasibility_tolerance": max(tol, 1e-10),
        "dual_feasibility_tolerance": max(tol, 1e-10),
        "ipm_optimality_tolerance": max(tol, 1e-12),
    }.items():
        highs.setOptionValue(option, value)
    highs.passModel(_model(problem, entries))
    highs.run()
    status = highs.getModelStatus()
    if status != highspy.HighsModelStatus.kOptimal:
        raise RuntimeError(f"HiGHS ended with status {highs.modelStatusToString(status)!r}")
    found, info = highs.getSolution(), highs.getInfo()
    n = problem.X.shape[1]
    columns = np.asarray(found.col_value)
    dual = _dual_objective(problem, entries, np.asarray(found.row_dual))
    return Solution(columns[:n], float(columns[n]), dual, int(info.ipm_iteration_count))


def _zero_values(problem: Problem, entries: sparse.coo_matrix) -> np.ndarray:
    """Z_i, the total value of the zero entries of each row."""
    m = problem.X.shape[0]
    present = np.bincount(entries.row, weights=problem.values[entries.col], minlength=m)
    zero: np.ndarray = problem.values.sum() - present
    return zero


def _model(problem: Problem, entries: sparse.coo_matrix) -> highspy.HighsLp:
    """Columns w, b, xi, lambda, alpha (one per non-zero entry); rows: one per example, then one per entry."""
    m, n = problem.X.shape
    row, col, x = entries.row, entries.col, entries.data
    size = len(x)
    remaining = remaining_value(problem.values, problem.noise_budget)
    required = problem.margin / remaining
    zero = _zero_values(problem, entries)
    example, entry = np.arange(m), np.arange(size)
    w, b, xi, lam, alpha = 0, n, n + 1, n + 1 + m, n + 1 + 2 * m
    triplets = [
        # (P - Z_i) lambda_i - sum_j alpha_ij + y_i b + xi_i >= margin Z_i / P
        (example, lam + example, remaining - zero),
        (row, alpha + entry, np.full(size, -1.0)),
        (example, np.full(m, b), problem.y),
        (example, xi + example, np.ones(m)),
        # y_i x_ij w_j - v_j lambda_i + alpha_ij >= margin v_j / P
        (m + entry, w + col, problem.y[row] * x),
        (m + entry, lam + row, -problem.values[col]),
        (m + entry, alpha + entry, np.ones(size)),
    ]
    rows, columns, data = (np.concatenate(part) for part in zip(*triplets, strict=True))
    matrix = sparse.csc_matrix((data, (rows, columns)), shape=(m + size, alpha + size))
    free = highspy.kHighsInf
    lower = np.zeros(alpha + size)
    upper = np.full(alpha + size, free)
    lower[:n], upper[:n] = -problem.C, problem.C
    lower[b], upper[b] = (-free, free) if problem.fit_intercept else (0.0, 0.0)
    cost = np.zeros(alpha + size)
    cost[xi:lam] = 1.0 / m
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = alpha + size, m + size
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = cost, lower, upper
    lp.row_lower_ = np.concatenate([required * zero, required * problem.values[col]])
    lp.row_upper_ = np.full(m + size, free)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    return lp


def _dual_objective(problem: Problem, entries: sparse.coo_matrix, multipliers: np.ndarray) -> float:
    """Dual objective of the multipliers, clipped to their bounds 0 <= rho_i <= 1/m, 0 <= pi_ij <= rho_i."""
    m = problem.X.shape[0]
    rho = np.clip(multipliers[:m], 0.0, 1.0 / m)
    pi = np.clip(multipliers[m:], 0.0, rho[entries.row])
    required = problem.margin / remaining_value(problem.values, problem.noise_budget)
    pull = np.bincount(entries.col, weights=problem.y[entries.row] * entries.data * pi, minlength=problem.X.shape[1])
    gained = rho @ _zero_values(problem, entries) + problem.values[entries.col] @ pi
    return float(required * gained - problem.C * np.abs(pull).sum())
