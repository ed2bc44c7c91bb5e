"""Corruption by one who knows the clean responses: rows that all speak for the same wrong model."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from benchkit import AttackContext, AttackResult, check_not_negative
from benchkit_robust_regression.adversaries.corrupted_rows import corrupted_rows


class CorruptAdaptive:
    """Moves responses from X w* to X w' for one wrong model w', where that moves them most.

    Random corruption as in `CorruptResponses` cancels out; this one does not: corrupted rows agree among themselves, as
    clean ones do, and those with the largest |x.(w' - w*)| come first. Noise is added to all rows, so that neither kind
    fits better than the other.

    Parameters
    ----------
    model : {"opposite", "shifted"}, default="opposite"
        w' = -w*, which needs only y* = X w*; or w* + ``strength`` d with d a random direction, scaled so that X d has
        the root mean square of y*.
    strength : float, default=1
    noise : float, default=0.1
        Variance of the noise on all rows.
    """

    def __init__(
        self, model: Literal["opposite", "shifted"] = "opposite", strength: float = 1.0, noise: float = 0.1
    ) -> None:
        if model not in ("opposite", "shifted"):
            raise ValueError(f"model is {model!r}, expected 'opposite' or 'shifted'")
        check_not_negative(strength=strength, noise=noise)
        self.model, self.strength, self.noise = model, strength, noise

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Corrupt ``attack.budget`` of the rows; truth ``clean_rows`` of shape (n_samples,)."""
        y = np.asarray(attack.y, dtype=np.float64)
        direction = attack.rng.standard_normal(attack.X.shape[1])
        noise = attack.rng.standard_normal(len(y))
        shift = -2.0 * y if self.model == "opposite" else self._shift(attack.X, y, direction)
        corrupted = corrupted_rows(np.argsort(-np.abs(shift), kind="stable"), attack.budget)
        responses = y + np.where(corrupted, shift, 0.0) + np.sqrt(self.noise) * noise
        return AttackResult(X=attack.X, y=responses, truth={"clean_rows": ~corrupted})

    def _shift(self, X: object, y: np.ndarray, direction: np.ndarray) -> np.ndarray:
        """X (w' - w*), shape (n_samples,)."""
        moved = safe_sparse_dot(X, direction)
        length = float(np.linalg.norm(moved))
        shift: np.ndarray = self.strength * float(np.linalg.norm(y)) * moved / length if length > 0 else 0.0 * moved
        return shift
