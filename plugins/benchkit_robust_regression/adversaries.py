"""Adversaries that corrupt responses of the training part; a larger budget corrupts more rows, never others."""

from __future__ import annotations

from typing import Literal

import numpy as np
from sklearn.utils.extmath import safe_sparse_dot

from benchkit import AttackContext, AttackResult, check_not_negative


class CorruptResponses:
    """Adds u to the responses of a fraction of the rows, and noise to all.

    Corrupted rows get y* + u + N(0, ``corrupted_noise``), u uniform between -``scale`` and ``scale`` times the largest
    |y*|; the others y* + N(0, ``noise``).

    Parameters
    ----------
    noise : float, default=0.1
        Variance of the noise on clean rows; 0 for the setting without dense noise.
    corrupted_noise : float or None, default=None
        Variance on corrupted rows; a tenth of ``noise`` where None, as in the authors' program.
    scale : float, default=5
    """

    def __init__(self, noise: float = 0.1, corrupted_noise: float | None = None, scale: float = 5.0) -> None:
        check_not_negative(noise=noise, scale=scale)
        corrupted_noise = noise / 10 if corrupted_noise is None else corrupted_noise
        check_not_negative(corrupted_noise=corrupted_noise)
        self.noise, self.corrupted_noise, self.scale = noise, corrupted_noise, scale

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Corrupt ``attack.budget`` of the rows; truth ``clean_rows`` of shape (n_samples,)."""
        y = np.asarray(attack.y, dtype=np.float64)
        corrupted = corrupted_rows(attack.rng.permutation(len(y)), attack.budget)
        reach = self.scale * float(np.abs(y).max())
        shift = attack.rng.uniform(-reach, reach, len(y))
        noise = attack.rng.standard_normal(len(y))
        deviation = np.sqrt(np.where(corrupted, self.corrupted_noise, self.noise))
        return AttackResult(
            X=attack.X, y=y + np.where(corrupted, shift, 0.0) + deviation * noise, truth={"clean_rows": ~corrupted}
        )


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


def corrupted_rows(order: np.ndarray, budget: float) -> np.ndarray:
    """The first rows of an order that does not depend on the budget, a fraction of them: mask of shape (n_samples,)."""
    corrupted = np.zeros(len(order), dtype=bool)
    corrupted[order[: round(budget * len(order))]] = True
    return corrupted
