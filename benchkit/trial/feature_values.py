"""Feature values v >= 0: what each feature costs the adversary (Dekel, Shamir & Xiao 2010, 2.1 and 4.2)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np
from scipy import sparse

from benchkit.plugin.declarations import Data, Features, FeatureValues
from benchkit.suite.schema import ValuesEntry


def feature_values(
    kind: ValuesEntry,
    X: Any,
    y: np.ndarray,
    data: Data,
    declared: Mapping[str, FeatureValues] = MappingProxyType({}),
) -> np.ndarray:
    """Values of the columns, shape (n_columns,), from the preprocessed training part; a group's is their sum.

    Parameters
    ----------
    kind : str or list of float
        ``uniform`` is 1 for each feature, ``given`` takes the dataset's own, ``mutual-information`` is computed here;
        any other name is a plugin's. A list has a value for each feature, or for each column.
    X : ndarray or CSR matrix of shape (n_samples, n_columns)
    y : ndarray of shape (n_samples,)
    data : Data
    declared : mapping of str to FeatureValues, default={}
        The rules of plugins.
    """
    features = Features(X.shape[1], data.groups)
    if kind == "uniform":
        return features.share(np.ones(features.n_features))
    if kind == "mutual-information":
        return mutual_information_values(X, y, features)
    values: Any = data.feature_values if kind == "given" else kind
    if isinstance(kind, str) and kind != "given":
        values = declared[kind].compute(X, y, features)
    if values is None:
        raise ValueError("feature_values: given, but this dataset declares none")
    given = np.asarray(values, dtype=float)
    if not np.all(np.isfinite(given)) or np.any(given < 0):
        raise ValueError(f"feature values ({kind}) must be finite numbers that are not negative")
    if given.shape == (features.n_features,):
        return features.share(given)
    if given.shape != (features.n_columns,):
        columns = "" if features.plain else f" of {features.n_columns} columns"
        raise ValueError(f"{len(given)} feature values given for {features.n_features} features{columns}")
    return given


def mutual_information_values(X: Any, y: np.ndarray, features: Features | None = None) -> np.ndarray:
    """Scaled mutual information of the best threshold of each feature, summing to n_features.

    v_j = (1/Z) max_c I([[x_j > c]]; y), c over the midpoints between observed values, Z such that sum v = n
    (Dekel, Shamir & Xiao 2010, 4.2). A constant feature has value 0. A group with few different rows, such as a one-hot
    block, has the information of the category, I(row; y), and any other group the sum of its columns';
    the columns of a group share it alike.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
    y : ndarray of shape (n_samples,)
        Any number of classes.
    features : Features, optional
        Which columns are one feature; each is one where None.

    Returns
    -------
    ndarray of shape (n_columns,)
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
    if features is not None and not features.plain:
        information = _by_feature(information, X, one_hot, features)
        n_features = features.n_features
    total = information.sum()
    if total <= 0:
        raise ValueError("mutual-information values are all zero: no feature tells anything of the labels")
    values: np.ndarray = information * (n_features / total)
    return values if features is None else features.share(values)


def _by_feature(information: np.ndarray, X: Any, one_hot: np.ndarray, features: Features) -> np.ndarray:
    """Information of each feature, shape (n_features,), from that of each column."""
    sums = features.sum(information)
    sizes = np.bincount(features.of_column)
    for feature in np.flatnonzero(sizes > 1):
        block = X[:, np.flatnonzero(features.of_column == feature)]
        block = block.toarray() if sparse.issparse(block) else np.asarray(block)
        rows, category = np.unique(np.where(np.isnan(block), np.inf, block), axis=0, return_inverse=True)
        # A one-hot block has a row for each category, and perhaps one for none and one for a missing value.
        if len(rows) <= block.shape[1] + 2:
            counts = np.zeros((len(rows), one_hot.shape[1]))
            np.add.at(counts, category.ravel(), one_hot)
            n_samples = len(one_hot)
            conditional = _entropy_sum(counts).sum() + _xlogx(counts.sum(axis=1)).sum()
            marginal = _entropy_sum(counts.sum(axis=0)) + _xlogx(np.asarray(n_samples))
            sums[feature] = max((marginal - conditional) / n_samples, 0.0)
    return sums


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
