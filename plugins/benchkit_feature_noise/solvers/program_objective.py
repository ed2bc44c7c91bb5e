"""The objective of given weights in a program, from the closed form of the slacks, and whether it is the optimum."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from benchkit_deletion.threat import relaxed_deletion
from benchkit_feature_noise.solvers import bound_kernels
from benchkit_feature_noise.solvers.dual_bound import Multipliers, balanced, lower_bound
from benchkit_feature_noise.solvers.interior_point_kernels import Entries
from benchkit_feature_noise.solvers.programs import Program, Solution
from benchkit_feature_noise.solvers.vectors import LANES

_BALANCED = 2  # times
_FEW = 3.0  # times the largest term w_j x_ij: what does not bind


def entries_of(program: Program) -> Entries:
    """The program's entries as compiled code takes them, each row filled up to a multiple of ``LANES``."""
    X = program.X
    length = np.diff(X.indptr).astype(np.int64)
    padded = -(-length // LANES) * LANES
    start = np.cumsum(padded) - padded
    places = places_of(start, length)

    def spread(values: np.ndarray) -> np.ndarray:
        filled = np.zeros(padded.sum(), dtype=values.dtype)
        filled[places] = values
        return filled

    return Entries(
        start=start,
        length=length,
        # Unsigned, so that compiled code needs no care for negative indices.
        column=spread(X.indices.astype(np.uint32)),
        yx=spread(X.data * np.repeat(program.y, length)),
        v=spread(program.values[X.indices]),
        y=program.y,
        remaining=program.remaining,
        price=program.price,
    )


def places_of(start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Where the entries of a CSR matrix are among those filled up, shape (n_entries,)."""
    before = np.cumsum(length) - length
    places: np.ndarray = np.repeat(start - before, length) + np.arange(length.sum())
    return places


def objective(program: Program, coef: np.ndarray, intercept: float) -> float:
    """rho/2 |w|^2 + c sum of the smallest xi, each a fractional knapsack.

    Parameters
    ----------
    program : Program
    coef : ndarray of shape (n_columns,)
    intercept : float
    """
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

    Parameters
    ----------
    program : Program
    coef : ndarray of shape (n_columns,)
    intercept : float
    multipliers : tuple of ndarray or None
        Of rows and entries; None only with ``bracket``.
    n_iter : int
    tol : float
        Largest gap, in the program's ``gap_unit``.
    failure : str
        What the solver says of itself where it did not end well.
    bracket : tuple of float, optional
        The objective and a lower bound, where the solver has computed them with more digits.
    """
    coef = np.clip(coef, -program.box, program.box)
    if bracket is None:
        assert multipliers is not None
        bracket = objective(program, coef, intercept), lower_bound(program, multipliers)
    reached, lower = bracket
    problem = ""
    for _ in range(_BALANCED):
        if multipliers is None or reached - lower <= tol * program.gap_unit(reached):
            break
        # What a first change pushes out of its bounds, and so loses again, a second one mends.
        better = balanced(program, coef, multipliers)
        if not (bound := lower_bound(program, better)) > lower:
            break
        lower, multipliers = bound, better
    if not reached - lower <= tol * program.gap_unit(reached):
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
    shift = np.abs(gains).max(initial=0.0) / value[value > 0].min(initial=np.inf) + 1.0 if program.exactly else 0.0
    starts = np.searchsorted(row, np.arange(len(program.y) + 1))
    slack = np.empty(len(program.y))
    for i, (start, stop) in enumerate(pairwise(starts)):
        gain, cost = gains[start:stop], value[start:stop]
        # What may go is what the row has beyond what must stay.
        budget = max(0.0, cost.sum() - program.remaining[i])
        deleted = relaxed_deletion(gain[None, :] + shift * cost, cost, budget)[0]
        slack[i] = program.required[i] - program.y[i] * intercept - (1.0 - deleted) @ gain
    return np.maximum(slack, 0.0)
