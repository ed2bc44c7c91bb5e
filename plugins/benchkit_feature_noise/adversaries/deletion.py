"""Deleting chosen features of a matrix, or putting something else in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from scipy import sparse

from benchkit import Features
from benchkit_feature_noise.worst_case.threat import dense_blocks

Fill = Literal["zero", "nan", "mean"]
"""What deletion leaves: zeros, NaN, or the means of the training part."""


def check_fill(fill: object) -> None:
    """Refuse what is no `Fill`."""
    if fill not in ("zero", "nan", "mean"):
        raise ValueError(f"fill is {fill!r}, expected 'zero', 'nan' or 'mean'")


Choice = Callable[[slice, np.ndarray], np.ndarray]


def delete(X: Any, features: Features, choose: Choice, left: np.ndarray) -> Any:
    """A copy of X without the chosen features, sparse if X is.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_columns)
    features : Features
        Which columns are one feature, and go together.
    choose : callable
        Takes a slice of rows and these rows, dense; returns a boolean mask of shape (n_rows, n_features).
    left : ndarray of shape (n_columns,)
        What deletion leaves in each column.
    """
    return replace(X, features, choose, lambda rows, dense: left)


def replace(X: Any, features: Features, choose: Choice, fill: Choice) -> Any:
    """A copy of X with other values for the chosen features, sparse if X is.

    Parameters
    ----------
    X, features, choose
        As of `delete`.
    fill : callable
        Takes a slice of rows and these rows, dense; returns what to put there, of a shape that broadcasts to theirs.
    """
    parts = []
    for rows, dense in dense_blocks(X):
        chosen = features.spread(choose(rows, dense))
        replaced = np.where(chosen, fill(rows, dense), dense)
        parts.append(sparse.csr_matrix(replaced) if sparse.issparse(X) else replaced)
    return sparse.vstack(parts, format="csr") if sparse.issparse(X) else np.concatenate(parts)
