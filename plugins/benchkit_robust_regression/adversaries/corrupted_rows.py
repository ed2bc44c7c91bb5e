"""Which rows an adversary corrupts: more of them with a larger budget, never others."""

from __future__ import annotations

import numpy as np


def corrupted_rows(order: np.ndarray, budget: float) -> np.ndarray:
    """The rows that come first in an order, as many as the budget pays for.

    Parameters
    ----------
    order : ndarray of int of shape (n_samples,)
        All rows; must not depend on the budget.
    budget : float
        Fraction of the rows, 0 to 1; the count is rounded.

    Returns
    -------
    ndarray of bool of shape (n_samples,)
    """
    corrupted = np.zeros(len(order), dtype=bool)
    corrupted[order[: round(budget * len(order))]] = True
    return corrupted
