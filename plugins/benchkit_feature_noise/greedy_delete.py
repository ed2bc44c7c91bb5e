"""The greedy adversary of Dekel, Shamir & Xiao 2010, section 4."""

from __future__ import annotations

import numpy as np

from benchkit import Attack, Corruption
from benchkit_feature_noise.class_margins import ClassMargins
from benchkit_feature_noise.deletion import delete
from benchkit_feature_noise.threat import greedy_deletion


class GreedyDelete:
    """Knows the weights; deletes what helps most per value until the budget is spent."""

    def corrupt(self, attack: Attack) -> Corruption:
        """Delete features of total value at most ``attack.budget`` from each row."""
        margins = ClassMargins(attack.model, attack.X, attack.y)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return margins.worst_deletion(
                rows, dense, lambda gains: greedy_deletion(gains, attack.feature_values, attack.budget)
            )

        return Corruption(X=delete(attack.X, choose), y=attack.y)
