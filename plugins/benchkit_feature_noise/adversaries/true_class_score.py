"""What an adversary that asks a model learns: how far the true class is ahead."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchkit import Features, NotApplicableError

QUERY_ENTRIES = 4_000_000


class TrueClassScore:
    """The true class's score minus the best other one, of a fitted model; counts how often it asks.

    Parameters
    ----------
    model : object
        With ``classes_``, and ``decision_function`` or ``predict_proba``.
    as_sparse : bool
        Whether it is asked with CSR matrices.
    features : Features
        Which columns are one feature.
    left : ndarray of shape (n_columns,)
        What stands where a feature was deleted.

    Attributes
    ----------
    queries : int
        Rows that the model has answered.
    """

    def __init__(self, model: Any, as_sparse: bool, features: Features, left: np.ndarray) -> None:
        self.features, self.left = features, left
        self.n_classes = len(model.classes_)
        self.as_sparse = as_sparse
        self.queries = 0
        if hasattr(model, "decision_function"):
            self.answer = model.decision_function
        elif hasattr(model, "predict_proba"):
            self.answer = model.predict_proba
        else:
            raise NotApplicableError(f"{type(model).__name__} has neither decision_function nor predict_proba")

    def __call__(self, X: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """Shape (n_rows,), from rows and the places of their classes among the model's."""
        self.queries += len(X)
        scores = np.array(self.answer(sparse.csr_matrix(X) if self.as_sparse else X), dtype=float)
        if scores.ndim == 1:
            return np.where(truth == 1, scores, -scores)
        if scores.shape[1] != self.n_classes:
            raise NotApplicableError(f"{scores.shape[1]} scores for {self.n_classes} classes; one per class is needed")
        own = np.take_along_axis(scores, truth[:, None], axis=1)[:, 0]
        np.put_along_axis(scores, truth[:, None], -np.inf, axis=1)
        ahead: np.ndarray = own - scores.max(axis=1)
        return ahead

    def check(self, X: Any) -> None:
        """Refuse a model that does not answer about rows with deleted features: some take no NaN."""
        if not np.isnan(self.left).any() or X.shape[0] == 0:
            return
        row = X[:1].toarray() if sparse.issparse(X) else np.array(X[:1], dtype=float)
        row[0] = np.where(np.isnan(self.left), np.nan, row[0])
        try:
            self.answer(sparse.csr_matrix(row) if self.as_sparse else row)
        except ValueError as error:
            raise NotApplicableError("its predictions take no missing values") from error

    def deletable(self, X: np.ndarray) -> np.ndarray:
        """Features whose deletion changes a row: shape (n_rows, n_features), from (n_rows, n_columns)."""
        same = (self.left == X) | (np.isnan(X) & np.isnan(self.left))
        changes: np.ndarray = self.features.sum((~same).astype(int)) > 0
        return changes

    def of_deletions(
        self, X: np.ndarray, truth: np.ndarray, rows: np.ndarray, deleted: np.ndarray, features: np.ndarray
    ) -> np.ndarray:
        """The scores of rows with some features deleted.

        Parameters
        ----------
        X : ndarray of shape (n_rows, n_columns)
        truth : ndarray of shape (n_rows,)
        rows : ndarray of int, shape (n_queries,)
        deleted : ndarray of bool, shape (n_queries, n_features)
            What is deleted in each query already.
        features : ndarray of int, shape (n_queries,)
            What is deleted next.

        Returns
        -------
        ndarray of shape (n_queries,)
        """
        scores = np.empty(len(rows))
        step = max(1, QUERY_ENTRIES // X.shape[1])
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            gone = deleted[part].copy()
            gone[np.arange(len(gone)), features[part]] = True
            queries = np.where(self.features.spread(gone), self.left, X[rows[part]])
            scores[part] = self(queries, truth[rows[part]])
        return scores
