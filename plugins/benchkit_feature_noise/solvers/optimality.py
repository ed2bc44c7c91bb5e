"""Whether weights are an optimum: their objective, and the lower bound that multipliers prove, whoever found them.

For a `Program`, multipliers are t_i of each row and r_ij of each entry (of each feature of a row, where it is
grouped), r_ij/t_i the share of the entry that the worst case keeps. With

    0 <= t_i <= c,   0 <= r_ij <= t_i,   sum_j v_j r_ij >= P_i t_i (equal where exactly K go),   sum_i y_i t_i = 0

(the last where the bias is free) and pull_j = sum_i y_i x_ij r_ij, weak duality gives the lower bound

    sum_i e_i t_i + offset sum_ij v_j r_ij - C |pull|_1     (box),   or   ... - 1/2 |pull|^2     (curvature 1).
"""

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from scipy import sparse

from benchkit_deletion.threat import relaxed_deletion
from benchkit_feature_noise.solvers import bound_kernels
from benchkit_feature_noise.solvers.interior_point_kernels import entries_of
from benchkit_feature_noise.solvers.newton_systems import conjugate_gradients
from benchkit_feature_noise.solvers.programs import Program, Solution

Multipliers = tuple[np.ndarray, np.ndarray]
"""t of shape (n_rows,) and r of shape (n_entries,), in the order of the program's CSR matrix."""

_TIGHT, _SINGULAR = 1e-9, 1e-12
_DENSE = 1 / 8  # share of entries from which on a dense product is quicker
WIDEST = 2000  # columns whose system is multiplied out; that of more is solved by conjugate gradients
_CORRECTED = 1e-8  # residual of these
_BALANCED = 2  # times
_FEW = 3.0  # times the largest term w_j x_ij: what does not bind


@dataclass
class Bracket:
    """The best weights so far with their objective, and the best lower bound with what proves it."""

    program: Program
    objective: float
    w: np.ndarray
    b: float
    lower: float = -np.inf
    proof: Any = None

    def consider(self, objective: float, w: np.ndarray, b: float) -> None:
        """Take weights that do better."""
        if objective < self.objective:
            self.objective, self.w, self.b = objective, w, b

    def within(self, tol: float) -> bool:
        """Whether the gap is small beside the objective reached: an iterate's own may be far above it."""
        return self.objective - self.lower <= tol * self.program.gap_unit(self.objective)


def class_balance(t: np.ndarray, y: np.ndarray) -> np.ndarray:
    """What to multiply rows' multipliers by so that both classes' sum to the same.

    None is negative; those of the heavier class shrink.
    """
    negative, positive = float(t[y < 0].sum()), float(t[y > 0].sum())
    least = min(negative, positive)
    return np.where(y > 0, least / max(positive, 1e-300), least / max(negative, 1e-300))


def feasible(program: Program, multipliers: Multipliers) -> Multipliers:
    """The multipliers, moved as little as each constraint in turn demands; those that satisfy all stay."""
    y = program.y
    _, rows, values = program.layout
    t = np.clip(multipliers[0], 0.0, program.price)
    r = np.clip(multipliers[1], 0.0, t[rows])
    present = np.bincount(rows, weights=values, minlength=len(y))
    kept = np.bincount(rows, weights=values * r, minlength=len(y))
    needed = program.remaining * t
    # Towards keeping everything, as far as the row needs.
    missing, room = np.maximum(needed - kept, 0.0), present * t - kept
    share = np.clip(np.divide(missing, room, out=np.zeros_like(t), where=room > 0), 0.0, 1.0)
    r = r + share[rows] * (t[rows] - r)
    if program.exactly:
        least = np.maximum(needed, 0.0)
        r = r * np.divide(least, kept, out=np.ones_like(t), where=kept > least)[rows]
    if program.fit_intercept:
        scale = class_balance(t, y)  # a row's constraints are homogeneous in its multipliers
        t, r = t * scale, r * scale[rows]
    return t, r


def balanced(program: Program, coef: np.ndarray, multipliers: Multipliers) -> Multipliers:
    """Multipliers near those of an optimum, with the pull of columns inside the box brought to what is optimal there.

    At an optimum pull_j is 0 (box), or w_j (curvature 1). With the excess pull_j - rho w_j of columns of large entries,
    C times its rounding is proved too little. The change with least sum delta_ij^2 / d_ij, where d_ij = min(r_ij, t_i -
    r_ij) is the room of an entry, that removes the excess and leaves v.r of the rows that need all of it, is delta_ij =
    d_ij (y_i x_ij theta_j + v_j nu_i): a system in theta, once nu is eliminated row by row. With groups nothing is
    changed.
    """
    X, y = program.X, program.y
    t, r = feasible(program, multipliers)
    _, rows, v = program.layout
    m, n = X.shape
    if program.groups is not None:
        return t, r
    a = y[rows] * X.data
    room = np.maximum(np.minimum(r, t[rows] - r), 0.0)
    kept = np.bincount(rows, weights=v * r, minlength=m)
    tight = kept <= (1 + _TIGHT) * program.remaining * t
    excess = np.bincount(X.indices, weights=a * r, minlength=n) - program.curvature * coef
    excess[np.abs(coef) >= (1 - _TIGHT) * program.box] = 0.0
    unit = np.sqrt(np.bincount(X.indices, weights=room * a * a, minlength=n))
    free = (unit > 0) & (excess != 0)
    unit[~free] = np.inf
    # In units of the columns, so that one of large entries weighs as much as others.
    scaled = sparse.csr_matrix((room * a * v / unit[X.indices], X.indices, X.indptr), X.shape)
    weight = np.bincount(rows, weights=room * v * v, minlength=m)
    share = np.divide(1.0, weight, out=np.zeros(m), where=tight & (weight > 0))
    if n > WIDEST:
        across = scaled.T.tocsr()
        theta = conjugate_gradients(
            lambda x: x - across @ (share * (scaled @ x)), np.ones(n), -excess / unit, _CORRECTED
        )
    else:
        scaled = scaled.toarray() if X.nnz >= _DENSE * m * n else scaled
        weighted = share[:, None] * scaled if isinstance(scaled, np.ndarray) else sparse.diags(share) @ scaled
        product = scaled.T @ weighted
        system = np.eye(n) - (product if isinstance(product, np.ndarray) else product.toarray())
        theta = np.linalg.lstsq(system, -excess / unit, rcond=_SINGULAR)[0]
    nu = -share * (scaled @ theta)
    change = room * (a * (theta / unit)[X.indices] + v * nu[rows])
    return t, np.clip(r + change, 0.0, t[rows])


def lower_bound(program: Program, multipliers: Multipliers, box: np.ndarray | None = None) -> float:
    """What the multipliers, made feasible, prove of the program's optimum; ``box``, by column, in place of its own."""
    t, r = feasible(program, multipliers)
    X = program.X
    of, rows, values = program.layout
    shift, kept = program.shift[X.indices], r[of]
    # As sum_i y_i t_i = 0, `shift` times it may be taken away: what is left has no digits of a column's offset.
    terms = program.y[rows[of]] * ((X.data - shift) * kept + shift * (kept - t[rows[of]]))
    pull = np.bincount(X.indices, weights=terms, minlength=X.shape[1])
    gained = program.required @ t + program.offset * (values @ r)
    sides = np.full(len(pull), program.box) if box is None else box
    loss = 0.5 * pull @ pull if program.curvature else sides @ np.abs(pull)
    return float(gained - loss)


def compact(solution: Solution) -> Multipliers:
    """A solution's multipliers as they are stored: those of the entries, the many, in float32."""
    if solution.multipliers is None:
        raise ValueError("this solver left no multipliers")
    t, r = solution.multipliers
    return np.array(t), r.astype(np.float32)


def objective(program: Program, coef: np.ndarray, intercept: float) -> float:
    """rho/2 |w|^2 + c sum of the smallest xi, each a fractional knapsack."""
    if program.groups is not None or program.exactly:
        slack = _slack_row_by_row(program, coef, intercept)
    else:
        slack = np.empty(len(program.y))
        bound_kernels.worst_case_slack(
            0, len(slack), entries_of(program), program.required, float(program.offset), coef, float(intercept), slack
        )
    return float(0.5 * program.curvature * coef @ coef + program.price @ slack)


def certified(
    program: Program,
    coef: np.ndarray,
    intercept: float,
    multipliers: Multipliers | None,
    n_iter: int,
    tol: float,
    failure: str = "",
    bracket: tuple[float, float] | None = None,
) -> Solution:
    """A solver's answer with its exact objective, the bound that its multipliers prove, and whether they meet.

    That is, to ``tol`` in the program's ``gap_unit``. ``failure`` is what the solver says of itself where it did not
    end well; ``bracket`` the objective and a lower bound, where it has computed them with more digits.
    """
    coef = np.clip(coef, -program.box, program.box)
    if bracket is None:
        assert multipliers is not None
        bracket = objective(program, coef, intercept), lower_bound(program, multipliers)
    reached, lower = bracket
    problem = ""
    wished = tol * program.gap_unit(reached)
    for _ in range(_BALANCED):
        if multipliers is None or reached - lower <= wished:
            break
        # What a first change pushes out of its bounds, and so loses again, a second one mends.
        better = balanced(program, coef, multipliers)
        if not (bound := lower_bound(program, better)) > lower:
            break
        lower, multipliers = bound, better
    if not reached - lower <= wished:
        gap = f"the gap is {reached - lower:.1e} after {n_iter} iterations"
        problem = "; ".join(filter(None, (failure, gap, _what_failed(program, coef, reached, multipliers, tol))))
    return Solution(coef, intercept, reached, lower, n_iter, problem, multipliers)


def _what_failed(
    program: Program, coef: np.ndarray, reached: float, multipliers: Multipliers | None, tol: float
) -> str:
    """That the bound failed and not the weights, where it holds for weights of a few times these terms."""
    if multipliers is None or program.curvature or not np.isfinite(program.box):
        return ""
    sizes = np.zeros(len(coef))
    np.maximum.at(sizes, program.X.indices, np.abs(program.X.data))
    term = _FEW * float((np.abs(coef) * sizes).max(initial=0.0))
    gap = reached - lower_bound(program, multipliers, np.minimum(program.box, term / sizes))
    if not gap <= tol * program.gap_unit(reached):
        return ""
    return f"the weights are right to {gap:.1e} where |w_j x_ij| <= {term:.2g}, only the bound for C is not proved"


def _slack_row_by_row(program: Program, coef: np.ndarray, intercept: float) -> np.ndarray:
    """Smallest xi of each row where entries are features of several columns, or go exactly; shape (n_rows,)."""
    of, row, value = program.layout
    contributions = program.y[row[of]] * program.X.data * coef[program.X.indices]
    gains = np.bincount(of, weights=contributions, minlength=len(row)) - program.offset * value
    # To delete exactly so much is to choose among shifted gains, all of them worth taking.
    shift = np.abs(gains).max(initial=0.0) / value.min(initial=np.inf) + 1.0 if program.exactly else 0.0
    starts = np.searchsorted(row, np.arange(len(program.y) + 1))
    slack = np.empty(len(program.y))
    for i, (start, stop) in enumerate(pairwise(starts)):
        gain, cost = gains[start:stop], value[start:stop]
        # What may go is what the row has beyond what must stay.
        budget = max(0.0, cost.sum() - program.remaining[i])
        deleted = relaxed_deletion(gain[None, :] + shift * cost, cost, budget)[0]
        slack[i] = program.required[i] - program.y[i] * intercept - (1.0 - deleted) @ gain
    return np.maximum(slack, 0.0)
