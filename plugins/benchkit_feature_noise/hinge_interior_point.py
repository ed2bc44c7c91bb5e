"""Interior-point method for hinge losses without an adversary: LP at N = 0 and FDROP at K = 0.

    min  rho/2 |w|^2 + c sum_i xi_i    s.t.  y_i (b + w.x_i) + xi_i >= e,  xi >= 0,  |w_j| <= C

At a budget of 0 the robust programs have no strictly feasible dual point, so `interior_point` does not apply; without
the adversary's multipliers the system in (w, b) is a diagonal plus one weighted product X^T D X.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg, sparse

from benchkit_feature_noise.programs import Solution

_STEP = 0.95


def solve(
    X: Any,
    y: np.ndarray,
    required: float,
    price: float,
    curvature: float,
    box: float,
    fit_intercept: bool,
    tol: float,
    max_iter: int,
) -> Solution:
    """Solve by Mehrotra's predictor and corrector until the gap is at most ``tol``.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (n_rows, n_columns)
    y : ndarray of shape (n_rows,), -1 or +1
    required, price, curvature, box : float
        e, c, rho and C (infinite for none).
    fit_intercept : bool
    tol : float
        Absolute gap, relative to an objective above 1.
    max_iter : int
    """
    A = sparse.csr_matrix(X).multiply(y[:, None]).tocsr() if sparse.issparse(X) else X * y[:, None]
    m, n = A.shape
    boxed = bool(np.isfinite(box))
    w, b = np.zeros(n), 0.0
    # Slacks of the margin, of xi, and of the two sides of the box; their multipliers.
    s = np.concatenate([np.full(2 * m, required), np.full(2 * n if boxed else 0, box)])
    s[m : 2 * m] = 2 * required
    p = 10.0 * price * required / s
    best = (np.inf, w, b)
    lower, proof, taken, converged = -np.inf, p[:m], 0, False
    for taken in range(max_iter + 1):
        slack = np.maximum(0.0, required - (A @ w + y * b))
        objective = float(0.5 * curvature * w @ w + price * slack.sum())
        if objective < best[0]:
            best = objective, w, b
        bound = _lower_bound(A, y, p[:m], required, price, curvature, box, fit_intercept)
        if bound > lower:
            lower, proof = bound, p[:m]
        if best[0] - lower <= tol * max(1.0, best[0]):
            converged = True
            break
        if taken == max_iter:
            break
        d = p / s
        sigma = 1.0 / d[:m] + 1.0 / d[m : 2 * m]
        factor = _factor(A, y, sigma, d[2 * m :], curvature, fit_intercept)

        def direct(
            target: np.ndarray,
            s: np.ndarray = s,
            p: np.ndarray = p,
            d: np.ndarray = d,
            sigma: np.ndarray = sigma,
            w: np.ndarray = w,
            factor: Any = factor,
        ) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
            g = target / s
            excess = (g[:m] + g[m : 2 * m] - price) / d[m : 2 * m]
            force = g[:m] - excess / sigma
            right = A.T @ force - curvature * w
            if boxed:
                right = right - g[2 * m : 2 * m + n] + g[2 * m + n :]
            full = np.append(right, y @ force) if fit_intercept else right
            moved = linalg.cho_solve(factor, full, check_finite=False)
            dw, db = moved[:n], float(moved[n]) if fit_intercept else 0.0
            eta = (A @ dw + y * db + excess) / sigma
            d_xi = (g[:m] + g[m : 2 * m] - price - eta) / d[m : 2 * m]
            ds = np.concatenate([eta / d[:m], d_xi, -dw, dw] if boxed else [eta / d[:m], d_xi])
            return dw, db, ds, g - p - d * ds

        *_, ds, dp = direct(np.zeros_like(s))
        mu = s @ p / len(s)
        primal, dual = _length(s, ds, 1.0), _length(p, dp, 1.0)
        after = (s + primal * ds) @ (p + dual * dp) / len(s)
        center = min(0.3, (after / mu) ** 3) * mu
        dw, db, ds, dp = direct(center - ds * dp)
        primal, dual = _length(s, ds, _STEP), _length(p, dp, _STEP)
        s, p, w, b = s + primal * ds, p + dual * dp, w + primal * dw, b + primal * db
    problem = "" if converged else f"the gap is {best[0] - lower:.1e} after {taken} iterations"
    kept_whole = np.repeat(proof, np.diff(sparse.csr_matrix(A).indptr))
    return Solution(best[1], best[2], best[0], lower, taken, problem, (proof, kept_whole))


def _factor(
    A: Any, y: np.ndarray, sigma: np.ndarray, d_box: np.ndarray, curvature: float, fit_intercept: bool
) -> tuple[np.ndarray, bool]:
    """Cholesky factor of the system in (w, b)."""
    n = A.shape[1]
    weighted = A.multiply((1.0 / sigma)[:, None]).tocsr() if sparse.issparse(A) else A / sigma[:, None]
    product = A.T @ weighted
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = product.toarray() if sparse.issparse(product) else product
    system[n, :n] = system[:n, n] = weighted.T @ y
    system[n, n] = (1.0 / sigma).sum()
    diagonal = np.diag(system).copy()
    diagonal[:n] += curvature
    if len(d_box):
        diagonal[:n] += d_box[:n] + d_box[n:]
    np.fill_diagonal(system, diagonal * (1 + 1e-13))
    used = n + 1 if fit_intercept else n
    factor: tuple[np.ndarray, bool] = linalg.cho_factor(system[:used, :used], lower=True, check_finite=False)
    return factor


def _length(x: np.ndarray, dx: np.ndarray, share: float) -> float:
    """Longest step to that share of the way to the boundary, at most 1."""
    worst = float(np.max(-dx / x))
    return min(1.0, share / worst) if worst > 0 else 1.0


def _lower_bound(
    A: Any,
    y: np.ndarray,
    t: np.ndarray,
    required: float,
    price: float,
    curvature: float,
    box: float,
    fit_intercept: bool,
) -> float:
    """Dual objective of the multipliers, made feasible: clipped to [0, c], classes balanced where b is free."""
    t = np.minimum(t, price)
    if fit_intercept:
        sums = [t[y == sign].sum() for sign in (-1.0, 1.0)]
        t = t * np.where(y > 0, min(sums) / max(sums[1], 1e-300), min(sums) / max(sums[0], 1e-300))
    pull = A.T @ t
    loss = 0.5 * float(pull @ pull) if curvature else box * float(np.abs(pull).sum())
    return required * float(t.sum()) - loss
