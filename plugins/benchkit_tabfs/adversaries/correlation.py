"""How much a column says of the target, linearly."""

from __future__ import annotations

import numpy as np

from benchkit import Features


def absolute_correlations(X: np.ndarray, y: np.ndarray, features: Features) -> np.ndarray:
    """|Pearson's correlation| of each feature with the target, shape (n_features,), from 0 to 1.

    A feature of several columns, such as a one-hot block, has their multiple correlation: the largest |correlation|
    that a weighted sum of its columns has with the target. Of one column that is |Pearson's|. A constant has 0.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        Rows with a gap in a feature do not count for it.
    y : ndarray of shape (n_rows,)
        Targets; classes are numbered 0, 1, ... in sorted order.
    features : Features
        Which columns are one feature.
    """
    target = y.astype(float) if y.dtype.kind == "f" else np.unique(y, return_inverse=True)[1].astype(float)
    found = np.zeros(features.n_features)
    for feature in range(features.n_features):
        columns = X[:, features.of_column == feature]
        known = ~np.isnan(columns).any(axis=1)
        found[feature] = _multiple_correlation(columns[known], target[known])
    return found


def _multiple_correlation(columns: np.ndarray, target: np.ndarray) -> float:
    if len(target) < 2 or np.ptp(target) == 0:
        return 0.0
    # A constant has no correlation. Less than its mean's rounding is no variation.
    columns = columns[:, np.ptp(columns, axis=0) > 0]
    if not columns.shape[1]:
        return 0.0
    centred, response = columns - columns.mean(axis=0), target - target.mean()
    if columns.shape[1] == 1:
        column = centred[:, 0]
        r = abs(column @ response) / np.sqrt((column @ column) * (response @ response))
        return float(min(1.0, r))
    centred /= np.sqrt((centred**2).sum(axis=0))
    fitted = centred @ np.linalg.lstsq(centred, response, rcond=None)[0]
    return float(min(1.0, np.sqrt((fitted @ fitted) / (response @ response))))
