"""Ratings replaced by random ones: RoOFS VI-F."""

from __future__ import annotations

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_robust_regression.adversaries.corrupted_rows import corrupted_rows


class RandomScores:
    """Replaces the responses of a fraction of the rows by whole numbers drawn uniformly.

    The paper draws scores for reviews that have none; here labelled ones lose theirs.

    Parameters
    ----------
    low, high : int, default=1, 10
        The least and the greatest score.
    """

    def __init__(self, low: int = 1, high: int = 10) -> None:
        if low > high:
            raise ValueError(f"low is {low} and high is {high}: the least score comes first")
        self.low, self.high = low, high

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Replace ``attack.budget`` of the scores; truth ``clean_rows`` of shape (n_samples,)."""
        y = np.asarray(attack.y, dtype=np.float64)
        corrupted = corrupted_rows(attack.rng.permutation(len(y)), attack.budget)
        scores = attack.rng.integers(self.low, self.high, len(y), endpoint=True)
        return AttackResult(X=attack.X, y=np.where(corrupted, scores, y), truth={"clean_rows": ~corrupted})
