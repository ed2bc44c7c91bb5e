"""Deleting chosen entries of a matrix: they become zero."""

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
    parts = []
    for rows, dense in dense_blocks(X):
        kept = np.where(choose(rows, dense), 0.0, dense)
        parts.append(sparse.csr_matrix(kept) if sparse.issparse(X) else kept)
    return sparse.vstack(parts, format="csr") if sparse.issparse(X) else np.concatenate(parts)
