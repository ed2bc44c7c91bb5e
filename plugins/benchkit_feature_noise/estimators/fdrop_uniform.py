"""FDROP against the deletion of one set of features from all rows (Globerson & Roweis 2006, 2.2)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from benchkit import check_positive
from benchkit_feature_noise.estimators.robust_classifier import RobustLinearClassifier
from benchkit_feature_noise.solvers.general_solvers import minimise_by_osqp
from benchkit_feature_noise.solvers.optimality import class_balance

_FINEST = 1e-10  # accuracy asked of OSQP at most


@dataclass(eq=False, repr=False)
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
        Largest gap between objective and lower bound, relative to the objective. OSQP begins at a tenth of it, and is
        run again at a tenth of that as long as its multipliers prove too little.
    max_iter : int, default=200000
        Of OSQP, each round.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    objective_ : float
        Over all sets.
    dual_objective_, duality_gap_ : float
        Lower bound by the multipliers of the last program, and ``objective_`` minus it.
    worst_set_ : ndarray of int, shape (K,)
        The features whose deletion hurts the solution most.
    n_iter_ : int
        Quadratic programs solved.
    n_features_in_ : int

    References
    ----------
    A. Globerson, S. Roweis. Nightmare at test time: robust learning by feature deletion. ICML 2006, section 2.2.
    """

    C: float = 1.0
    n_deleted: float = 0.0
    fit_intercept: bool = True
    max_subsets: int = 2000
    tol: float = 1e-5
    max_iter: int = 200_000

    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        """Solve the quadratic program with more and more sets."""
        check_positive(C=self.C, tol=self.tol, max_subsets=self.max_subsets, max_iter=self.max_iter)
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
        best, bound, active, accuracy, solved = np.inf, -np.inf, [0], 0.1 * self.tol, 0
        while True:  # a round that does not end adds a set or demands more of OSQP
            coef, intercept, proved, problem = self._solve(signed, signs, weights, kept[active], accuracy)
            bound, solved = max(bound, proved), solved + 1
            margins = (signed @ (kept * coef).T) + (signs * intercept)[:, None]
            losses = (weights[:, None] * np.maximum(1.0 - margins, 0.0)).sum(axis=0)
            worst = int(losses.argmax())
            objective = 0.5 * coef @ coef + self.C * losses[worst]
            if objective < best:
                best = objective
                self.coef_, self.intercept_ = coef[None, :], np.array([intercept])
                self.worst_set_ = sets[worst]
            if best - bound <= self.tol * best:
                break
            if problem or accuracy < _FINEST:
                reason = problem or f"OSQP solved its program to {accuracy:.0e}"
                message = f"the gap is {(best - bound) / best:.1e} of the objective (tol={self.tol:g}): {reason}"
                warnings.warn(message, ConvergenceWarning, stacklevel=3)
                break
            excess = self.C * (losses[worst] - losses[active].max())
            if worst in active or excess <= 0.1 * self.tol * objective:
                accuracy *= 0.1
            else:
                active.append(worst)
        self.objective_, self.n_iter_ = float(best), solved
        self.dual_objective_ = float(bound)
        self.duality_gap_ = self.objective_ - self.dual_objective_

    def _solve(
        self,
        signed: sparse.csr_matrix,
        signs: np.ndarray,
        row_weights: np.ndarray,
        kept: np.ndarray,
        accuracy: float,
    ) -> tuple[np.ndarray, float, float, str]:
        """Weights, bias, a lower bound, and why OSQP ended early, empty if it did not.

        Columns are w, b, t and, for each set, one slack per row; t is at least each set's weighted sum of slacks.
        """
        m, n = signed.shape
        count = len(kept)
        all_rows = sparse.identity(m, format="csc")
        blocks = []
        for place, mask in enumerate(kept):
            slacks = [sparse.csc_matrix((m, m))] * count
            slacks[place] = all_rows
            margins = [signed @ sparse.diags(mask), sparse.csc_matrix(signs[:, None]), sparse.csc_matrix((m, 1))]
            blocks.append(sparse.hstack([*margins, *slacks]))
        sums = sparse.kron(sparse.identity(count), -row_weights[None, :])
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
        A = sparse.vstack(blocks, format="csc")
        x, multipliers, _, problem = minimise_by_osqp(curvature, cost, A, lower, upper, accuracy, self.max_iter)
        # OSQP's multipliers of constraints from below are negative.
        shares, weights = -multipliers[: count * m].reshape(count, m), -multipliers[count * m : count * m + count]
        bound = self._lower_bound(signed, signs, row_weights, kept, shares, weights)
        return x[:n].copy(), float(x[n]), bound, problem

    def _lower_bound(
        self,
        signed: sparse.csr_matrix,
        signs: np.ndarray,
        row_weights: np.ndarray,
        kept: np.ndarray,
        shares: np.ndarray,
        weights: np.ndarray,
    ) -> float:
        """The dual objective sum a - 1/2 |sum_S sum_i a_Si y_i x_i restricted to S|^2, multipliers made feasible.

        Of a set's sum of slacks theta_S >= 0, sum theta <= C; of a row's margin 0 <= a_Si <= theta_S times its weight;
        and where the bias is free sum_Si a_Si y_i = 0.
        """
        theta = np.maximum(weights, 0.0)
        theta = theta * (self.C / max(self.C, theta.sum()))
        a = np.clip(shares, 0.0, theta[:, None] * row_weights)
        if self.fit_intercept:
            a = a * class_balance(a.sum(axis=0), signs)
        pull = ((signed.T @ a.T).T * kept).sum(axis=0)
        return float(a.sum() - 0.5 * pull @ pull)
