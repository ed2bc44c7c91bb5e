"""The adversary that deletes optimally."""

from __future__ import annotations

import numpy as np

from benchkit import Attack, Corruption
from benchkit_feature_noise.class_margins import ClassMargins
from benchkit_feature_noise.deletion import delete
from benchkit_feature_noise.exact import WORK_LIMIT, exact_deletion


class ExactDelete:
    """Knows the weights; deletes the features of the largest total contribution that the budget allows.

    Parameters
    ----------
    work_limit : int, default=5,000,000
        As for `exact_deletion`, which gives up with a `WorkLimitError` above it.
    """

    def __init__(self, work_limit: int = WORK_LIMIT) -> None:
        if work_limit < 1:
            raise ValueError(f"work_limit is {work_limit}, expected a positive number")
        self.work_limit = work_limit

    def corrupt(self, attack: Attack) -> Corruption:
        """Delete features of total value at most ``attack.budget`` from each row."""
        margins = ClassMargins(attack.model, attack.X, attack.y)

        def worst(gains: np.ndarray) -> np.ndarray:
            return exact_deletion(gains, attack.feature_values, attack.budget, self.work_limit)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return margins.worst_deletion(rows, dense, worst)

        return Corruption(X=delete(attack.X, choose), y=attack.y)
