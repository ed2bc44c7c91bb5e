"""Ranking features by how often the minimax adversary deletes them (Globerson & Roweis 2006, section 3), and its use.

`FeatureSelectingSVM` is the support vector machine on the features that are ranked first.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.svm import SVC
from sklearn.utils import check_random_state

from benchkit import check_choice, check_positive
from benchkit_deletion.adversaries.linear import linear_form, signs
from benchkit_deletion.threat import check_values, dense_blocks, greedy_deletion
from benchkit_feature_noise.estimators.fdrop import FeatureDroppingSVM
from benchkit_feature_noise.estimators.robust_classifier import RobustLinearClassifier

RANKINGS = ("deletion", "information-gain", "random")


@dataclass(eq=False, repr=False)
class FeatureSelectingSVM(RobustLinearClassifier):
    """Linear support vector machine on the features that a ranking puts first.

    Parameters
    ----------
    C : float, default=1
        Of the machine, and of FDROP where that ranks.
    by : {"deletion", "information-gain", "random"}, default="deletion"
        How often FDROP's adversary deletes a feature from the training rows; I([x_j > 0]; y); or a random order, which
        a ranking that says anything must beat.
    n_selected : int, default=10
        All features where there are fewer.
    n_deleted : float, default=10
        K of FDROP, but no more than half of the features.
    random_state : int, RandomState or None
        Of the random order.

    Attributes
    ----------
    selected_ : ndarray of int, shape (n_selected,)
        Best first.
    coef_ : ndarray of shape (1, n_features)
        Zero for what is not selected.
    intercept_ : ndarray of shape (1,)
    classes_ : ndarray of shape (2,)
    n_features_in_ : int

    References
    ----------
    A. Globerson, S. Roweis. Nightmare at test time: robust learning by feature deletion. ICML 2006, section 3.
    """

    C: float = 1.0
    by: Literal["deletion", "information-gain", "random"] = "deletion"
    n_selected: int = 10
    n_deleted: float = 10.0
    random_state: Any = None

    def _learn(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> None:
        """Rank the features, select, and train libsvm."""
        check_positive(C=self.C, n_selected=self.n_selected)
        check_choice(RANKINGS, by=self.by)
        self.selected_ = self._rank(X, signs, weights)[: int(self.n_selected)]
        machine = SVC(kernel="linear", C=self.C).fit(X[:, self.selected_], signs, weights)
        self.coef_ = np.zeros((1, X.shape[1]))
        self.coef_[0, self.selected_], intercept = linear_form(machine)
        self.intercept_ = np.array([intercept])

    def _rank(self, X: Any, signs: np.ndarray, weights: np.ndarray) -> np.ndarray:
        if self.by == "random":
            order: np.ndarray = check_random_state(self.random_state).permutation(X.shape[1])
            return order
        if self.by == "information-gain":
            return ranking(information_gain(X, signs, weights))
        n_deleted = min(self.n_deleted, X.shape[1] // 2)
        robust = FeatureDroppingSVM(C=self.C, n_deleted=n_deleted).fit(X, signs, weights)
        return ranking(deletion_frequency(robust, X, signs, n_deleted, weights))


def deleted_features(model: Any, X: Any, y: np.ndarray, n_deleted: float, feature_values: Any = None) -> np.ndarray:
    """Which features of each row are those whose deletion hurts the model most.

    What Fig. 2 shows: reshaped to the size of the images, the pixels of each digit that FDROP's adversary deletes. A
    mask of the shape of X, with fewer than K = ``n_deleted`` in a row of which fewer features help. ``model`` is a
    fitted binary linear classifier; ``feature_values`` are what each feature costs of K, ones where None.
    """
    deleted = np.zeros(X.shape, dtype=bool)
    for rows, mask in _deletions(model, X, y, n_deleted, feature_values):
        deleted[rows] = mask
    return deleted


def deletion_frequency(
    model: Any, X: Any, y: np.ndarray, n_deleted: float, weights: np.ndarray | None = None, feature_values: Any = None
) -> np.ndarray:
    """In what share of the rows, 0 to 1, each feature is among those whose deletion hurts the model most.

    Parameters are as for `deleted_features`; for the paper's ranking, FDROP and its training rows. ``weights`` say for
    how many rows each counts. The sum is at most K where all values are 1.
    """
    weights = np.ones(X.shape[0]) if weights is None else weights
    count = np.zeros(X.shape[1])
    for rows, mask in _deletions(model, X, y, n_deleted, feature_values):
        count += weights[rows] @ mask
    frequency: np.ndarray = count / weights.sum()
    return frequency


def _deletions(
    model: Any, X: Any, y: np.ndarray, n_deleted: float, feature_values: Any
) -> Iterator[tuple[slice, np.ndarray]]:
    """Rows, and what of them goes, block by block."""
    coef, _ = linear_form(model)
    sign = signs(model, y)
    values = check_values(feature_values, X.shape[1])
    for rows, dense in dense_blocks(X):
        yield rows, greedy_deletion(sign[rows, None] * dense * coef, values, n_deleted)


def information_gain(X: Any, y: np.ndarray, weights: np.ndarray | None = None, threshold: float = 0.0) -> np.ndarray:
    """InfoGain I([x_j > threshold]; y) of each feature, in nats (Yang & Pedersen 1997).

    ``weights`` say for how many rows each counts; the threshold 0 asks whether a word occurs, or a pixel has ink.
    """
    if sparse.issparse(X) and threshold < 0:
        raise ValueError(f"threshold is {threshold}, expected at least 0 for sparse data")
    weights = np.ones(X.shape[0]) if weights is None else weights
    # The share of rows that are of a class and have the feature, shape (n_classes, n_features), or have it not.
    of_class = (y == np.unique(y)[:, None]) * (weights / weights.sum())
    present = of_class @ (threshold < X).astype(float)
    gain = np.zeros(X.shape[1])
    for joint in (present, of_class.sum(axis=1, keepdims=True) - present):
        alone = of_class.sum(axis=1, keepdims=True) * joint.sum(axis=0)
        gain += np.sum(joint * np.log(np.divide(joint, alone, out=np.ones_like(joint), where=joint > 1e-15)), axis=0)
    return np.maximum(gain, 0.0)


def ranking(scores: np.ndarray) -> np.ndarray:
    """Features by score descending, the first of equals first; ndarray of int of shape (n_features,)."""
    return np.argsort(-scores, kind="stable")
