"""Sums of functions of one or two features: linear models, naive Bayes, explainable boosting machines."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchkit import Features, NotApplicableError
from benchkit_deletion.models.trees import RowTerms


@dataclass(frozen=True)
class TermSum:
    """A sum of terms that each ask about a column or two.

    ``columns`` are those of each term; ``evaluate`` makes of rows (n_rows, n_columns) the terms (n_rows, n_terms,
    n_outputs). ``rounding`` is how far the library's own sum may be from this one; the rest is as of `TreeSum`.
    """

    columns: Sequence[Sequence[int]]
    evaluate: Callable[[np.ndarray], np.ndarray]
    n_outputs: int
    rounding: float = 1e-9
    constant: np.ndarray | None = None
    absent_is_missing: bool = False

    def scores(self, X: np.ndarray) -> np.ndarray:
        """The terms' sum, of shape (n_rows, n_outputs), from rows of shape (n_rows, n_columns)."""
        summed: np.ndarray = self.evaluate(X).sum(axis=1)
        return summed

    def rows(
        self, X: np.ndarray, left: np.ndarray, features: Features, cost: np.ndarray, capacity: float
    ) -> Iterator[RowTerms]:
        """What deletions can make of each row's terms; parameters as of `TreeSum.rows`."""
        asked = [sorted({int(features.of_column[column]) for column in columns}) for columns in self.columns]
        if max(map(len, asked), default=0) > 2:
            raise NotApplicableError("a term of the model asks about more than two features")
        pairs = [term for term, both in enumerate(asked) if len(both) == 2]
        starts = np.concatenate([[0], np.cumsum([2 ** len(each) for each in asked])]).astype(np.int64)
        # The leaves of a term: nothing deleted, the first feature, the second, both.
        conditions = [
            (place, bool(leaf >> place_in & 1))
            for each in asked
            for leaf in range(2 ** len(each))
            for place_in, place in enumerate(each)
        ]
        counts = [len(each) for each in asked for _ in range(2 ** len(each))]
        needs = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        feature = np.array([place for place, _ in conditions], dtype=np.int64)
        deleted = np.array([gone for _, gone in conditions], dtype=bool)
        kept, gone = self.evaluate(X), self.evaluate(left[None, :])[0]
        value = np.zeros((len(X), starts[-1], self.n_outputs))
        value[:, starts[:-1]] = kept
        some = [term for term, each in enumerate(asked) if each]
        value[:, starts[1:][some] - 1] = gone[some]
        for alone in sorted({j for term in pairs for j in asked[term]}):
            without = self.evaluate(np.where(features.of_column == alone, left, X))
            for term in pairs:
                if alone in asked[term]:
                    value[:, starts[term] + 1 + asked[term].index(alone)] = without[:, term]
        for row in range(len(X)):
            yield RowTerms(starts, value[row], needs, feature, deleted)


def read_linear(model: Any) -> TermSum:
    """Anything with ``coef_`` and ``intercept_``."""
    coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    weights = np.atleast_2d(np.asarray(coef, dtype=float)).T
    # A feature without weight says nothing, whatever it holds.
    return _of_columns(lambda X: np.where(weights == 0, 0.0, X[:, :, None] * weights), *weights.shape)


def read_gaussian_naive_bayes(model: Any) -> TermSum:
    """A ``GaussianNB``: log p(x_j | k) of each column."""

    def log_densities(X: np.ndarray) -> np.ndarray:
        apart = (X[:, :, None] - model.theta_.T) ** 2 / model.var_.T
        return _against_the_first(-0.5 * (apart + np.log(2 * np.pi * model.var_.T)))

    return _of_columns(log_densities, model.theta_.shape[1], _n_outputs(model))


def read_bernoulli_naive_bayes(model: Any) -> TermSum:
    """A ``BernoulliNB``: log p(x_j | k) of each column, of whether it is above the threshold."""
    there = model.feature_log_prob_.T
    absent = np.log1p(-np.exp(there))

    def log_probabilities(X: np.ndarray) -> np.ndarray:
        present = X if model.binarize is None else (model.binarize < X).astype(float)
        return _against_the_first(absent + present[:, :, None] * (there - absent))

    return _of_columns(log_probabilities, len(there), _n_outputs(model))


def read_multinomial_naive_bayes(model: Any) -> TermSum:
    """A ``MultinomialNB``: x_j log p(j | k) of each column."""
    weights = model.feature_log_prob_.T
    return _of_columns(lambda X: _against_the_first(X[:, :, None] * weights), len(weights), _n_outputs(model))


def read_explainable_boosting(model: Any) -> TermSum:
    """An ``ExplainableBoostingClassifier`` or ``Regressor``, with or without interactions, or its like."""

    def terms(X: np.ndarray) -> np.ndarray:
        of_terms = np.asarray(model.eval_terms(X))
        return of_terms[:, :, None] if of_terms.ndim == 2 else of_terms

    return TermSum(model.term_features_, terms, max(1, np.size(model.intercept_)))


def _of_columns(evaluate: Callable[[np.ndarray], np.ndarray], n_columns: int, n_outputs: int) -> TermSum:
    return TermSum([[column] for column in range(n_columns)], evaluate, n_outputs)


def _n_outputs(model: Any) -> int:
    return 1 if len(model.classes_) == 2 else len(model.classes_)


def _against_the_first(scores: np.ndarray) -> np.ndarray:
    """Of two classes, what speaks for the second; of more, a score each."""
    return scores[..., 1:] - scores[..., :1] if scores.shape[-1] == 2 else scores
