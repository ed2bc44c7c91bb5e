"""Interior-point method for hinge losses without an adversary: LP at N = 0 and FDROP at K = 0.

    min  rho/2 |w|^2 + c sum_i xi_i    s.t.  y_i (b + w.x_i) + xi_i >= e,  xi >= 0,  |w_j| <= C

At a budget of 0 the robust programs have no strictly feasible dual point, so `interior_point` does not apply; without
the adversary's multipliers the system in (w, b) is a diagonal plus one weighted product X^T D X.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, sparse

from benchkit_feature_noise.solvers.conjugate_gradients import (
    by_conjugate_gradients,
    conjugate_gradients,
    next_residual,
    residual_for,
)
from benchkit_feature_noise.solvers.programs import Program, Solution

_STEP = 0.95


def solve(program: Program, tol: float, max_iter: int) -> Solution:
    """Solve by Mehrotra's predictor and corrector until the gap is at most ``tol``, in the program's ``gap_unit``.

    Parameters
    ----------
    program : Program
        Its adversary is left out: rows require a margin of ``scale``.
    tol : float
    max_iter : int
    """
    y, required, price = program.y, program.scale, program.price
    curvature, box, fit_intercept = program.curvature, program.box, program.fit_intercept
    A = sparse.csr_matrix(program.X).multiply(y[:, None]).tocsr()
    hinge = _Hinge(A, y, required, price, curvature, box, fit_intercept, residual_for(tol))
    m = len(y)
    w, b, s, p = hinge.start()
    best = (np.inf, w, b)
    lower, proof, taken, converged = -np.inf, p[:m], 0, False
    for taken in range(max_iter + 1):
        objective = hinge.objective(w, b)
        if objective < best[0]:
            best = objective, w, b
        bound = _lower_bound(A, y, p[:m], required, price, curvature, box, fit_intercept)
        if bound > lower:
            lower, proof = bound, p[:m]
        if best[0] - lower <= tol * program.gap_unit(best[0]):
            converged = True
            break
        if taken == max_iter:
            break
        before = s @ p
        w, b, s, p = _advance(hinge, w, b, s, p)
        hinge = replace(hinge, residual=next_residual(hinge.residual, taken, before, s @ p))
    problem = "" if converged else f"the gap is {best[0] - lower:.1e} after {taken} iterations"
    kept_whole = np.repeat(proof, np.diff(A.indptr))
    return Solution(best[1], best[2], best[0], lower, taken, problem, (proof, kept_whole))


@dataclass(frozen=True)
class _Hinge:
    """The program for the rows y_i x_i, with slacks s and multipliers p.

    Both are of the margins (m), of xi (m) and, where w is boxed, of the upper and the lower sides of the box (2 n).
    """

    A: Any
    y: np.ndarray
    required: float
    price: float
    curvature: float
    box: float
    fit_intercept: bool
    residual: float

    @property
    def boxed(self) -> bool:
        return bool(np.isfinite(self.box))

    def start(self) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
        """A point (w, b, s, p) with w = 0 that is strictly feasible."""
        m, n = self.A.shape
        s = np.concatenate([np.full(2 * m, self.required), np.full(2 * n if self.boxed else 0, self.box)])
        s[m : 2 * m] = 2 * self.required
        return np.zeros(n), 0.0, s, 10.0 * self.price * self.required / s

    def objective(self, w: np.ndarray, b: float) -> float:
        slack = np.maximum(0.0, self.required - (self.A @ w + self.y * b))
        return float(0.5 * self.curvature * w @ w + self.price * slack.sum())


class _Newton:
    """The Newton system at a point, factorised once for several targets of the products s p."""

    def __init__(self, program: _Hinge, w: np.ndarray, s: np.ndarray, p: np.ndarray) -> None:
        self.program, self.w, self.s, self.p = program, w, s, p
        m = len(program.y)
        self.d = p / s
        self.sigma = 1.0 / self.d[:m] + 1.0 / self.d[m : 2 * m]
        of_box = self.d[2 * m :]
        if by_conjugate_gradients(program.A):
            self.solve = _by_steps(program, self.sigma, of_box)
        else:
            self.solve = _by_factor(program, self.sigma, of_box)

    def direction(self, target: np.ndarray) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
        """Changes of w, b, s and p."""
        program, d, sigma = self.program, self.d, self.sigma
        A, y = program.A, program.y
        m, n = A.shape
        g = target / self.s
        excess = (g[:m] + g[m : 2 * m] - program.price) / d[m : 2 * m]
        force = g[:m] - excess / sigma
        right = A.T @ force - program.curvature * self.w
        if program.boxed:
            right = right - g[2 * m : 2 * m + n] + g[2 * m + n :]
        full = np.append(right, y @ force) if program.fit_intercept else right
        moved = self.solve(full)
        dw, db = moved[:n], float(moved[n]) if program.fit_intercept else 0.0
        eta = (A @ dw + y * db + excess) / sigma
        d_xi = (g[:m] + g[m : 2 * m] - program.price - eta) / d[m : 2 * m]
        ds = np.concatenate([eta / d[:m], d_xi, -dw, dw] if program.boxed else [eta / d[:m], d_xi])
        return dw, db, ds, g - self.p - d * ds


def _advance(
    program: _Hinge, w: np.ndarray, b: float, s: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, float, np.ndarray, np.ndarray]:
    """One iteration: the predictor says how far to centre, and corrects for the second order."""
    newton = _Newton(program, w, s, p)
    *_, ds, dp = newton.direction(np.zeros_like(s))
    mu = s @ p / len(s)
    primal, dual = _length(s, ds, 1.0), _length(p, dp, 1.0)
    after = (s + primal * ds) @ (p + dual * dp) / len(s)
    center = min(0.3, (after / mu) ** 3) * mu
    dw, db, ds, dp = newton.direction(center - ds * dp)
    primal, dual = _length(s, ds, _STEP), _length(p, dp, _STEP)
    return w + primal * dw, b + primal * db, s + primal * ds, p + dual * dp


Solve = Callable[[np.ndarray], np.ndarray]


def _by_factor(program: _Hinge, sigma: np.ndarray, d_box: np.ndarray) -> Solve:
    """Solves the system in (w, b), or in w alone, by its Cholesky factor."""
    A, y, n = program.A, program.y, program.A.shape[1]
    weighted = A.multiply((1.0 / sigma)[:, None]).tocsr() if sparse.issparse(A) else A / sigma[:, None]
    product = A.T @ weighted
    system = np.zeros((n + 1, n + 1))
    system[:n, :n] = product.toarray() if sparse.issparse(product) else product
    system[n, :n] = system[:n, n] = weighted.T @ y
    system[n, n] = (1.0 / sigma).sum()
    diagonal = np.diag(system).copy()
    diagonal[:n] += program.curvature
    if len(d_box):
        diagonal[:n] += d_box[:n] + d_box[n:]
    np.fill_diagonal(system, diagonal * (1 + 1e-13))
    used = n + 1 if program.fit_intercept else n
    factor: tuple[np.ndarray, bool] = linalg.cho_factor(system[:used, :used], lower=True, check_finite=False)
    return lambda right: np.asarray(linalg.cho_solve(factor, right, check_finite=False))


def _by_steps(program: _Hinge, sigma: np.ndarray, d_box: np.ndarray) -> Solve:
    """Solves the same system by conjugate gradients, without multiplying it out."""
    A, n = program.A, program.A.shape[1]
    if program.fit_intercept:
        A = sparse.hstack([A, program.y[:, None]], format="csr")
    plain = np.zeros(A.shape[1])
    plain[:n] = program.curvature + (d_box[:n] + d_box[n:] if len(d_box) else 0.0)
    weights = 1.0 / sigma
    squares = A.multiply(A).T @ weights
    transposed = A.T.tocsr()

    def times(x: np.ndarray) -> np.ndarray:
        product: np.ndarray = plain * x + transposed @ (weights * (A @ x))
        return product

    return lambda right: conjugate_gradients(times, plain + squares, right, program.residual)


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
