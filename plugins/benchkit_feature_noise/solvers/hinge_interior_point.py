"""Interior-point method for hinge losses without an adversary: LP at N = 0 and FDROP at K = 0.

    min  rho/2 |w|^2 + c sum_i xi_i    s.t.  y_i (b + w.x_i) + xi_i >= e,  xi >= 0,  |w_j| <= C

At a budget of 0 the robust programs have no strictly feasible dual point, so `interior_point` does not apply; without
the adversary's multipliers the system in (w, b) is a diagonal plus one weighted product X^T D X.

With X - 1 shift^T in place of X and b + shift.w in place of b (see `Program.shift`) every margin stays what it is,
without the digits that an offset of a column costs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import linalg, sparse

from benchkit_feature_noise.solvers.newton_systems import (
    by_conjugate_gradients,
    conjugate_gradients,
    next_residual,
    residual_for,
    shifted_cholesky,
)
from benchkit_feature_noise.solvers.optimality import Bracket, certified, class_balance
from benchkit_feature_noise.solvers.programs import Program, Solution

_STEP = 0.95
_DENSE = 1 / 8  # share of entries that are not zero from which on a dense product is quicker


def solve(program: Program, tol: float, max_iter: int) -> Solution:
    """Solve by Mehrotra's predictor and corrector until the gap is at most ``tol``, in the program's ``gap_unit``.

    Its adversary is left out: rows require a margin of ``scale``.
    """
    hinge = _Hinge(
        X=_shifted(program),
        y=program.y,
        required=program.scale,
        price=program.price,
        curvature=program.curvature,
        box=program.box,
        fit_intercept=program.fit_intercept,
        residual=residual_for(tol),
    )
    m = len(program.y)
    w, b, s, p = hinge.start()
    best, taken = Bracket(program, np.inf, w, b, proof=p[:m]), 0
    for taken in range(max_iter + 1):
        best.consider(hinge.objective(w, b), w, b)
        bound, multipliers = hinge.lower_bound(p[:m])
        if bound > best.lower:
            best.lower, best.proof = bound, multipliers
        if best.within(tol) or taken == max_iter:
            break
        before = s @ p
        try:
            w, b, s, p = _advance(hinge, w, b, s, p)
        except linalg.LinAlgError:
            break
        hinge = replace(hinge, residual=next_residual(hinge.residual, taken, before, s @ p))
    if not best.within(tol):  # at least no worse than the best constant
        constant = np.zeros_like(w), program.best_constant()
        best.consider(hinge.objective(*constant), *constant)
    moved = program.shift.astype(np.longdouble) @ best.w
    b = float(best.b - moved)
    bracket = hinge.objective(best.w, float(b + moved)), best.lower  # of b as it is rounded
    kept_whole = np.repeat(best.proof, np.diff(program.X.indptr))
    return certified(program, best.w, b, (best.proof, kept_whole), taken, tol, bracket=bracket)


def _shifted(program: Program) -> Any:
    """X less the program's ``shift``; dense unless it is thin."""
    X = program.X
    shifted = sparse.csr_matrix((X.data - program.shift[X.indices], X.indices, X.indptr), X.shape)
    thin = by_conjugate_gradients(X) or X.nnz < _DENSE * X.shape[0] * X.shape[1]
    return shifted if thin else shifted.toarray()


@dataclass(frozen=True)
class _Hinge:
    """The program for rows x_i, with slacks s and multipliers p.

    Both are of the margins (m), of xi (m) and, where w is boxed, of the upper and the lower sides of the box (2 n).
    """

    X: Any
    y: np.ndarray
    required: float
    price: np.ndarray
    curvature: float
    box: float
    fit_intercept: bool
    residual: float

    @property
    def boxed(self) -> bool:
        return bool(np.isfinite(self.box))

    def start(self) -> Point:
        """A point (w, b, s, p) with w = 0 that is strictly feasible."""
        m, n = self.X.shape
        s = np.concatenate([np.full(2 * m, self.required), np.full(2 * n if self.boxed else 0, self.box)])
        s[m : 2 * m] = 2 * self.required
        mu = 10.0 * self.required * self.price
        box = np.full(len(s) - 2 * m, np.median(mu))
        return np.zeros(n), 0.0, s, np.concatenate([mu, mu, box]) / s

    def margins(self, w: np.ndarray, b: float) -> np.ndarray:
        """y_i (b + w.x_i)."""
        margins: np.ndarray = self.y * (self.X @ w + b)
        return margins

    def pull(self, t: np.ndarray) -> np.ndarray:
        """Sum of y_i t_i x_i."""
        pull: np.ndarray = self.X.T @ (self.y * t)
        return pull

    def objective(self, w: np.ndarray, b: float) -> float:
        slack = np.maximum(0.0, self.required - self.margins(w, b))
        return float(0.5 * self.curvature * w @ w + self.price @ slack)

    def lower_bound(self, t: np.ndarray) -> tuple[float, np.ndarray]:
        """Dual objective of the multipliers, made feasible: clipped to [0, c], classes balanced where b is free."""
        t = np.minimum(t, self.price)
        if self.fit_intercept:
            t = t * class_balance(t, self.y)
        pull = self.pull(t)
        loss = 0.5 * float(pull @ pull) if self.curvature else self.box * float(np.abs(pull).sum())
        return self.required * float(t.sum()) - loss, t


Point = tuple[np.ndarray, float, np.ndarray, np.ndarray]
"""w, b, slacks and multipliers, or changes of these."""


def _advance(program: _Hinge, w: np.ndarray, b: float, s: np.ndarray, p: np.ndarray) -> Point:
    """One iteration: the predictor says how far to centre, and corrects for the second order.

    The Newton system is factorised once for both targets of the products s p.
    """
    m, n = program.X.shape
    d = p / s
    sigma = 1.0 / d[:m] + 1.0 / d[m : 2 * m]
    diagonal = np.full(n, program.curvature)
    if program.boxed:
        diagonal += d[2 * m : 2 * m + n] + d[2 * m + n :]
    solver = _by_steps if by_conjugate_gradients(program.X) else _by_factor
    solve = solver(program, 1.0 / sigma, diagonal)

    def direction(target: np.ndarray) -> Point:
        g = target / s
        excess = (g[:m] + g[m : 2 * m] - program.price) / d[m : 2 * m]
        force = g[:m] - excess / sigma
        right = program.pull(force) - program.curvature * w
        if program.boxed:
            right = right - g[2 * m : 2 * m + n] + g[2 * m + n :]
        dw, db = solve(right, float(program.y @ force))
        eta = (program.margins(dw, db) + excess) / sigma
        d_xi = (g[:m] + g[m : 2 * m] - program.price - eta) / d[m : 2 * m]
        ds = np.concatenate([eta / d[:m], d_xi, -dw, dw] if program.boxed else [eta / d[:m], d_xi])
        return dw, db, ds, g - p - d * ds

    *_, ds, dp = direction(np.zeros_like(s))
    mu = s @ p / len(s)
    primal, dual = _length(s, ds, 1.0), _length(p, dp, 1.0)
    after = (s + primal * ds) @ (p + dual * dp) / len(s)
    center = min(0.3, (after / mu) ** 3) * mu
    dw, db, ds, dp = direction(center - ds * dp)
    primal, dual = _length(s, ds, _STEP), _length(p, dp, _STEP)
    return w + primal * dw, b + primal * db, s + primal * ds, p + dual * dp


Solve = Callable[[np.ndarray, float], tuple[np.ndarray, float]]


def _by_factor(program: _Hinge, weights: np.ndarray, diagonal: np.ndarray) -> Solve:
    """Solves the system in (w, b) by the Cholesky factor of what is left of w once b is eliminated.

    With u the weights, ub their sum and c = X'u / ub, that is (X - 1 c')' diag(u) (X - 1 c') and the diagonal.
    """
    X = program.X
    total = float(weights.sum())
    c = X.T @ weights / total if program.fit_intercept else np.zeros(X.shape[1])
    if sparse.issparse(X):
        system = (X.T @ X.multiply(weights[:, None]).tocsr()).toarray() - total * np.outer(c, c)
    else:
        scaled = X - c
        scaled *= np.sqrt(weights)[:, None]
        system = linalg.blas.dsyrk(1.0, scaled.T, lower=1)
    factor = shifted_cholesky(system, np.diag(system) + diagonal)

    def solve(right: np.ndarray, right_bias: float) -> tuple[np.ndarray, float]:
        w, _ = linalg.lapack.dpotrs(factor, right - c * right_bias, lower=1)
        return w, right_bias / total - float(c @ w) if program.fit_intercept else 0.0

    return solve


def _by_steps(program: _Hinge, weights: np.ndarray, diagonal: np.ndarray) -> Solve:
    """Solves the same system by conjugate gradients, without multiplying it out."""
    X = sparse.hstack([program.X, np.ones((len(weights), 1))], format="csr") if program.fit_intercept else program.X
    n = program.X.shape[1]
    plain = np.zeros(X.shape[1])
    plain[:n] = diagonal
    squares = X.multiply(X).T @ weights
    transposed = X.T.tocsr()

    def times(x: np.ndarray) -> np.ndarray:
        product: np.ndarray = plain * x + transposed @ (weights * (X @ x))
        return product

    def solve(right: np.ndarray, right_bias: float) -> tuple[np.ndarray, float]:
        whole = np.append(right, right_bias)[: len(plain)]
        moved = conjugate_gradients(times, plain + squares, whole, program.residual)
        return moved[:n], float(moved[n]) if program.fit_intercept else 0.0

    return solve


def _length(x: np.ndarray, dx: np.ndarray, share: float) -> float:
    """Longest step to that share of the way to the boundary, at most 1."""
    worst = float(np.max(-dx / x))
    return min(1.0, share / worst) if worst > 0 else 1.0
