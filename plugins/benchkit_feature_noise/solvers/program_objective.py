"""The objective of given weights in a program, from the closed form of the slacks."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from benchkit_feature_noise.solvers import bound_kernels
from benchkit_feature_noise.solvers.interior_point_kernels import Entries
from benchkit_feature_noise.solvers.programs import Program
from benchkit_feature_noise.solvers.vectors import LANES
from benchkit_feature_noise.worst_case.threat import relaxed_deletion


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
        price=float(program.price),
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
        Not one that deletes exactly so much.
    coef : ndarray of shape (n_columns,)
    intercept : float
    """
    if program.groups is not None:
        return float(
            0.5 * program.curvature * coef @ coef + program.price * _grouped_slack(program, coef, intercept).sum()
        )
    slack = np.empty(len(program.y))
    bound_kernels.worst_case_slack(
        0, len(slack), entries_of(program), program.required, float(program.offset), coef, float(intercept), slack
    )
    return float(0.5 * program.curvature * coef @ coef + program.price * slack.sum())


def _grouped_slack(program: Program, coef: np.ndarray, intercept: float) -> np.ndarray:
    """Smallest xi of each row where entries are features of several columns, shape (n_rows,)."""
    of, row, value = program.layout
    contributions = program.y[row[of]] * program.X.data * coef[program.X.indices]
    gains = np.bincount(of, weights=contributions, minlength=len(row)) - program.offset * value
    starts = np.searchsorted(row, np.arange(len(program.y) + 1))
    slack = np.empty(len(program.y))
    for i, (start, stop) in enumerate(pairwise(starts)):
        gain, cost = gains[start:stop], value[start:stop]
        # What may go is what the row has beyond what must stay.
        deleted = relaxed_deletion(gain[None, :], cost, max(0.0, cost.sum() - program.remaining[i]))[0]
        slack[i] = program.required[i] - program.y[i] * intercept - (1.0 - deleted) @ gain
    return np.maximum(slack, 0.0)
