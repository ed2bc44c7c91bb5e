"""The greedy adversary of Dekel, Shamir & Xiao 2010, section 4."""

from __future__ import annotations

import numpy as np

from benchkit import Attack, Corruption
from benchkit_feature_noise.deletion import delete
from benchkit_feature_noise.linear_form import linear_form, signs
from benchkit_feature_noise.threat import greedy_deletion


class GreedyDelete:
    """Knows the weights; deletes what helps most per value until the budget is spent."""

    def corrupt(self, attack: Attack) -> Corruption:
        """Delete features of total value at most ``attack.budget`` from each row."""
        coef, _ = linear_form(attack.model)
        y = signs(attack.model, attack.y)

        def choose(rows: slice, dense: np.ndarray) -> np.ndarray:
            return greedy_deletion(y[rows, None] * dense * coef, attack.feature_values, attack.budget)

        return Corruption(X=delete(attack.X, choose), y=attack.y)
