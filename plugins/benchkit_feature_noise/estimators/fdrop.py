"""FDROP: the support vector machine of Globerson & Roweis 2006 that survives the deletion of K features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from benchkit_feature_noise.estimators.robust_classifier import ProgramClassifier
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
        Columns that are one feature, such as a one-hot block: the adversary deletes them together, for the sum of their
        values. Exact where no row has two of a group's columns that are not zero; other groups are
        left to OSQP where the structured method is asked for.
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
        Threads of the structured method.
    keep_multipliers : bool, default=False
        Store what proves the lower bound, as `multipliers_`, so that it can be checked without the solver.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    objective_ : float
        Of (coef_, intercept_), from the closed form.
    dual_objective_, duality_gap_ : float
        Lower bound by the solver's multipliers, and ``objective_`` minus it.
    n_iter_ : int
    converged_ : bool
        Whether the solver reached ``tol``.
    multipliers_ : tuple of ndarray
        Of the rows, shape (n_samples,), and of the entries that are not zero, float32; with ``keep_multipliers``.
    n_features_in_ : int

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
