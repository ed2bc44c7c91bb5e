"""Noise on every reading."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit import AttackContext, AttackResult, NotApplicableError
from benchkit_faults.adversaries.struck import Strike, measured, rows_as_loaded


class GaussianNoise:
    """Adds normal noise whose standard deviation is the budget, in standard deviations of the training part.

    Each column's noise is scaled so that its root mean square over the rows is the budget exactly, and a larger budget
    is the same noise, larger. Preprocessing by column, such as ``standardize``, does not matter: noise is added to what
    the model sees, in that column's own standard deviations. Gaps stay, categories are left alone.

    Parameters
    ----------
    features : sequence of str or int, optional
        Names of columns or of groups, or column numbers from 0, that get noise; None for all numbers.
    """

    def __init__(self, features: Sequence[str | int] | None = None) -> None:
        self.chosen = Strike(features)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Add noise of ``attack.budget`` standard deviations; the truth has ``struck_features``."""
        raw = rows_as_loaded(attack)
        if attack.deviations is None:
            raise NotApplicableError("noise needs the standard deviations of the training part")
        columns = measured(raw, attack.groups)
        features = self.chosen.order(attack, columns, "numbers")
        noise = attack.rng.standard_normal(raw.shape)
        hit = np.zeros(attack.features.n_features, dtype=bool)
        hit[features] = True
        known = ~np.isnan(raw) & ~np.isnan(attack.X) & columns & attack.features.spread(hit)
        noise = unit_root_mean_square(np.where(known, noise, 0.0), known)
        moved = attack.X + attack.budget * attack.deviations * noise
        return AttackResult(X=np.where(known, moved, attack.X), y=attack.y, truth={"struck_features": features})


def unit_root_mean_square(noise: np.ndarray, known: np.ndarray) -> np.ndarray:
    """Noise of shape (n_rows, n_columns), 0 where nothing is known, with each column's mean square made 1."""
    count = known.sum(axis=0)
    size = np.sqrt((noise**2).sum(axis=0) / np.maximum(count, 1))
    scaled: np.ndarray = noise / np.where(size > 0, size, 1.0)
    return scaled
