"""The knapsack of one row where parts of items may go, compiled."""

from __future__ import annotations

import numba
import numpy as np


@numba.njit(cache=True)
def fractional(gains: np.ndarray, costs: np.ndarray, budget: float, share: np.ndarray) -> float:
    """The most that items gain within the budget where parts of them may go; writes what ``share`` of each goes."""
    ratio, item = np.empty(len(gains)), np.empty(len(gains), np.int64)
    gained, n_paying = 0.0, 0
    for k in range(len(gains)):
        share[k] = 0.0
        if gains[k] > 0 and costs[k] > 0:
            ratio[n_paying], item[n_paying] = -gains[k] / costs[k], k
            n_paying += 1
        elif gains[k] > 0:
            share[k] = 1.0
            gained += gains[k]
    left = float(budget)
    for place in np.argsort(ratio[:n_paying]):
        if left <= 0:
            break
        k = item[place]
        share[k] = min(1.0, left / costs[k])
        left -= share[k] * costs[k]
        gained += share[k] * gains[k]
    return gained
