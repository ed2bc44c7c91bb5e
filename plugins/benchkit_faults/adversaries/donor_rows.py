"""Rows that others take their values of."""

from __future__ import annotations

import numpy as np

from benchkit import Features


def known_rows(raw: np.ndarray, features: Features) -> np.ndarray:
    """Which rows have a feature without a gap: shape (n_rows, n_features), from (n_rows, n_columns)."""
    known: np.ndarray = features.sum(np.isnan(raw).astype(int)) == 0
    return known


def first_known(known: np.ndarray, order: np.ndarray) -> np.ndarray:
    """For each feature the first row in the order that has it, the order's first where none does."""
    rows: np.ndarray = order[known[order].argmax(axis=0)]
    return rows


def next_known(known: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """For each row and feature another row that has it: the next in the order of the keys, the first after the last.

    Parameters
    ----------
    known : ndarray of bool, shape (n_rows, n_features)
    keys : ndarray of shape (n_rows, n_features)

    Returns
    -------
    ndarray of int, shape (n_rows, n_features)
        Rows without the feature, and one that alone has it, are their own.
    """
    donors = np.repeat(np.arange(len(known))[:, None], known.shape[1], axis=1)
    for feature in range(known.shape[1]):
        order = np.argsort(keys[:, feature], kind="stable")
        order = order[known[order, feature]]
        donors[order, feature] = np.roll(order, -1)
    return donors
