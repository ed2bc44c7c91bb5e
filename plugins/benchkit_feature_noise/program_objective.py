"""The objective of given weights in a program, from the closed form of the slacks."""

from __future__ import annotations

import numpy as np

from benchkit_feature_noise import bound_kernels
from benchkit_feature_noise.interior_point_kernels import Entries
from benchkit_feature_noise.programs import Program


def entries_of(program: Program) -> Entries:
    """The program's entries as compiled code takes them."""
    X = program.X
    pointer = X.indptr.astype(np.int64)
    return Entries(
        pointer=pointer,
        # Unsigned, so that compiled code needs no care for negative indices.
        column=X.indices.astype(np.uint32),
        yx=X.data * np.repeat(program.y, np.diff(pointer)),
        v=program.values[X.indices],
        y=program.y,
        remaining=program.remaining,
        price=float(program.price),
    )


def objective(program: Program, coef: np.ndarray, intercept: float) -> float:
    """rho/2 |w|^2 + c sum of the smallest xi, each a fractional knapsack.

    Parameters
    ----------
    program : Program
        Not one that deletes exactly so much.
    coef : ndarray of shape (n_columns,)
    intercept : float
    """
    slack = np.empty(len(program.y))
    bound_kernels.worst_case_slack(
        0, len(slack), entries_of(program), program.required, float(program.offset), coef, float(intercept), slack
    )
    return float(0.5 * program.curvature * coef @ coef + program.price * slack.sum())
