"""The robust linear program of Dekel, Shamir & Xiao 2010, Eq. 4."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from sklearn.model_selection import StratifiedKFold

from benchkit import check_count, check_positive
from benchkit_feature_noise.bounds import remaining_value
from benchkit_feature_noise.estimators.robust_classifier import ProgramClassifier
from benchkit_feature_noise.solvers.optimality import objective
from benchkit_feature_noise.solvers.programs import Program, Reduction, Solution, lp_program, put_back


@dataclass(eq=False, repr=False)
class RobustLinearProgram(ProgramClassifier):
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
    groups : sequence of sequences of int, default=()
        Columns that are one feature, such as a one-hot block: the adversary deletes them together, for the sum of their
        values. Exact where no row has two of a group's columns that are not zero; other groups are
        left to HiGHS where the structured method is asked for.
    margin : float, default=1
        gamma of Dekel & Shamir 2008: scales (w, b, xi, C) together.
    fit_intercept : bool, default=True
    solver : {"structured", "highs", "piqp", "clarabel"}, default="structured"
        The paper's own interior-point method (2.3), or a general one; the last two come with the extra ``peers``.
    tol : float, default=1e-6
        Largest gap between objective and lower bound (structured), relative to the objective or, where that is larger,
        to the mean hinge loss at ``margin`` of the best constant classifier; or the general solver's tolerances.
    max_iter : int, optional
        200 for the structured method, the general solvers' own limits otherwise.
    n_threads : int, default=1
        Threads of the structured method.
    chunks : int, default=1
        Divide the rows at random into so many parts, solve a program for each and average the weights (the variant of
        bagging of Dekel & Shamir 2008, section 4). Classes keep their proportions.
    random_state : int, RandomState or None
        Of the division into chunks.
    keep_multipliers : bool, default=False
        Store what proves the lower bound, as `multipliers_`, so that it can be checked without the solver.
        Not with chunks.

    Attributes
    ----------
    coef_, intercept_, classes_ : ndarray of shape (1, n_features), (1,) and (2,)
    objective_ : float
        Of (coef_, intercept_), from the closed form of the slacks.
    dual_objective_, duality_gap_ : float
        Lower bound by the solver's multipliers, and ``objective_`` minus it. With chunks the bound is the mean of
        theirs, weighted by rows: no weights do better on all rows than each chunk's own do on it.
    n_iter_ : int
        Summed over chunks.
    converged_ : bool
        Whether the solver reached ``tol``; with chunks, on all of them.
    multipliers_ : tuple of ndarray
        Of the rows, shape (n_samples,), and of the entries that are not zero, float32; with ``keep_multipliers``.
    n_features_in_ : int

    References
    ----------
    O. Dekel, O. Shamir, L. Xiao. Learning to classify with missing and corrupted features. Machine Learning 81, 2010.
    """

    _solvers = ("structured", "highs", "piqp", "clarabel")

    C: float = 1.0
    noise_budget: float = 0.0
    feature_values: Any = None
    groups: Sequence[Sequence[int]] = ()
    margin: float = 1.0
    fit_intercept: bool = True
    solver: Literal["structured", "highs", "piqp", "clarabel"] = "structured"
    tol: float = 1e-6
    max_iter: int | None = None
    n_threads: int = 1
    chunks: int = 1
    random_state: Any = None
    keep_multipliers: bool = False

    def checked_values(self, X: Any) -> np.ndarray:
        """Feature values of the columns of X, once these and the parameters are found right."""
        check_positive(margin=self.margin)
        if self.keep_multipliers and self.chunks > 1:
            raise ValueError(f"keep_multipliers needs chunks=1, got chunks={self.chunks}")
        values = super().checked_values(X)
        remaining_value(values, self.noise_budget)
        return values

    @property
    def prepared_for(self) -> float:
        """N."""
        return self.noise_budget

    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        whole = self.program(self.reduced(X), signs, weights)
        parts = draw_chunks(signs, self.chunks, self.random_state)
        if len(parts) == 1:
            self.adopt(whole, self._solve(whole, self.solver))
            return
        programs = [self.program(self.reduced(X[rows]), signs[rows], weights[rows]) for rows in parts]
        solutions = [self._solve(program, self.solver) for program in programs]
        self.adopt(whole, _average(programs, whole, solutions, [float(weights[rows].sum()) for rows in parts]))

    def program(self, reduced: Reduction, signs: np.ndarray, weights: np.ndarray | None = None) -> Program:
        """Eq. 4 for these rows, labels -1 and +1, and weights of rows."""
        return lp_program(reduced, signs, self.C, self.noise_budget, self.margin, self.fit_intercept, weights)


def draw_chunks(y: np.ndarray, chunks: int, random_state: Any = None) -> list[Any]:
    """Indices of each chunk (Dekel & Shamir 2008, section 4): a random division; classes keep their proportions."""
    check_count(chunks=chunks)
    if chunks == 1:
        return [slice(None)]
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if chunks > smallest:
        raise ValueError(f"chunks is {chunks}, but a class has only {smallest} rows; each chunk needs one")
    folds = StratifiedKFold(chunks, shuffle=True, random_state=random_state)
    return [rows for _, rows in folds.split(np.zeros(len(y)), y)]


def _average(
    programs: Sequence[Program], whole: Program, solutions: Sequence[Solution], sizes: Sequence[float]
) -> Solution:
    """Average of the solutions of chunks, as a solution of the program of all rows; bounds by the chunks' weights."""
    full = [put_back(program, solution.coef) for program, solution in zip(programs, solutions, strict=True)]
    coef = np.mean(full, axis=0)[whole.columns]
    intercept = float(np.mean([solution.intercept for solution in solutions]))
    return Solution(
        coef=coef,
        intercept=intercept,
        objective=objective(whole, coef, intercept),
        dual_objective=float(np.average([solution.dual_objective for solution in solutions], weights=sizes)),
        n_iter=sum(solution.n_iter for solution in solutions),
        problem="; ".join(solution.problem for solution in solutions if solution.problem),
    )


def box_grid(n_features: int, total_value: float, budget: float) -> dict[str, list[float]]:
    """Radii C of the box of weights, in units of 1/P, P = V - N: at C max|x| <= min v / P no deletion pays."""
    remaining = max(total_value - budget, 1e-12)
    return {"C": [factor / remaining for factor in (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)]}
