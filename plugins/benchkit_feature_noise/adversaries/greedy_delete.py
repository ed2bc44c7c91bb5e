"""The greedy adversary of Dekel, Shamir & Xiao 2010, section 4."""

from __future__ import annotations

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_feature_noise.adversaries.class_margins import ClassMargins
from benchkit_feature_noise.adversaries.deletion import Fill, check_fill, delete
from benchkit_feature_noise.worst_case.threat import greedy_deletion


class GreedyDelete:
    """Knows the weights; deletes what helps most per value until the budget is spent.

    Parameters
    ----------
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, fill: Fill = "zero") -> None:
        check_fill(fill)
        self.fill = fill

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row."""
        features, left = attack.features, attack.left_by(self.fill)
        margins = ClassMargins(attack.model, attack.X, attack.y, features, left)
        values = features.sum(attack.feature_values)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return margins.worst_deletion(rows, dense, lambda gains: greedy_deletion(gains, values, attack.budget))

        return AttackResult(X=delete(attack.X, features, choose, left), y=attack.y)
