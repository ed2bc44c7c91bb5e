"""LP and FDROP with a step function for each feature in place of a weight."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from benchkit import Features, check_choice, check_count
from benchkit_deletion.threat import check_fill, check_values, left_by
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.lp import RobustLinearProgram, box_grid

METHODS = ("lp", "fdrop")


@dataclass(eq=False, repr=False)
class RobustAdditiveClassifier(ClassifierMixin, BaseEstimator):
    """A sum of step functions, one of each column, that survives the deletion of features.

    A column is cut into bins at quantiles of the training rows, and written as one indicator of each bin but the one
    that deletion leads to. So a deleted feature is a block of zeros, a row has one indicator of a block at most, and
    the programs of Dekel, Shamir & Xiao 2010 (Eq. 4) and Globerson & Roweis 2006 (Eq. 6) with these blocks as their
    features are what they are for linear classifiers: convex, and exact about the worst deletion of each training row.

    Parameters
    ----------
    method : {"lp", "fdrop"}, default="fdrop"
        The program: |height of a step| <= C, or 1/2 the sum of the squared heights and C times the hinge losses.
    C : float, default=1
    budget : float, default=0
        N of ``lp``, K of ``fdrop``: the value of the features whose deletion is prepared for.
    n_bins : int, default=16
        Bins of a column, at most; fewer where values repeat.
    fill : {"zero", "mean", "nan"}, default="zero"
        What deletion leaves, as the adversary leaves it.
    feature_values : array-like of shape (n_features,) or None, default=None
        v >= 0; ones where None.
    groups : sequence of sequences of int, default=()
        Columns that are one feature. Fast where no row has two of a group's columns elsewhere than deletion leaves
        them, as in a one-hot block.
    tol : float, default=1e-4
        Of the program's solver.

    Attributes
    ----------
    edges_ : list of ndarray
        Of each column, where its bins end; a value of at most the edge lies left of it.
    heights_ : list of ndarray
        Of each column, what its bins add to the score; 0 for the one that deletion leads to. NaN adds 0.
    intercept_ : float
        The score of a row without any feature.
    term_features_ : list of tuple of int
        The columns of each term: one each, in order. As of an explainable boosting machine.
    classes_ : ndarray of shape (2,)
    converged_ : bool
    n_features_in_ : int
    """

    method: Literal["lp", "fdrop"] = "fdrop"
    C: float = 1.0
    budget: float = 0.0
    n_bins: int = 16
    fill: Literal["zero", "mean", "nan"] = "zero"
    feature_values: Any = None
    groups: Sequence[Sequence[int]] = ()
    tol: float = 1e-4

    def fit(self, X: Any, y: Any) -> Self:
        """Solve the program for rows of two classes, in which NaN is what a deleted feature is."""
        check_count(n_bins=self.n_bins)
        check_choice(METHODS, method=self.method)
        check_fill(self.fill)
        X, y = validate_data(self, X, y, ensure_all_finite="allow-nan", dtype=np.float64)
        features = Features(X.shape[1], self.groups)
        values = check_values(self.feature_values, X.shape[1], features)
        self.edges_ = [_edges(column[~np.isnan(column)], self.n_bins) for column in X.T]
        gone = self._gone(X)
        starts = np.concatenate([[0], np.cumsum([len(edges) + 2 for edges in self.edges_])])
        program = self._program(starts, values, features)
        program.fit(self._indicators(X, gone, starts), y)
        self.classes_, self.converged_ = program.classes_, program.converged_
        self.intercept_ = float(program.intercept_[0])
        self.heights_ = [program.coef_[0, start + 1 : end] for start, end in pairwise(starts)]
        self.term_features_ = [(column,) for column in range(X.shape[1])]
        return self

    def eval_terms(self, X: Any) -> np.ndarray:
        """What each column adds to the score: shape (n_samples, n_features)."""
        check_is_fitted(self)
        X = validate_data(self, X, ensure_all_finite="allow-nan", dtype=np.float64, reset=False)
        terms = [
            np.where(np.isnan(column), 0.0, heights[np.searchsorted(edges, column)])
            for column, edges, heights in zip(X.T, self.edges_, self.heights_, strict=True)
        ]
        return np.stack(terms, axis=1)

    def decision_function(self, X: Any) -> np.ndarray:
        """Scores, shape (n_samples,), positive for ``classes_[1]``."""
        scores: np.ndarray = self.eval_terms(X).sum(axis=1) + self.intercept_
        return scores

    def predict(self, X: Any) -> np.ndarray:
        """Classes, shape (n_samples,); a score of 0 is ``classes_[0]``."""
        positive = self.decision_function(X) > 0
        labels: np.ndarray = self.classes_[positive.astype(int)]
        return labels

    def _gone(self, X: np.ndarray) -> list[int]:
        """Of each column, which place deletion leads to: 0 is NaN's, the bins follow."""
        if self.fill == "nan":
            return [0] * X.shape[1]
        left = left_by(self.fill, X)
        return [1 + int(np.searchsorted(edges, value)) for edges, value in zip(self.edges_, left, strict=True)]

    def _indicators(self, X: np.ndarray, gone: list[int], starts: np.ndarray) -> sparse.csr_matrix:
        """One indicator of the bin of each value, and none where the value is what deletion leaves, or NaN."""
        rows, columns = [], []
        for column, (values, edges, place) in enumerate(zip(X.T, self.edges_, gone, strict=True)):
            found = np.where(np.isnan(values), 0, 1 + np.searchsorted(edges, values))
            there = np.flatnonzero((found != place) & (found != 0))
            rows.append(there)
            columns.append(starts[column] + found[there])
        at = (np.concatenate(rows), np.concatenate(columns))
        return sparse.csr_matrix((np.ones(len(at[0])), at), shape=(len(X), starts[-1]))

    def _program(self, starts: np.ndarray, values: np.ndarray, features: Features) -> Any:
        """The linear classifier of the indicators. The place of NaN, which no row has, bears a column's value."""
        of_places = np.zeros(starts[-1])
        of_places[starts[:-1]] = values
        of_column = np.repeat(features.of_column, np.diff(starts))
        blocks = [np.flatnonzero(of_column == feature).tolist() for feature in range(features.n_features)]
        given = {"C": self.C, "feature_values": of_places, "groups": blocks, "tol": self.tol}
        if self.method == "lp":
            return RobustLinearProgram(noise_budget=self.budget, **given)
        return FeatureDroppingSVM(n_deleted=self.budget, **given)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = True
        return tags


def _edges(values: np.ndarray, n_bins: int) -> np.ndarray:
    """Where bins end: quantiles, each once."""
    if not len(values):
        return np.zeros(0)
    quantiles = np.quantile(values, np.arange(1, n_bins) / n_bins)
    return np.unique(quantiles[quantiles < values.max()])


def step_grid(n_features: int, total_value: float, budget: float) -> dict[str, list[Any]]:
    """The grid of ``lp`` for C, which bounds the steps as it bounds weights there, and two numbers of bins."""
    return {**box_grid(n_features, total_value, budget), "n_bins": [8, 16]}
