"""Dividing rows into chunks that are solved one by one (Dekel & Shamir 2008, section 4)."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.model_selection import StratifiedKFold


def draw_chunks(y: np.ndarray, chunks: int, random_state: Any = None) -> list[Any]:
    """Rows of each chunk: a random division in which classes keep their proportions.

    Parameters
    ----------
    y : ndarray of shape (n_rows,)
    chunks : int
        1 leaves all rows together; at most the size of the smallest class, so that none lacks a class.
    random_state : int, RandomState or None

    Returns
    -------
    list of ndarray or slice
        Something to index rows with, one per chunk.
    """
    if not isinstance(chunks, int | np.integer) or chunks < 1:
        raise ValueError(f"chunks is {chunks!r}, expected a positive whole number")
    if chunks == 1:
        return [slice(None)]
    smallest = int(np.unique(y, return_counts=True)[1].min())
    if chunks > smallest:
        raise ValueError(f"chunks is {chunks}, but a class has only {smallest} rows; each chunk needs one")
    folds = StratifiedKFold(chunks, shuffle=True, random_state=random_state)
    return [rows for _, rows in folds.split(np.zeros(len(y)), y)]
