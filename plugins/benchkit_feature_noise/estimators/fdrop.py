"""FDROP of Globerson & Roweis 2006: against the deletion of features row by row, and of one set from all rows (2.2)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from benchkit import check_positive
from benchkit_feature_noise.estimators.robust_classifier import ProgramClassifier, RobustLinearClassifier
from benchkit_feature_noise.solvers.general_solvers import minimise_by_osqp
from benchkit_feature_noise.solvers.optimality import class_balance
from benchkit_feature_noise.solvers.programs import Program, Reduction, fdrop_program, reduce


@dataclass(eq=False, repr=False)
class FeatureDroppingSVM(ProgramClassifier):
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
    groups : sequence of sequences of int, default=()
        As of `RobustLinearProgram`; groups that are not one-hot are left to OSQP.
    exactly : bool, default=False
        Delete exactly K, helpful or not, instead of up to K.
    fit_intercept : bool, default=True
    solver : {"structured", "osqp", "piqp", "clarabel"}, default="structured"
        The interior-point method that serves `lp` too, or a general one, which ``exactly`` needs; the last two come
        with the extra ``peers``.
    formulation : {"primal", "dual"}, default="primal"
        What OSQP is given: Eq. 6, or the dual problem, Eq. 9.
    tol : float, default=1e-6
        Largest gap relative to the objective (structured), or the general solver's tolerances.
    max_iter : int, optional
        200 for the structured method, 200,000 for OSQP, 500 for the others.
    n_threads : int, default=1
    keep_multipliers : bool, default=False
        As of `RobustLinearProgram`, whose attributes it has.

    References
    ----------
    A. Globerson, S. Roweis. Nightmare at test time: robust learning by feature deletion. ICML 2006.
    """

    _solvers = ("structured", "osqp", "piqp", "clarabel")

    C: float = 1.0
    n_deleted: float = 0.0
    feature_values: Any = None
    groups: Sequence[Sequence[int]] = ()
    exactly: bool = False
    fit_intercept: bool = True
    solver: Literal["structured", "osqp", "piqp", "clarabel"] = "structured"
    formulation: Literal["primal", "dual"] = "primal"
    tol: float = 1e-6
    max_iter: int | None = None
    n_threads: int = 1
    keep_multipliers: bool = False

    def checked_values(self, X: Any) -> np.ndarray:
        """Feature values of the columns of X, once these and the parameters are found right."""
        if self.exactly and self.solver == "structured":
            raise ValueError("exactly=True needs solver='osqp', 'piqp' or 'clarabel'")
        if self.formulation not in ("primal", "dual") or (self.formulation == "dual" and self.solver != "osqp"):
            raise ValueError(f"formulation is {self.formulation!r}, expected 'primal', or 'dual' with solver='osqp'")
        values = super().checked_values(X)
        if not 0 <= self.n_deleted <= values.sum():
            raise ValueError(f"n_deleted is {self.n_deleted:g}, expected 0 <= n_deleted <= {values.sum():g}")
        return values

    @property
    def prepared_for(self) -> float:
        """K."""
        return self.n_deleted

    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        program = self.program(self.reduced(X), signs, weights)
        self.adopt(program, self._solve(program, "osqp-dual" if self.formulation == "dual" else self.solver))

    def reduced(self, X: Any) -> Reduction:
        """What decides something of X and its feature values, once the parameters are found right."""
        return reduce(X, self.checked_values(X), self.features(X), keep_zeros=self.exactly)

    def program(self, reduced: Reduction, signs: np.ndarray, weights: np.ndarray | None = None) -> Program:
        """Eq. 6 for these rows, labels -1 and +1, and weights of rows."""
        return fdrop_program(reduced, signs, self.C, self.n_deleted, self.fit_intercept, self.exactly, weights)


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
    coef_, intercept_, classes_ : ndarray of shape (1, n_features), (1,) and (2,)
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
        self, signed: sparse.csr_matrix, signs: np.ndarray, row_weights: np.ndarray, kept: np.ndarray, accuracy: float
    ) -> tuple[np.ndarray, float, float, str]:
        """Weights, bias, a lower bound, and why OSQP ended early, empty if it did not.

        Columns are w, b, t and, for each set, one slack per row; t is at least each set's weighted sum of slacks.
        """
        m, n = signed.shape
        count = len(kept)
        margins = sparse.vstack([signed @ sparse.diags(mask) for mask in kept])
        biases = np.tile(signs * self.fit_intercept, count)[:, None]  # of zeros, they leave b at 0
        sums = sparse.kron(sparse.identity(count), row_weights[None, :])
        blocks = [
            [margins, sparse.csc_matrix(biases), None, sparse.identity(count * m)],
            [None, None, np.ones((count, 1)), -sums],
            [None, None, sparse.identity(1), None],  # of use to OSQP alone: without it some programs do not end
            [None, None, None, sparse.identity(count * m)],
        ]
        lower = np.repeat([1.0, 0.0], [count * m, count + 1 + count * m])
        curvature, cost = np.zeros(n + 2 + count * m), np.zeros(n + 2 + count * m)
        curvature[:n], cost[n + 1] = 1.0, self.C
        A, upper = sparse.bmat(blocks, format="csc"), np.full(len(lower), np.inf)
        x, multipliers, _, problem = minimise_by_osqp(curvature, cost, A, lower, upper, accuracy, self.max_iter)
        # Made feasible, multipliers prove sum a - 1/2 |sum_Si a_Si y_i x_i without S|^2: of the sets' sums of slacks
        # theta >= 0, sum theta <= C; of the margins 0 <= a_Si <= theta_S times the row's weight, and where the bias is
        # free sum_Si a_Si y_i = 0.
        theta = np.maximum(multipliers[count * m : count * m + count], 0.0)
        theta = theta * (self.C / max(self.C, theta.sum()))
        a = np.clip(multipliers[: count * m].reshape(count, m), 0.0, theta[:, None] * row_weights)
        if self.fit_intercept:
            a = a * class_balance(a.sum(axis=0), signs)
        pull = ((signed.T @ a.T).T * kept).sum(axis=0)
        return x[:n].copy(), float(x[n]), float(a.sum() - 0.5 * pull @ pull), problem
