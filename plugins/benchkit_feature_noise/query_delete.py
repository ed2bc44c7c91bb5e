"""A greedy adversary that knows a model only by its answers."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from benchkit import Attack, Corruption, NotApplicableError
from benchkit_feature_noise.deletion import delete
from benchkit_feature_noise.threat import gain_per_value

QUERY_ENTRIES = 4_000_000


class QueryDelete:
    """Deletes, step by step, the feature of each row whose deletion lowers the true class's score most per value.

    The score is the decision function of the true class minus that of the best other class, or the like of
    ``predict_proba`` where a model has no decision function. A row is left alone when no feature within its remaining
    budget lowers its score. On a linear model this is greedy-delete.

    Parameters
    ----------
    candidates : int or None, default=None
        Only so many features of each row are tried in later steps: the best of the first step. None: all of them, at
        the cost of one query per row, step and non-zero feature.
    """

    def __init__(self, candidates: int | None = None) -> None:
        if candidates is not None and candidates < 1:
            raise ValueError(f"candidates is {candidates}, expected a positive number or none")
        self.candidates = candidates

    def corrupt(self, attack: Attack) -> Corruption:
        """Delete features of total value at most ``attack.budget`` from each row."""
        score = _Score(attack.model, sparse.issparse(attack.X))
        truth = np.searchsorted(attack.model.classes_, attack.y)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return self._choose(score, dense, truth[rows], attack.feature_values, attack.budget)

        return Corruption(X=delete(attack.X, choose), y=attack.y)

    def _choose(self, score: _Score, X: np.ndarray, truth: np.ndarray, values: np.ndarray, budget: float) -> np.ndarray:
        X = np.array(X, dtype=float)
        deleted = np.zeros(X.shape, dtype=bool)
        left = np.full(len(X), budget * (1 + 1e-12))
        promising = X != 0  # deleting a zero changes nothing
        current = score(X, truth)
        first = True
        while True:
            rows, features = np.nonzero(promising & (values <= left[:, None]))
            if len(rows) == 0:
                return deleted
            scores = score.without(X, truth, rows, features)
            gains = current[rows] - scores
            ratio = np.full(X.shape, -np.inf)
            ratio[rows, features] = np.where(gains > 0, gain_per_value(gains, values[features]), -np.inf)
            if first and self.candidates is not None and self.candidates < X.shape[1]:
                dropped = np.argsort(-ratio, axis=1, kind="stable")[:, self.candidates :]
                np.put_along_axis(promising, dropped, False, axis=1)
            first = False
            best = ratio.argmax(axis=1)
            going = np.flatnonzero(ratio[np.arange(len(X)), best] > -np.inf)
            chosen = best[going]
            deleted[going, chosen] = True
            X[going, chosen] = 0.0
            left[going] -= values[chosen]
            after = np.empty(X.shape)
            after[rows, features] = scores
            current[going] = after[going, chosen]
            promising[going, chosen] = False
            stays = np.ones(len(X), dtype=bool)
            stays[going] = False
            promising[stays] = False


class _Score:
    """The true class's score minus the best other one, of a fitted model."""

    def __init__(self, model: Any, as_sparse: bool) -> None:
        self.n_classes = len(model.classes_)
        self.as_sparse = as_sparse
        if hasattr(model, "decision_function"):
            self.answer = model.decision_function
        elif hasattr(model, "predict_proba"):
            self.answer = model.predict_proba
        else:
            raise NotApplicableError(f"{type(model).__name__} has neither decision_function nor predict_proba")

    def __call__(self, X: np.ndarray, truth: np.ndarray) -> np.ndarray:
        """Shape (n_rows,), from rows and the places of their classes among the model's."""
        scores = np.array(self.answer(sparse.csr_matrix(X) if self.as_sparse else X), dtype=float)
        if scores.ndim == 1:
            return np.where(truth == 1, scores, -scores)
        if scores.shape[1] != self.n_classes:
            raise NotApplicableError(f"{scores.shape[1]} scores for {self.n_classes} classes; one per class is needed")
        own = np.take_along_axis(scores, truth[:, None], axis=1)[:, 0]
        np.put_along_axis(scores, truth[:, None], -np.inf, axis=1)
        found: np.ndarray = own - scores.max(axis=1)
        return found

    def without(self, X: np.ndarray, truth: np.ndarray, rows: np.ndarray, features: np.ndarray) -> np.ndarray:
        """The score of each given row with the given feature zero; both of shape (n_queries,)."""
        scores = np.empty(len(rows))
        step = max(1, QUERY_ENTRIES // X.shape[1])
        for start in range(0, len(rows), step):
            part = slice(start, start + step)
            queries = X[rows[part]]
            queries[np.arange(len(queries)), features[part]] = 0.0
            scores[part] = self(queries, truth[rows[part]])
        return scores
