"""What a column that is gone holds: the mean of a number, the mode of a category."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np


def is_category(group: Sequence[int], name: str, feature_names: Sequence[str]) -> bool:
    """Whether a group of columns is a category.

    It is one where it has several columns, or one whose name is not the group's: ``Sex=code`` of the group ``Sex``.
    """
    if len(group) != 1:
        return len(group) > 1
    return bool(name and len(feature_names) > group[0] and feature_names[group[0]] != name)


def categories_of(
    groups: Sequence[Sequence[int]], group_names: Sequence[str], feature_names: Sequence[str]
) -> list[list[int]]:
    """Columns of each group that is a category."""
    names = group_names or [""] * len(groups)
    return [list(group) for group, name in zip(groups, names, strict=True) if is_category(group, name, feature_names)]


def means_and_modes(X: np.ndarray, categories: Sequence[Sequence[int]]) -> np.ndarray:
    """What is put into each column, shape (n_columns,); 0 where a column has no value at all.

    Parameters
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The training part; gaps do not count.
    categories : sequence of sequences of int
        Columns of each category: they get their most frequent row, of equally frequent ones the first category's, which
        is the smallest code, or the first of the one-hot columns. All other columns get their means.
    """
    known = ~np.isnan(X)
    # As numpy.mean adds up, so that anybody's mean of the column is the same to the last digit.
    filling = np.array([X[known[:, j], j].mean() if known[:, j].any() else 0.0 for j in range(X.shape[1])])
    for columns in categories:
        rows = X[known[:, columns].all(axis=1)][:, columns]
        if len(rows):
            values, counts = np.unique(rows, axis=0, return_counts=True)
            frequent = values[counts == counts.max()]
            filling[columns] = frequent[0 if len(columns) == 1 else -1]
    return filling
