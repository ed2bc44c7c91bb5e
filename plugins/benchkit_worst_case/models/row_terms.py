"""What the terms of a sum may become for one row."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class RowTerms:
    """The values that deletions can give each term of one row, and what each needs.

    Attributes
    ----------
    starts : ndarray of int, shape (n_terms + 1,)
        Where each term's leaves begin. Every deletion fits exactly one leaf of each term.
    value : ndarray of shape (n_leaves, n_outputs)
    needs : ndarray of int, shape (n_leaves + 1,)
        Where each leaf's conditions begin.
    feature : ndarray of int, shape (n_conditions,)
    deleted : ndarray of bool, shape (n_conditions,)
        Whether the leaf needs the feature deleted; kept otherwise.
    """

    starts: np.ndarray
    value: np.ndarray
    needs: np.ndarray
    feature: np.ndarray
    deleted: np.ndarray
