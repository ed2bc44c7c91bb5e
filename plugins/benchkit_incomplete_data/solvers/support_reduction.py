"""Theorem 1: no more than n + 2 imputations are needed."""

from __future__ import annotations

import numpy as np
from scipy.linalg import null_space


def reduce_support(points: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weights with the same mean of the points, at most n_dimensions + 1 of them positive (Caratheodory).

    Parameters
    ----------
    points : ndarray of shape (n_points, n_dimensions)
        (K(omega) c, Q(omega)) of each imputation: what Theorem 1 of Dick, Haider & Scheffer 2008 must keep.
    weights : ndarray of shape (n_points,)
        Positive, of sum 1.

    Returns
    -------
    ndarray of shape (n_points,)
    """
    weights = weights.copy()
    scale = np.abs(points).max(axis=0)
    lifted = np.column_stack([points / np.where(scale > 0, scale, 1.0), np.ones(len(points))])
    while (kept := np.flatnonzero(weights > 0)).size > points.shape[1] + 1:
        direction = null_space(lifted[kept].T)[:, 0]
        # The ones make it sum to 0, so some of it is positive: move until the first weight is used up.
        positive = direction > 0
        ratios = weights[kept][positive] / direction[positive]
        weights[kept] -= ratios.min() * direction
        weights[kept[positive][ratios.argmin()]] = 0.0
        weights[weights < 0] = 0.0
    return weights / weights.sum()
