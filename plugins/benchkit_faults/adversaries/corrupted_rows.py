"""Which rows of the training part are corrupted: more of them with a larger budget, never others."""

from __future__ import annotations

import numpy as np


def corrupted_rows(order: np.ndarray, budget: float, n_rows: int) -> np.ndarray:
    """The rows that come first, as many as a fraction of all pays for (rounded), or all that are in the order.

    Parameters
    ----------
    order : ndarray of int, shape (n_candidates,)
        Must not depend on the budget.
    budget : float
        Fraction of the rows, 0 to 1.
    n_rows : int

    Returns
    -------
    ndarray of bool, shape (n_rows,)
    """
    corrupted = np.zeros(n_rows, dtype=bool)
    corrupted[order[: round(budget * n_rows)]] = True
    return corrupted
