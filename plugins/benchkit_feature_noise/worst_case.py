"""The worst case of a linear program that prepares for deletion: Eq. 4 of Dekel, Shamir & Xiao 2010."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchkit import Features
from benchkit_deletion.threat import dense_blocks, relaxed_deletion


def remaining_value(values: np.ndarray, noise_budget: float) -> float:
    """P = V - N, which must be positive: 0 <= N < V."""
    total = float(values.sum())
    if not 0 <= noise_budget < total:
        raise ValueError(f"noise_budget is {noise_budget:g}, expected 0 <= noise_budget < {total:g}, the total value")
    return total - noise_budget


def worst_case_hinge(
    coef: np.ndarray,
    intercept: float,
    X: Any,
    y: np.ndarray,
    values: np.ndarray,
    noise_budget: float,
    margin: float = 1.0,
    features: Features | None = None,
) -> np.ndarray:
    """Slack of each row in Eq. 4 of Dekel, Shamir & Xiao 2010, in closed form.

    xi_i = [margin V/P - y_i (b + w.x_i) + max_delta sum_j delta_j (y_i w_j x_ij - margin v_j/P)]_+.

    Parameters
    ----------
    coef : ndarray of shape (n_features,)
    intercept : float
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    y : ndarray of shape (n_rows,), -1 or +1
    values : ndarray of shape (n_features,)
        Of the columns, a group's being their sum.
    noise_budget, margin : float
    features : Features, optional
        Which columns are one feature, whose gain is the sum of theirs.

    Returns
    -------
    ndarray of shape (n_rows,)
    """
    features = features or Features(len(values))
    by_feature = features.sum(values)
    required = margin / remaining_value(values, noise_budget)
    slack = np.empty(X.shape[0])
    for rows, dense in dense_blocks(X):
        contributions = features.sum(y[rows, None] * dense * coef)
        gains = contributions - required * by_feature
        removed = relaxed_deletion(gains, by_feature, noise_budget)
        kept = y[rows] * intercept + contributions.sum(axis=1)
        slack[rows] = required * values.sum() - kept + (removed * gains).sum(axis=1)
    return np.maximum(slack, 0.0)
