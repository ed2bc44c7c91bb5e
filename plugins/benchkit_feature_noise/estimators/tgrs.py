"""Stochastic steps on FDROP's objective, after Teo, Globerson, Roweis & Smola 2008, and Sec-SVM, which they train."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from benchkit import check_count, check_positive
from benchkit_deletion.threat import check_values
from benchkit_feature_noise.estimators.robust_classifier import RobustLinearClassifier
from benchkit_feature_noise.solvers import frank_wolfe
from benchkit_feature_noise.solvers.optimality import class_balance

_PASSES_PER_CHECK = 5
_STIFFNESS = 10.0
_TIE = 1e-12  # of sums of prices that are equal but for rounding


@dataclass(eq=False, repr=False)
class StochasticFeatureDropping(RobustLinearClassifier):
    """Support vector machine against the deletion of up to K features of each row, trained row by row.

    Minimises FDROP's objective 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i) + s_i]_+, s_i the largest margin contribution
    of features that cost at most K. Each step takes the subgradient of one row's loss, at the top K features of that
    row, with the length that raises the dual objective most (block-coordinate Frank-Wolfe), so that a lower bound of
    the optimum comes along and says when to stop. Time per pass and memory are O(non-zero entries).

    Parameters
    ----------
    C : float, default=1
    n_deleted : float, default=0
        K, 0 <= K <= V.
    feature_values : array-like of shape (n_features,) or None
        What each feature costs of K; ones where None.
    box : float or None, default=None
        Bound of the weights, |w_j| <= box.
    fit_intercept : bool, default=True
        The bias is neither deleted nor regularised.
    tol : float, default=0.01
        Stop when the objective is within this fraction of the lower bound.
    max_iter : int, default=2000
        Passes over the rows at most.
    random_state : int, RandomState or None
        Of the order of rows.

    Attributes
    ----------
    coef_, intercept_, classes_ : ndarray of shape (1, n_features), (1,) and (2,)
    objective_, dual_objective_, duality_gap_ : float
        Of the rows given to ``fit``: objective, lower bound of the optimum, and their difference.
    n_iter_ : int
        Passes.
    n_features_in_ : int

    References
    ----------
    C. H. Teo, A. Globerson, S. Roweis, A. Smola. Convex learning with invariances. NIPS 20, 2008.
    """

    C: float = 1.0
    n_deleted: float = 0.0
    feature_values: Any = None
    box: float | None = None
    fit_intercept: bool = True
    tol: float = 1e-2
    max_iter: int = 2000
    random_state: Any = None

    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        """Pass over the rows until the objective is within ``tol`` of its lower bound."""
        check_positive(C=self.C, tol=self.tol)
        check_count(max_iter=self.max_iter)
        check_positive(box=1.0 if self.box is None else self.box)
        run = _Run(self, X, signs, weights)
        rng = check_random_state(self.random_state)
        objective, lower = np.inf, -np.inf
        passes = 0
        while passes < self.max_iter and lower < (1 - self.tol) * objective:
            for _ in range(min(_PASSES_PER_CHECK, int(self.max_iter) - passes)):
                run.visit(rng.permutation(len(signs)))
                passes += 1
            lower = max(lower, run.lower_bound())
            coef, intercept, here = run.candidate()
            if here < objective:
                objective = here
                self.coef_, self.intercept_ = coef[None, :], np.array([intercept])
        if lower < (1 - self.tol) * objective:
            message = f"after {passes} passes the objective {objective:g} exceeds its lower bound {lower:g} by more"
            warnings.warn(f"{message} than the fraction {self.tol:g}", ConvergenceWarning, stacklevel=3)
        self.objective_, self.dual_objective_ = float(objective), float(lower)
        self.duality_gap_ = self.objective_ - self.dual_objective_
        self.n_iter_ = passes
        self._stream = None

    def partial_fit(self, X: Any, y: Any, classes: Any = None) -> Self:
        """Visit further rows once; what is kept does not grow with their number.

        Rows are not remembered: a row that comes again counts as another one of the objective. A call after ``fit``
        begins anew. Both ``classes`` are needed in the first call where y does not hold both.
        """
        check_positive(C=self.C)
        check_positive(box=1.0 if self.box is None else self.box)
        going_on = getattr(self, "_stream", None) is not None
        for name in () if going_on else ("objective_", "dual_objective_", "duality_gap_", "n_iter_"):
            vars(self).pop(name, None)  # of a fit before, whose weights go
        X, signs = self._validate_stream(X, y, classes, not going_on)
        run = _Run(self, X, signs, np.ones(len(signs)), self._stream if going_on else None)
        run.visit(check_random_state(self.random_state).permutation(len(signs)))
        self._stream = run.state
        self.coef_, self.intercept_ = run.weights()[None, :], np.array([run.state.intercept])
        return self


@dataclass(eq=False, repr=False)
class SecureSVM(RobustLinearClassifier):
    """Linear support vector machine whose weights are held in a box.

    Minimises 1/2 |w|^2 + C sum_i [1 - y_i (b + w.x_i)]_+ over |w_j| <= box, by dual coordinate ascent: what
    `StochasticFeatureDropping` does when nothing is deleted. No small set of features can then decide.

    Parameters
    ----------
    C : float, default=1
    box : float, default=1
    fit_intercept : bool, default=True
        The bias is neither bounded nor regularised.
    tol, max_iter, random_state
        As of `StochasticFeatureDropping`, whose attributes it has.

    References
    ----------
    A. Demontis et al. Yes, machine learning can be more secure! A case study on Android malware detection. IEEE
    Transactions on Dependable and Secure Computing 16, 2019 (online 2017).
    """

    C: float = 1.0
    box: float = 1.0
    fit_intercept: bool = True
    tol: float = 1e-2
    max_iter: int = 2000
    random_state: Any = None

    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        """Pass over the rows until the objective is within ``tol`` of its lower bound."""
        check_positive(box=self.box)
        solved = StochasticFeatureDropping(**self.get_params()).fit(X, signs, weights)
        self.coef_, self.intercept_ = solved.coef_, solved.intercept_
        self.objective_, self.dual_objective_ = solved.objective_, solved.dual_objective_
        self.duality_gap_, self.n_iter_ = solved.duality_gap_, solved.n_iter_


@dataclass
class _State:
    total: np.ndarray
    """Sum of the rows' dual vectors; the weights before they are clipped."""
    intercept: float
    stiffness: float


class _Run:
    """The dual point of a set of rows, and the weights that it stands for."""

    def __init__(
        self,
        model: StochasticFeatureDropping,
        X: Any,
        signs: np.ndarray,
        weights: np.ndarray,
        state: _State | None = None,
    ) -> None:
        values = check_values(model.feature_values, X.shape[1])
        if not 0 <= model.n_deleted <= values.sum():
            raise ValueError(f"n_deleted is {model.n_deleted:g}, expected 0 <= n_deleted <= {values.sum():g}")
        uniform = bool(values[0] > 0 and np.ptp(values) == 0)
        budget = float(model.n_deleted / values[0]) if uniform else float(model.n_deleted)
        self.threat = values, budget, uniform
        rows = sparse.csr_matrix(X, copy=True)
        rows.eliminate_zeros()
        self.y, self.price, self.fit_intercept = signs, model.C * weights, model.fit_intercept
        self.box = np.inf if model.box is None else float(model.box)
        self.lengths = np.diff(rows.indptr)
        # Entries are multiplied by y.
        self.rows = rows.indptr, rows.indices, rows.data * np.repeat(signs, self.lengths)
        if state is None:
            # At 1 / size the bias would move as a feature of the rows' own size does, at which it swings.
            size = float(self.rows[2] @ self.rows[2]) / len(signs)
            state = _State(np.zeros(X.shape[1]), 0.0, _STIFFNESS / size if size > 0 else 1.0)
        self.state = state
        self.alpha, self.s = np.zeros(len(signs)), np.zeros(rows.nnz)
        self.pull = 0.0

    def visit(self, order: np.ndarray) -> None:
        """Step on the given rows, then centre the bias where it has come to.

        The dual point stays, so that an unbalanced one goes on to pull the bias: the method of multipliers.
        """
        state = self.state
        stiffness = state.stiffness if self.fit_intercept else np.inf
        self.pull = frank_wolfe.run(
            *self.rows, self.y, order, *self.threat, self.price, self.box, state.total, self.s, self.alpha,
            state.intercept, self.pull, stiffness,
        )  # fmt: skip
        state.intercept += self.pull / stiffness

    def weights(self) -> np.ndarray:
        """Of shape (n_features,)."""
        return np.clip(self.state.total, -self.box, self.box)

    def candidate(self) -> tuple[np.ndarray, float, float]:
        """Weights, the best bias for them, and the objective there."""
        coef = self.weights()
        needed = 1.0 - frank_wolfe.margins(*self.rows, *self.threat, coef)
        intercept = best_bias(needed, self.y, self.price) if self.fit_intercept else 0.0
        losses = np.maximum(needed - self.y * intercept, 0.0)
        return coef, intercept, float(0.5 * coef @ coef + self.price @ losses)

    def lower_bound(self) -> float:
        """Dual objective of the point, scaled down in one class so that sum alpha_i y_i = 0 where there is a bias."""
        scale = class_balance(self.alpha, self.y) if self.fit_intercept else np.ones(len(self.y))
        weighted = self.s * np.repeat(scale, self.lengths)
        total = np.bincount(self.rows[1], weights=weighted, minlength=len(self.state.total))
        coef = np.clip(total, -self.box, self.box)
        return float(scale @ self.alpha + 0.5 * coef @ coef - total @ coef)


def best_bias(needed: np.ndarray, y: np.ndarray, price: np.ndarray) -> float:
    """A bias b that minimises sum_i price_i [needed_i - y_i b]_+, y being -1 or +1."""
    order = np.argsort(needed * y)
    breaks, positive = (needed * y)[order], y[order] > 0
    # Right of a break-point the slope adds what the negative rows that lose cost, minus the positive ones.
    last = np.searchsorted(breaks, breaks, side="right") - 1
    losing_negative = np.cumsum(np.where(positive, 0.0, price[order]))[last]
    won = np.cumsum(np.where(positive, price[order], 0.0))
    return float(breaks[np.argmax(losing_negative >= (1 - _TIE) * (won[-1] - won[last]))])
