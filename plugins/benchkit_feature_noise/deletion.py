"""Deleting chosen entries of a matrix, which makes them zero, or putting something else in their place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from benchkit_feature_noise.threat import dense_blocks

Choice = Callable[[slice, np.ndarray], np.ndarray]


def delete(X: Any, choose: Choice) -> Any:
    """A copy of X without the chosen entries, sparse if X is.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    choose : callable
        Takes a slice of rows and these rows, dense; returns a boolean mask of their shape.
    """
    return replace(X, choose, lambda rows, dense: np.zeros(()))


def replace(X: Any, choose: Choice, fill: Choice) -> Any:
    """A copy of X with other values at the chosen entries, sparse if X is.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_rows, n_features)
    choose : callable
        Takes a slice of rows and these rows, dense; returns a boolean mask of their shape.
    fill : callable
        Takes the same; returns what to put there, of a shape that broadcasts to theirs.
    """
    parts = []
    for rows, dense in dense_blocks(X):
        replaced = np.where(choose(rows, dense), fill(rows, dense), dense)
        parts.append(sparse.csr_matrix(replaced) if sparse.issparse(X) else replaced)
    return sparse.vstack(parts, format="csr") if sparse.issparse(X) else np.concatenate(parts)
