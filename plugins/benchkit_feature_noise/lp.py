"""The robust linear program of Dekel, Shamir & Xiao 2010, Eq. 4."""

from __future__ import annotations

import warnings
from typing import Any, Literal, Self

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from benchkit_feature_noise import general_solvers, structured
from benchkit_feature_noise.program_objective import objective
from benchkit_feature_noise.programs import lp_program, put_back
from benchkit_feature_noise.robust_classifier import RobustLinearClassifier, check_positive
from benchkit_feature_noise.threat import check_values, remaining_value

SOLVERS = ("structured", "highs", "piqp", "clarabel")


class RobustLinearProgram(RobustLinearClassifier):
    """Linear classifier that survives the deletion of features of total value N from each row.

    Minimises (1/m) sum_i xi_i with xi_i = [max_J margin V(J)/P - y_i (b + sum_J w_j x_ij)]_+ over the box |w_j| <= C,
    J running over the feature sets whose complement has value at most N, P = V - N (Eq. 3), in its polynomial form
    (Eq. 4): exact for values in {0, 1} and whole N, an upper bound otherwise (Theorem 1).

    Parameters
    ----------
    C : float, default=1
        Half the side of the box of weights. Weights matter in units of 1/P.
    noise_budget : float, default=0
        N, 0 <= N < V. With 0 this is the infinity-norm SVM.
    feature_values : array-like of shape (n_features,) or None
        v >= 0; ones where None.
    margin : float, default=1
        gamma of Dekel & Shamir 2008: scales (w, b, xi, C) together.
    fit_intercept : bool, default=True
    solver : {"structured", "highs", "piqp", "clarabel"}, default="structured"
        The paper's own interior-point method (2.3), or a general one; the last two come with the extra ``peers``.
    tol : float, default=1e-6
        Largest gap between objective and lower bound (structured), or the general solver's tolerances.
    max_iter : int, optional
        200 for the structured method, the general solvers' own limits otherwise.
    n_threads : int, default=1
        Threads of the structured method.

    Attributes
    ----------
    coef_ : ndarray of shape (1, n_features)
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    objective_ : float
        Of (coef_, intercept_), from the closed form of the slacks.
    dual_objective_, duality_gap_ : float
        Lower bound by the solver's multipliers, and ``objective_`` minus it.
    n_iter_ : int
    n_features_in_ : int

    References
    ----------
    O. Dekel, O. Shamir, L. Xiao. Learning to classify with missing and corrupted features. Machine Learning 81, 2010.
    """

    def __init__(
        self,
        C: float = 1.0,
        noise_budget: float = 0.0,
        feature_values: Any = None,
        margin: float = 1.0,
        fit_intercept: bool = True,
        solver: Literal["structured", "highs", "piqp", "clarabel"] = "structured",
        tol: float = 1e-6,
        max_iter: int | None = None,
        n_threads: int = 1,
    ) -> None:
        self.C = C
        self.noise_budget = noise_budget
        self.feature_values = feature_values
        self.margin = margin
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_threads = n_threads

    def fit(self, X: Any, y: Any) -> Self:
        """Solve the linear program.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Two classes.
        """
        check_positive(C=self.C, margin=self.margin, tol=self.tol, n_threads=self.n_threads)
        if self.max_iter is not None:
            check_positive(max_iter=self.max_iter)
        if self.solver not in SOLVERS:
            raise ValueError(f"solver is {self.solver!r}, expected one of {', '.join(SOLVERS)}")
        X, signs = self._validate_training(X, y)
        values = check_values(self.feature_values, X.shape[1])
        remaining_value(values, self.noise_budget)
        program = lp_program(X, signs, values, self.C, self.noise_budget, self.margin, self.fit_intercept)
        if self.solver == "structured":
            solution = structured.solve(program, self.noise_budget, self.tol, self.max_iter, self.n_threads)
        else:
            solution = general_solvers.solve(self.solver, program, self.tol, self.max_iter)
        if solution.problem:
            warnings.warn(f"{solution.problem} (tol={self.tol:g})", ConvergenceWarning, stacklevel=2)
        coef = np.clip(solution.coef, -self.C, self.C)
        self.coef_ = put_back(program, coef)[None, :]
        self.intercept_ = np.array([solution.intercept])
        self.objective_ = objective(program, coef, solution.intercept)
        self.dual_objective_ = solution.dual_objective
        self.duality_gap_ = self.objective_ - self.dual_objective_
        self.n_iter_ = solution.n_iter
        return self
