"""FDROP against the deletion of one set of features from all rows (Globerson & Roweis 2006, 2.2)."""

from __future__ import annotations

import warnings
from itertools import combinations
from math import comb
from typing import Any, Self

import numpy as np
import osqp
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from benchkit_feature_noise.robust_classifier import RobustLinearClassifier, check_positive


class UniformFeatureDroppingSVM(RobustLinearClassifier):
    """Support vector machine against the deletion of K features, the same ones from every row.

    Minimises 1/2 |w|^2 + C max_S sum_i [1 - y_i (b + sum_{j not in S} w_j x_ij)]_+ over the sets S of exactly K
    features, all of which are looked at: possible for few sets only. The quadratic program begins with one set and
    takes in the worst one at its solution until that is no worse than those it holds.

    Parameters
    ----------
    C : float, default=1
    n_deleted : float, default=0
        K, rounded down.
    fit_intercept : bool, default=True
        The bias is neither deleted nor regularised.
    max_subsets : int, default=2000
        More sets than this are refused with a ValueError.
    tol : float, default=1e-5
        By how much of the objective the worst set may exceed those in the program; OSQP's tolerance is a tenth of it.
    max_iter : int, default=200000
        Of OSQP, each round.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    objective_ : float
        Over all sets.
    worst_set_ : ndarray of int, shape (K,)
        The features whose deletion hurts the solution most.
    n_iter_ : int
        Rounds, which is the number of sets in the last program.
    n_features_in_ : int

    References
    ----------
    A. Globerson, S. Roweis. Nightmare at test time: robust learning by feature deletion. ICML 2006, section 2.2.
    """

    def __init__(
        self,
        C: float = 1.0,
        n_deleted: float = 0.0,
        fit_intercept: bool = True,
        max_subsets: int = 2000,
        tol: float = 1e-5,
        max_iter: int = 200_000,
    ) -> None:
        self.C = C
        self.n_deleted = n_deleted
        self.fit_intercept = fit_intercept
        self.max_subsets = max_subsets
        self.tol = tol
        self.max_iter = max_iter

    def fit(self, X: Any, y: Any) -> Self:
        """Solve the quadratic program with more and more sets.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        """
        check_positive(C=self.C, tol=self.tol, max_subsets=self.max_subsets, max_iter=self.max_iter)
        X, signs = self._validate_training(X, y)
        n_features = X.shape[1]
        if not 0 <= self.n_deleted <= n_features:
            raise ValueError(f"n_deleted is {self.n_deleted:g}, expected 0 <= n_deleted <= {n_features}")
        count = int(self.n_deleted)
        if comb(n_features, count) > self.max_subsets:
            raise ValueError(
                f"deleting {count} of {n_features} features can be done in {comb(n_features, count)} ways, "
                f"more than max_subsets = {self.max_subsets}"
            )
        sets = np.array(list(combinations(range(n_features), count)), dtype=int)
        kept = np.ones((len(sets), n_features))
        np.put_along_axis(kept, sets, 0.0, axis=1)
        signed = sparse.csr_matrix(X).multiply(signs[:, None]).tocsr()
        best, active = np.inf, [0]
        while True:  # a round that does not end adds a set
            coef, intercept = self._solve(signed, signs, kept[active])
            margins = (signed @ (kept * coef).T) + (signs * intercept)[:, None]
            losses = np.maximum(1.0 - margins, 0.0).sum(axis=0)
            worst = int(losses.argmax())
            objective = 0.5 * coef @ coef + self.C * losses[worst]
            if objective < best:
                best = objective
                self.coef_, self.intercept_ = coef[None, :], np.array([intercept])
                self.worst_set_ = sets[worst]
            if worst in active or self.C * (losses[worst] - losses[active].max()) <= self.tol * objective:
                break
            active.append(worst)
        self.objective_, self.n_iter_ = float(best), len(active)
        return self

    def _solve(self, signed: sparse.csr_matrix, signs: np.ndarray, kept: np.ndarray) -> tuple[np.ndarray, float]:
        """Columns w, b, t and, for each set, one slack per row; t is at least each set's sum of slacks."""
        m, n = signed.shape
        count = len(kept)
        one, all_rows = np.ones((1, m)), sparse.identity(m, format="csc")
        blocks = []
        for place, mask in enumerate(kept):
            slacks = [sparse.csc_matrix((m, m))] * count
            slacks[place] = all_rows
            margins = [signed @ sparse.diags(mask), sparse.csc_matrix(signs[:, None]), sparse.csc_matrix((m, 1))]
            blocks.append(sparse.hstack([*margins, *slacks]))
        sums = sparse.kron(sparse.identity(count), -one)
        blocks.append(sparse.hstack([sparse.csc_matrix((count, n + 1)), np.ones((count, 1)), sums]))
        size = n + 2 + count * m
        blocks.append(sparse.identity(size, format="csc")[n:])
        lower = np.concatenate([np.ones(count * m), np.zeros(count), [0.0, 0.0], np.zeros(count * m)])
        upper = np.full(len(lower), np.inf)
        if self.fit_intercept:
            lower[count * m + count] = -np.inf
        else:
            upper[count * m + count] = 0.0
        cost = np.zeros(size)
        cost[n + 1] = self.C
        curvature = sparse.diags(np.concatenate([np.ones(n), np.zeros(size - n)]), format="csc")
        solver = osqp.OSQP()
        tol = 0.1 * self.tol
        solver.setup(
            P=curvature,
            q=cost,
            A=sparse.vstack(blocks, format="csc"),
            l=lower,
            u=upper,
            verbose=False,
            eps_abs=tol,
            eps_rel=tol,
            max_iter=int(self.max_iter),
        )
        result = solver.solve(raise_error=False)
        if result.info.status_val != osqp.SolverStatus.OSQP_SOLVED:
            message = f"OSQP ended with status {result.info.status!r} after {result.info.iter} iterations"
            warnings.warn(message, ConvergenceWarning, stacklevel=3)
        return np.array(result.x[:n]), float(result.x[n])
