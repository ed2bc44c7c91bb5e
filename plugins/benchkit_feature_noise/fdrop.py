"""FDROP: the support vector machine of Globerson & Roweis 2006 that survives the deletion of K features."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
import osqp
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from benchkit_feature_noise import structured
from benchkit_feature_noise.robust_classifier import RobustLinearClassifier, check_positive
from benchkit_feature_noise.threat import check_values, dense_blocks, relaxed_deletion


class FeatureDroppingSVM(RobustLinearClassifier):
    """Support vector machine against the deletion of up to K features of each row.

    Minimises 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i) + s_i]_+, s_i the largest margin contribution of features that
    cost at most K (Eq. 6). The bias is neither deleted nor regularised.

    Parameters
    ----------
    C : float, default=1
    n_deleted : float, default=0
        K, 0 <= K <= V; with 0 this is the linear support vector machine.
    feature_values : array-like of shape (n_features,) or None
        What each feature costs of K; ones where None, as in the paper.
    exactly : bool, default=False
        Delete exactly K, helpful or not, instead of up to K.
    fit_intercept : bool, default=True
    solver : {"structured", "osqp"}, default="structured"
        The interior-point method that serves `lp` too, or OSQP on Eq. 6; ``exactly`` needs OSQP.
    tol : float, default=1e-6
        Largest gap relative to the objective (structured), or OSQP's absolute and relative tolerance.
    max_iter : int or None, default=None
        200 for the structured method, 200,000 for OSQP.
    n_threads : int, default=1
        Threads of the structured method.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    objective_ : float
        Of (coef_, intercept_), from the closed form.
    dual_objective_, duality_gap_ : float
        Lower bound by feasible multipliers, and ``objective_`` minus it (structured).
    n_iter_ : int
    n_features_in_ : int

    References
    ----------
    A. Globerson, S. Roweis. Nightmare at test time: robust learning by feature deletion. ICML 2006.
    """

    def __init__(
        self,
        C: float = 1.0,
        n_deleted: float = 0.0,
        feature_values: Any = None,
        exactly: bool = False,
        fit_intercept: bool = True,
        solver: Literal["structured", "osqp"] = "structured",
        tol: float = 1e-6,
        max_iter: int | None = None,
        n_threads: int = 1,
    ) -> None:
        self.C = C
        self.n_deleted = n_deleted
        self.feature_values = feature_values
        self.exactly = exactly
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any) -> Self:
        """Solve the quadratic program.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        """
        max_iter = (200 if self.solver == "structured" else 200_000) if self.max_iter is None else self.max_iter
        check_positive(C=self.C, tol=self.tol, max_iter=max_iter, n_threads=self.n_threads)
        if self.solver not in ("structured", "osqp"):
            raise ValueError(f"solver is {self.solver!r}, expected 'structured' or 'osqp'")
        if self.exactly and self.solver == "structured":
            raise ValueError("exactly=True needs solver='osqp'")
        X, signs = self._validate_training(X, y)
        values = check_values(self.feature_values, X.shape[1])
        if not 0 <= self.n_deleted <= values.sum():
            raise ValueError(f"n_deleted is {self.n_deleted:g}, expected 0 <= n_deleted <= {values.sum():g}")
        if self.solver == "osqp":
            coef, intercept, self.n_iter_ = self._solve_osqp(X, signs, values, max_iter)
        else:
            solution = structured.solve_fdrop(
                X, signs, values, self.C, self.n_deleted, self.fit_intercept, self.tol, max_iter, self.n_threads
            )
            coef, intercept, self.n_iter_ = solution.coef, solution.intercept, solution.n_iter
            self.dual_objective_ = solution.dual_objective
            if not solution.converged:
                gap = solution.objective - solution.dual_objective
                message = f"the gap is {gap:.1e} after {solution.n_iter} iterations, above tol={self.tol:g}"
                warnings.warn(message, ConvergenceWarning, stacklevel=2)
        self.coef_ = coef[None, :]
        self.intercept_ = np.array([intercept])
        losses = self._losses(X, signs, values)
        self.objective_ = float(0.5 * coef @ coef + self.C * losses.sum())
        if self.solver == "structured":
            self.duality_gap_ = self.objective_ - self.dual_objective_
        return self

    def _losses(self, X: Any, signs: np.ndarray, values: np.ndarray) -> np.ndarray:
        """Worst-case hinge loss of each row, shape (n_samples,)."""
        coef, intercept = self.coef_[0], self.intercept_[0]
        losses = np.empty(X.shape[0])
        for rows, dense in dense_blocks(X):
            gains = signs[rows, None] * dense * coef
            # To delete exactly K is to choose among shifted gains, all of them worth taking.
            shift = np.abs(gains).max() / max(values[values > 0].min(), 1e-300) + 1.0 if self.exactly else 0.0
            share = relaxed_deletion(gains + shift * values, values, self.n_deleted)
            losses[rows] = 1.0 - signs[rows] * intercept - gains.sum(axis=1) + (share * gains).sum(axis=1)
        return np.maximum(losses, 0.0)

    def _solve_osqp(
        self, X: Any, signs: np.ndarray, values: np.ndarray, max_iter: int
    ) -> tuple[np.ndarray, float, int]:
        """Eq. 6 with columns w, b, xi, z, u and v (one per non-zero entry).

        Entries x_ij = 0 need v_ij = max(0, -v_j z_i): nothing where z_i >= 0, and one u_i per row where it is free.
        """
        entries = sparse.coo_matrix(X)
        entries.eliminate_zeros()
        m, n = X.shape
        row, col, x = entries.row, entries.col, entries.data
        size = len(x)
        example, entry = np.arange(m), np.arange(size)
        b, xi, z, u, v = n, n + 1, n + 1 + m, n + 1 + 2 * m, n + 1 + 3 * m
        zero = values.sum() - np.bincount(row, weights=values[col], minlength=m)
        triplets = [
            # xi_i + y_i (b + w.x_i) - K z_i - sum_j v_ij - Z_i u_i >= 1
            (example, xi + example, np.ones(m)),
            (row, col, signs[row] * x),
            (example, np.full(m, b), signs),
            (example, z + example, np.full(m, -float(self.n_deleted))),
            (row, v + entry, np.full(size, -1.0)),
            (example, u + example, -zero),
            # v_j z_i + v_ij - y_i x_ij w_j >= 0
            (m + entry, z + row, values[col]),
            (m + entry, v + entry, np.ones(size)),
            (m + entry, col, -signs[row] * x),
            # u_i + z_i >= 0
            (m + size + example, u + example, np.ones(m)),
            (m + size + example, z + example, np.ones(m)),
            # bounds of the columns after w
            (2 * m + size + np.arange(v + size - n), np.arange(n, v + size), np.ones(v + size - n)),
        ]
        rows, columns, data = (np.concatenate(part) for part in zip(*triplets, strict=True))
        n_rows = 2 * m + size + (v + size - n)
        matrix = sparse.csc_matrix((data, (rows, columns)), shape=(n_rows, v + size))
        lower, upper = np.zeros(n_rows), np.full(n_rows, np.inf)
        lower[:m] = 1.0
        bounds = 2 * m + size - n  # row of a column's bound, from the column
        lower[bounds + b] = -np.inf if self.fit_intercept else 0.0
        upper[bounds + b] = np.inf if self.fit_intercept else 0.0
        if self.exactly:
            lower[bounds + z : bounds + u] = -np.inf
        cost = np.zeros(v + size)
        cost[xi:z] = self.C
        curvature = sparse.diags(np.concatenate([np.ones(n), np.zeros(v + size - n)]), format="csc")
        solver = osqp.OSQP()
        settings = {"eps_abs": self.tol, "eps_rel": self.tol, "max_iter": int(max_iter), "polishing": False}
        solver.setup(P=curvature, q=cost, A=matrix, l=lower, u=upper, verbose=False, **settings)
        result = solver.solve(raise_error=False)
        if result.info.status_val != osqp.SolverStatus.OSQP_SOLVED:
            message = f"OSQP ended with status {result.info.status!r} after {result.info.iter} iterations"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        return np.array(result.x[:n]), float(result.x[b]), int(result.info.iter)
