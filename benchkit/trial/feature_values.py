"""Feature values v >= 0: what each feature costs the adversary (Dekel, Shamir & Xiao 2010, 2.1 and 4.2)."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchkit.plugin.declarations import Data
from benchkit.suite.schema import FeatureValues


def feature_values(kind: FeatureValues, X: Any, y: np.ndarray, data: Data) -> np.ndarray:
    """Values of the features, shape (n_features,), from the preprocessed training part.

    Parameters
    ----------
    kind : {"uniform", "mutual-information", "given"} or list of float
        ``given`` takes the dataset's own.
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
    data : Data
    """
    n_features = X.shape[1]
    if kind == "uniform":
        return np.ones(n_features)
    if kind == "mutual-information":
        return mutual_information_values(X, y)
    values = data.feature_values if kind == "given" else kind
    if values is None:
        raise ValueError("feature_values: given, but this dataset declares none")
    found = np.asarray(values, dtype=float)
    if found.shape != (n_features,):
        raise ValueError(f"{len(found)} feature values given for {n_features} features")
    return found


def mutual_information_values(X: Any, y: np.ndarray) -> np.ndarray:
    """Scaled mutual information of the best threshold of each feature, summing to n_features.

    v_j = (1/Z) max_c I([[x_j > c]]; y), c over the midpoints between observed values, Z such that sum v = n
    (Dekel, Shamir & Xiao 2010, 4.2). A constant feature has value 0.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Any number of classes.

    Returns
    -------
    ndarray of shape (n_features,)
    """
    n_samples, n_features = X.shape
    classes, codes = np.unique(y, return_inverse=True)
    one_hot = np.eye(len(classes))[codes]
    information = np.zeros(n_features)
    block = max(1, 2_000_000 // max(1, n_samples * len(classes)))
    for start in range(0, n_features, block):
        columns = X[:, start : start + block]
        dense = columns.toarray() if sparse.issparse(columns) else np.asarray(columns)
        information[start : start + block] = _best_threshold_information(dense, one_hot)
    total = information.sum()
    if total <= 0:
        raise ValueError("mutual-information values are all zero: no feature tells anything of the labels")
    values: np.ndarray = information * (n_features / total)
    return values


def _best_threshold_information(columns: np.ndarray, one_hot: np.ndarray) -> np.ndarray:
    """Largest I([[x > c]]; y) in nats of each column, shape (n_columns,)."""
    n_samples = len(columns)
    order = np.argsort(columns, axis=0, kind="stable")
    ordered = np.take_along_axis(columns, order, axis=0)
    below = np.cumsum(one_hot[order], axis=0)[:-1]  # (n_samples - 1, n_columns, n_classes)
    totals = one_hot.sum(axis=0)
    count = np.arange(1, n_samples)[:, None]
    conditional = (_entropy_sum(below) + _entropy_sum(totals - below)) / n_samples
    conditional += (_xlogx(count) + _xlogx(n_samples - count)) / n_samples
    marginal = (_entropy_sum(totals) + _xlogx(np.asarray(n_samples))) / n_samples
    gain = np.where(ordered[1:] > ordered[:-1], marginal - conditional, 0.0)
    best: np.ndarray = np.maximum(gain.max(axis=0, initial=0.0), 0.0)
    return best


def _xlogx(counts: np.ndarray) -> np.ndarray:
    counts = np.asarray(counts, dtype=float)
    result: np.ndarray = counts * np.log(np.where(counts > 0, counts, 1.0))
    return result


def _entropy_sum(counts: np.ndarray) -> np.ndarray:
    """Minus the sum over classes of k log k, so that n H = n log n + this."""
    total: np.ndarray = -_xlogx(counts).sum(axis=-1)
    return total
