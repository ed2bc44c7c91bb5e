"""The dual problem of FDROP, Eq. 9 of Globerson & Roweis 2006, through OSQP."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from benchkit_feature_noise.solvers.program_objective import certified
from benchkit_feature_noise.solvers.programs import Program, Solution


def solve(program: Program, tol: float, max_iter: int | None) -> Solution:
    """Maximise sum alpha - 1/2 |w|^2 with w = sum_i y_i x_i o (alpha_i - lambda_i).

    s.t. 0 <= alpha <= C, 0 <= lambda_i <= alpha_i, sum_j v_j lambda_ij <= K alpha_i (equal where exactly K go), and
    sum_i alpha_i y_i = 0, whose multiplier is the bias. Columns: w, alpha, lambda (one per entry): that of a zero entry
    does not move w and is left out.
    """
    import osqp

    X, y = program.X, program.y
    m, n = X.shape
    of, row, v = program.layout
    size = len(row)
    col, yx = X.indices, y[row[of]] * X.data
    # K = (value of the row's entries) - P_i, which also holds with the zero entries left out.
    budget = np.bincount(row, weights=v, minlength=m) - program.remaining
    example, entry = np.arange(m), np.arange(size)
    alpha, lam = n, n + m
    keeps = 2 if program.fit_intercept else 1
    triplets = [
        # w - sum_i y x (alpha - lambda) = 0
        (np.arange(n), np.arange(n), np.ones(n)),
        (col, alpha + row[of], -yx),
        (col, lam + of, yx),
        # sum_j v lambda - K alpha <= 0
        (n + row, lam + entry, v),
        (n + example, alpha + example, -budget),
        # lambda - alpha <= 0, and the bounds of alpha and lambda
        (n + m + entry, lam + entry, np.ones(size)),
        (n + m + entry, alpha + row, -np.ones(size)),
        (n + m + size + np.arange(m + size), alpha + np.arange(m + size), np.ones(m + size)),
    ]
    if keeps == 2:
        triplets.append((np.full(m, n + 2 * m + 2 * size), alpha + example, y))
    rows, columns, data = (np.concatenate(part) for part in zip(*triplets, strict=True))
    n_rows = n + 2 * m + 2 * size + keeps - 1
    A = sparse.csc_matrix((data, (rows, columns)), shape=(n_rows, lam + size))
    low, high = np.zeros(n_rows), np.zeros(n_rows)
    low[n : n + m] = 0.0 if program.exactly else -np.inf
    low[n + m : n + m + size] = -np.inf
    high[n + m + size : n + 2 * m + size] = program.price
    high[n + 2 * m + size : n + 2 * m + 2 * size] = np.inf
    cost = np.zeros(lam + size)
    cost[alpha:lam] = -1.0
    curvature = sparse.diags(np.concatenate([np.ones(n), np.zeros(m + size)]), format="csc")
    solver = osqp.OSQP()
    settings = {"eps_abs": tol, "eps_rel": tol, "max_iter": int(max_iter or 200_000), "polishing": False}
    solver.setup(P=curvature, q=cost, A=A, l=low, u=high, verbose=False, **settings)
    result = solver.solve(raise_error=False)
    done = result.info.status_val == osqp.SolverStatus.OSQP_SOLVED
    problem = "" if done else f"OSQP ended with status {result.info.status!r}"
    w = np.array(result.x[:n])
    # Stationarity in alpha: -1 - ... + y b = 0 makes b the multiplier of the balance.
    intercept = float(result.y[-1]) if program.fit_intercept else 0.0
    kept = result.x[alpha:lam][row] - result.x[lam:]
    multipliers = result.x[alpha:lam], kept
    return certified(program, w, intercept, multipliers, int(result.info.iter), tol, problem)
