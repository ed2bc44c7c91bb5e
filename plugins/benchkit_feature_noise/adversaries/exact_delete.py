"""The adversary that deletes optimally."""

from __future__ import annotations

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_feature_noise.adversaries.class_margins import ClassMargins
from benchkit_feature_noise.adversaries.deletion import Fill, check_fill, delete
from benchkit_feature_noise.worst_case.exact import WORK_LIMIT, exact_deletion


class ExactDelete:
    """Knows the weights; deletes the features of the largest total contribution that the budget allows.

    Parameters
    ----------
    work_limit : int, default=5,000,000
        As for `exact_deletion`, which gives up with a `WorkLimitError` above it.
    fill : {"zero", "nan", "mean"}, default="zero"
        What deletion leaves, see `AttackContext.left_by`.
    """

    def __init__(self, work_limit: int = WORK_LIMIT, fill: Fill = "zero") -> None:
        check_fill(fill)
        if work_limit < 1:
            raise ValueError(f"work_limit is {work_limit}, expected a positive number")
        self.work_limit = work_limit
        self.fill = fill

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Delete features of total value at most ``attack.budget`` from each row."""
        features, left = attack.features, attack.left_by(self.fill)
        margins = ClassMargins(attack.model, attack.X, attack.y, features, left)
        values = features.sum(attack.feature_values)

        def worst(gains: np.ndarray) -> np.ndarray:
            return exact_deletion(gains, values, attack.budget, self.work_limit)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return margins.worst_deletion(rows, dense, worst)

        return AttackResult(X=delete(attack.X, features, choose, left), y=attack.y)
