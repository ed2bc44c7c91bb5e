"""The greedy adversary of Dekel, Shamir & Xiao 2010, section 4, that replaces features by noise."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from scipy import sparse
from sklearn.utils.sparsefuncs import mean_variance_axis

from benchkit import AttackContext, AttackResult
from benchkit_feature_noise.adversaries.class_margins import ClassMargins
from benchkit_feature_noise.adversaries.deletion import replace
from benchkit_feature_noise.worst_case.threat import greedy_deletion


class GreedyCorrupt:
    """Chooses features as greedy-delete does and replaces them by noise.

    The noise of an entry does not depend on the budget: a larger one replaces more entries, the others as before.

    Parameters
    ----------
    noise : {"gaussian", "bounded"}, default="gaussian"
        Normal with the feature's own mean and variance over the rows to be corrupted (section 4), or uniform on
        [-1, 1], as Theorem 3 assumes of features in [-1, 1].
    """

    def __init__(self, noise: Literal["gaussian", "bounded"] = "gaussian") -> None:
        if noise not in ("gaussian", "bounded"):
            raise ValueError(f"noise is {noise!r}, expected 'gaussian' or 'bounded'")
        self.noise = noise

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Replace features of total value at most ``attack.budget`` in each row."""
        features = attack.features
        margins = ClassMargins(attack.model, attack.X, attack.y, features, np.zeros(attack.X.shape[1]))
        values = features.sum(attack.feature_values)
        mean, deviation = moments(attack.X)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return margins.worst_deletion(rows, dense, lambda gains: greedy_deletion(gains, values, attack.budget))

        def draw(rows: slice, dense: np.ndarray) -> np.ndarray:
            if self.noise == "bounded":
                return attack.rng.uniform(-1.0, 1.0, dense.shape)
            return mean + deviation * attack.rng.standard_normal(dense.shape)

        return AttackResult(X=replace(attack.X, features, choose, draw), y=attack.y)


def moments(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Mean and standard deviation of each column, shape (n_features,)."""
    if sparse.issparse(X):
        mean, variance = mean_variance_axis(X, axis=0)
        return mean, np.sqrt(variance)
    return X.mean(axis=0), X.std(axis=0)
