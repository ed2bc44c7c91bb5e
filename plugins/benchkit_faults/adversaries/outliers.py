"""Training rows that are far from all others."""

from __future__ import annotations

from typing import Literal

import numpy as np

from benchkit import AttackContext, AttackResult, NotApplicableError, check_positive
from benchkit_faults.adversaries.corrupted_rows import corrupted_rows
from benchkit_faults.adversaries.struck import measured, rows_as_loaded


class Outliers:
    """Moves a fraction of the training rows away, in all their numbers; labels and targets stay.

    Points of high leverage: a row keeps its label where it no longer belongs. Gaps stay, categories are left alone.

    Parameters
    ----------
    size : float, default=10
        How far each number moves, in standard deviations of its column in the training part.
    direction : {"random", "one"}, default="random"
        Up or down for each row and column by itself; or for each column alone, so that outliers lie together and do not
        cancel out.
    """

    def __init__(self, size: float = 10.0, direction: Literal["random", "one"] = "random") -> None:
        check_positive(size=size)
        if direction not in ("random", "one"):
            raise ValueError(f"direction is {direction!r}, expected 'random' or 'one'")
        self.size, self.direction = size, direction

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Move ``attack.budget`` of the rows; truth ``clean_rows`` of shape (n_samples,)."""
        raw = rows_as_loaded(attack)
        columns = measured(raw, attack.groups)
        if not columns.any():
            raise NotApplicableError("needs numbers, which the data does not have")
        order = attack.rng.permutation(len(raw))
        signs = attack.rng.choice([-1.0, 1.0], size=raw.shape)
        if self.direction == "one":
            signs = np.broadcast_to(signs[0], raw.shape)
        corrupted = corrupted_rows(order, attack.budget, len(raw))
        moved = raw + self.size * _deviations(raw) * signs
        X = np.where(corrupted[:, None] & columns, moved, raw)
        return AttackResult(X=X, y=attack.y, truth={"clean_rows": ~corrupted})


def _deviations(X: np.ndarray) -> np.ndarray:
    """Standard deviations of columns without their gaps, 0 where all is missing."""
    known = ~np.isnan(X)
    count = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, X, 0.0).sum(axis=0) / count
    deviations: np.ndarray = np.sqrt((np.where(known, X - means, 0.0) ** 2).sum(axis=0) / count)
    return deviations
