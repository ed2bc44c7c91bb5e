"""Asking a model about rows that lost features."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from benchkit import Features

_ENTRIES = 4_000_000


class Asking:
    """What a model says of rows of which some features are gone; counts how often it is asked.

    Parameters
    ----------
    answer : callable
        Takes rows; returns an array with an entry for each: ``predict``, ``decision_function``, ``predict_proba``.
    X : ndarray or CSR matrix of shape (n_rows, n_columns)
    features : Features
    left : ndarray of shape (n_columns,)
        What deletion leaves.

    Attributes
    ----------
    queries : int
        Rows that the model has answered.
    """

    def __init__(self, answer: Callable[[Any], Any], X: Any, features: Features, left: np.ndarray) -> None:
        self.answer, self.features, self.left = answer, features, left
        self.X, self.as_sparse = X, sparse.issparse(X)
        self.queries = 0

    def __call__(self, rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Answers, from numbers of rows, shape (n_queries,), and what each lost, shape (n_queries, n_features)."""
        self.queries += len(rows)
        step = max(1, _ENTRIES // max(1, self.X.shape[1]))
        said = []
        for start in range(0, len(rows), step):
            asked = slice(start, start + step)
            dense = self.X[rows[asked]]
            dense = dense.toarray() if self.as_sparse else dense
            lost = np.where(self.features.spread(masks[asked]), self.left, dense)
            said.append(np.asarray(self.answer(sparse.csr_matrix(lost) if self.as_sparse else lost)))
        return np.concatenate(said)
