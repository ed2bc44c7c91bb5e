"""Training on copies of the rows that lack columns: random ones, or those whose loss hurts the model so far most."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchkit import Features, check_count, check_not_negative
from benchkit_deletion.models.reading import read_model
from benchkit_deletion.threat import Fill, check_values
from benchkit_deletion.worst_deletion import Search
from benchkit_hardening.hardened import HardenedClassifier, HardenedModel, HardenedRegressor


@dataclass(eq=False, repr=False)
class _ColumnDropout(HardenedModel):
    """Any model, fitted on several copies of the training rows, each of which lacks some features at random."""

    estimator: Any = "gradient-boosting"
    copies: int = 10
    rate: float = 0.3
    fill: Fill = "mean"
    groups: Sequence[Sequence[int]] = ()
    random_state: Any = None

    def _fit_hardened(
        self, learner: Any, X: np.ndarray, y: np.ndarray, left: np.ndarray, features: Features, rng: Any
    ) -> Any:
        check_count(copies=self.copies)
        if not 0 <= self.rate <= 1:
            raise ValueError(f"rate is {self.rate}, expected a share from 0 to 1")
        most = round(self.rate * features.n_features)
        parts = [X]
        for _ in range(self.copies - 1):
            lost = rng.randint(most + 1, size=(len(X), 1))
            # The features of the lowest of random ranks.
            ranks = rng.random_sample((len(X), features.n_features)).argsort(axis=1).argsort(axis=1)
            parts.append(np.where(features.spread(ranks < lost), left, X))
        return learner.fit(np.concatenate(parts), np.tile(y, self.copies))


class ColumnDropout(_ColumnDropout, HardenedClassifier):
    """Any classifier, fitted on several copies of the training rows, each of which lacks some features at random.

    Parameters
    ----------
    estimator : str, mapping or estimator, default="gradient-boosting"
        The classifier: scikit-learn's on histograms, its forest, another method by its name, or an object.
    copies : int, default=10
        How often the rows are there, whole ones once.
    rate : float, default=0.3
        The largest share of its features that a copy of a row lacks: how many is drawn uniformly from 0 up to it.
    fill : {"zero", "nan", "mean"}, default="mean"
        What a lost column holds, as the adversary leaves it.
    groups : sequence of sequences of int, default=()
        Columns that are one feature.
    random_state : int, RandomState or None, default=None
    """


class ColumnDropoutRegressor(_ColumnDropout, HardenedRegressor):
    """Any regression, fitted on several copies of the training rows, each of which lacks some features at random.

    Parameters
    ----------
    estimator, copies, rate, fill, groups, random_state
        As of `ColumnDropout`.
    """


@dataclass(eq=False, repr=False)
class AdversarialColumns(HardenedClassifier):
    """A classifier made of trees, or another sum, refitted in rounds on the deletions that hurt it most.

    In each round every training row is copied without the features whose loss leaves its class the lowest margin, as
    `ExactTreeDelete` finds them; the next fit has these copies beside the rows and the copies of the rounds before.

    Parameters
    ----------
    estimator : str, mapping or estimator, default="gradient-boosting"
        The classifier: scikit-learn's on histograms ("gradient-boosting"), its forest ("random-forest"), another
        method by its name, such as "xgboost", or an object, which is cloned. It must be one that
        `read_model` reads.
    n_deleted : float, default=2
        The value of the features that the worst case may delete.
    rounds : int, default=4
        How often the worst case is found and the classifier refitted.
    fill : {"zero", "nan", "mean"}, default="mean"
        What a lost column holds, as the adversary leaves it.
    feature_values : array-like of shape (n_features,) or None, default=None
        What each column costs; 1 where None, which the columns of a group share.
    groups : sequence of sequences of int, default=()
        Columns that are one feature.
    node_limit : int, default=1
        Nodes of the search per row: a copy needs a bad deletion, and no proof that it is the worst. At one, the
        better of the greedy deletion and of those that the bound proposes.
    random_state : int, RandomState or None, default=None
    """

    estimator: Any = "gradient-boosting"
    n_deleted: float = 2.0
    rounds: int = 4
    fill: Fill = "mean"
    feature_values: Any = None
    groups: Sequence[Sequence[int]] = ()
    node_limit: int = 1
    random_state: Any = None

    def _fit_hardened(
        self, learner: Any, X: np.ndarray, y: np.ndarray, left: np.ndarray, features: Features, rng: Any
    ) -> Any:
        check_count(rounds=self.rounds, node_limit=self.node_limit)
        check_not_negative(n_deleted=self.n_deleted)
        values = np.ones(features.n_features)
        if self.feature_values is not None:
            values = features.sum(check_values(self.feature_values, X.shape[1]))
        search = Search(features, values, float(self.n_deleted), self.node_limit, until_decided=False)
        model = learner.fit(X, y)
        rows, classes = [X], [y]
        for _ in range(self.rounds):
            worst = search.rows(read_model(model, X, left), X, y, left)
            gone = features.spread(np.array([each.deleted for each in worst]))
            rows.append(np.where(gone, left, X))
            classes.append(y)
            model = learner.fit(np.concatenate(rows), np.concatenate(classes))
        return model


def dropout_for(n_lost: int, n_features: int) -> dict[str, Any]:
    """Parameters of column dropout for the loss of so many features."""
    return {"fill": "zero", "rate": max(0.3, n_lost / n_features)}


def adversarial_for(n_lost: int, n_features: int) -> dict[str, Any]:
    """Parameters of adversarial columns for the loss of so many features."""
    return {"fill": "zero", "n_deleted": float(n_lost), "rounds": 2}
