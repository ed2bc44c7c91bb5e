"""Asking a model about rows of which some features are gone, and how far the true class is ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse

from benchkit import Features, NotApplicableError

_ENTRIES = 4_000_000


class ModelQueries:
    """What a model says of rows of which some features are gone; counts how often it is asked.

    Parameters
    ----------
    answer : callable
        Takes rows; returns an array with an entry for each: ``predict``, ``decision_function``, ``predict_proba``.
    X : ndarray or CSR matrix of shape (n_rows, n_columns)
    features : Features
        Which columns are one feature.
    left : ndarray of shape (n_columns,)
        What stands where a feature was deleted.
    as_sparse : bool, optional
        Whether the model is asked with CSR matrices; as X is where None.

    Attributes
    ----------
    asked : int
        Rows that the model has answered.
    """

    def __init__(
        self, answer: Callable[[Any], Any], X: Any, features: Features, left: np.ndarray, as_sparse: bool | None = None
    ) -> None:
        self.answer, self.X, self.features, self.left = answer, X, features, left
        self.as_sparse = sparse.issparse(X) if as_sparse is None else as_sparse
        self.asked = 0

    def __call__(self, rows: np.ndarray, masks: np.ndarray) -> np.ndarray:
        """Answers, from numbers of rows, shape (n_queries,), and what each lost, shape (n_queries, n_features)."""
        self.asked += len(rows)
        step = max(1, _ENTRIES // max(1, self.X.shape[1]))
        answers = []
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            whole = self.X[rows[part]]
            whole = whole.toarray() if sparse.issparse(whole) else whole
            lost = np.where(self.features.spread(masks[part]), self.left, whole)
            answers.append(np.asarray(self.answer(sparse.csr_matrix(lost) if self.as_sparse else lost)))
        return np.concatenate(answers)


def scorer(model: Any) -> Callable[[Any], Any] | None:
    """The method of a classifier that gives scores; None where it has none."""
    return getattr(model, "decision_function", None) or getattr(model, "predict_proba", None)


def lead(scores: np.ndarray, truth: np.ndarray, n_classes: int) -> np.ndarray:
    """The true class's score minus the best other one: shape (n_rows,).

    Parameters
    ----------
    scores : ndarray of shape (n_rows,) or (n_rows, n_classes)
    truth : ndarray of int, shape (n_rows,)
        Places of the true classes among the model's.
    n_classes : int
    """
    if scores.ndim == 1:
        return np.where(truth == 1, scores, -scores)
    if scores.shape[1] != n_classes:
        raise NotApplicableError(f"{scores.shape[1]} scores for {n_classes} classes; one per class is needed")
    others = np.array(scores, dtype=float)
    own = np.take_along_axis(others, truth[:, None], axis=1)[:, 0]
    np.put_along_axis(others, truth[:, None], -np.inf, axis=1)
    ahead: np.ndarray = own - others.max(axis=1)
    return ahead


def check_answers_about_gaps(answer: Callable[[Any], Any], X: Any, left: np.ndarray) -> None:
    """Refuse a model that does not answer about rows with deleted features: some take no NaN."""
    if not np.isnan(left).any() or X.shape[0] == 0:
        return
    row = X[:1].toarray() if sparse.issparse(X) else np.array(X[:1], dtype=float)
    row[0] = np.where(np.isnan(left), np.nan, row[0])
    try:
        answer(sparse.csr_matrix(row) if sparse.issparse(X) else row)
    except ValueError as error:
        raise NotApplicableError("its predictions take no missing values") from error


def deletable(X: np.ndarray, features: Features, left: np.ndarray) -> np.ndarray:
    """Features whose deletion changes a row: shape (n_rows, n_features), from (n_rows, n_columns)."""
    same = (left == X) | (np.isnan(X) & np.isnan(left))
    changes: np.ndarray = features.sum((~same).astype(int)) > 0
    return changes
