"""Training on copies of the rows that lack columns at random."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchkit import Features, check_count
from benchkit_worst_case.estimators.hardened_classifier import HardenedClassifier
from benchkit_worst_case.estimators.hardened_model import Fill, HardenedModel
from benchkit_worst_case.estimators.hardened_regressor import HardenedRegressor


class _ColumnDropout(HardenedModel):
    """Any model, fitted on several copies of the training rows, each of which lacks some features at random.

    Parameters
    ----------
    estimator : str, mapping or estimator, default="gradient-boosting"
        The model: scikit-learn's on histograms, its forest, another method by its name, or an object.
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

    def __init__(
        self,
        estimator: Any = "gradient-boosting",
        copies: int = 10,
        rate: float = 0.3,
        fill: Fill = "mean",
        groups: Sequence[Sequence[int]] = (),
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.copies = copies
        self.rate = rate
        self.fill = fill
        self.groups = groups
        self.random_state = random_state

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
    estimator : str, mapping or estimator, default="gradient-boosting"
        The regression: scikit-learn's on histograms, its forest, another method by its name, or an object.
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
