"""The threat model: an adversary who deletes features of each row, of total value at most N.

One place for feature values, budgets and the relaxed worst case; algorithms, adversaries and tests use it alike.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from benchkit import Features

Deletion = Callable[[np.ndarray, np.ndarray, float], np.ndarray]
"""From gains of shape (n_rows, n_features), values and budget to what is deleted, a share or a mask of that shape."""


def check_values(feature_values: Any, n_features: int, features: Features | None = None) -> np.ndarray:
    """Values v >= 0 of the columns, shape (n_features,); None stands for ones, a group's columns sharing its one.

    Parameters
    ----------
    feature_values : array-like of shape (n_features,) or None
    n_features : int
        Columns.
    features : Features, optional
        Which columns are one feature; each is one where None.

    Raises
    ------
    ValueError
        Wrong shape, negative or not finite.
    """
    if feature_values is None:
        return np.ones(n_features) if features is None else features.share(np.ones(features.n_features))
    values = np.asarray(feature_values, dtype=float)
    if values.shape != (n_features,):
        raise ValueError(f"feature_values has shape {values.shape}, expected ({n_features},)")
    if not np.isfinite(values).all() or (values < 0).any():
        raise ValueError("feature_values must be finite and not negative")
    return values


def remaining_value(values: np.ndarray, noise_budget: float) -> float:
    """P = V - N, which must be positive.

    Parameters
    ----------
    values : ndarray of shape (n_features,)
    noise_budget : float
        N, 0 <= N < V.
    """
    total = float(values.sum())
    if not 0 <= noise_budget < total:
        raise ValueError(f"noise_budget is {noise_budget:g}, expected 0 <= noise_budget < {total:g}, the total value")
    return total - noise_budget


def relaxed_deletion(gains: np.ndarray, values: np.ndarray, budget: float) -> np.ndarray:
    """The fractional knapsack: what share of each feature the relaxed worst case deletes.

    Solves max sum_j delta_j gains_j subject to 0 <= delta <= 1, sum_j delta_j v_j <= budget, row by row: features in
    the order of gains / v while gains are positive, the last one in part.

    Parameters
    ----------
    gains : ndarray of shape (n_rows, n_features)
        What deleting each feature brings the adversary.
    values : ndarray of shape (n_features,)
    budget : float

    Returns
    -------
    ndarray of shape (n_rows, n_features)
    """
    order = np.argsort(-gain_per_value(gains, values), axis=1, kind="stable")
    paid = np.where(np.take_along_axis(gains, order, axis=1) > 0, values[order], 0.0)
    before = np.cumsum(paid, axis=1) - paid
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(paid > 0, (budget - before) / paid, 1.0)
    chosen = np.where(np.take_along_axis(gains, order, axis=1) > 0, np.clip(share, 0.0, 1.0), 0.0)
    deleted = np.empty_like(chosen)
    np.put_along_axis(deleted, order, chosen, axis=1)
    return deleted


def gain_per_value(gains: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Gain per value; a feature of value 0 comes first (inf) if it gains, last (-inf) if it does not.

    Parameters
    ----------
    gains : ndarray of shape (n_rows, n_features)
    values : ndarray broadcastable against it
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = gains / values
    free = np.where(gains > 0, np.inf, -np.inf)
    ratios: np.ndarray = np.where(values > 0, ratio, free)
    return ratios


def greedy_deletion(gains: np.ndarray, values: np.ndarray, budget: float) -> np.ndarray:
    """The papers' greedy adversary: which features of each row go.

    By gains / v descending, delete j if its gain is positive and the budget still holds after it; a feature that does
    not fit is passed over, later ones may fit (Dekel, Shamir & Xiao 2010, section 4).

    Parameters
    ----------
    gains : ndarray of shape (n_rows, n_features)
        y w_j x_j.
    values : ndarray of shape (n_features,)
    budget : float

    Returns
    -------
    ndarray of bool, shape (n_rows, n_features)
    """
    order = np.argsort(-gain_per_value(gains, values), axis=1, kind="stable")
    deleted = np.zeros(gains.shape, dtype=bool)
    rows = np.arange(len(gains))
    left = np.full(len(gains), budget * (1 + 1e-12))
    for position in range(gains.shape[1]):
        feature = order[:, position]
        gain = gains[rows, feature]
        if not (gain > 0).any():
            break  # sorted by ratio: no later feature gains either
        taken = (gain > 0) & (values[feature] <= left)
        deleted[rows[taken], feature[taken]] = True
        left -= np.where(taken, values[feature], 0.0)
    return deleted


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


def dense_blocks(X: Any, entries: int = 4_000_000) -> Any:
    """Yield (slice, dense rows) over a matrix, so that sparse data is never dense at once."""
    step = max(1, entries // max(1, X.shape[1]))
    for start in range(0, X.shape[0], step):
        rows = slice(start, min(start + step, X.shape[0]))
        block = X[rows]
        yield rows, block.toarray() if sparse.issparse(block) else np.asarray(block)
