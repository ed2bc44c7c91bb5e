"""Dense noise and uniform corruption of responses: RoOFS VI-A."""

from __future__ import annotations

import numpy as np

from benchkit import AttackContext, AttackResult, check_not_negative
from benchkit_robust_regression.adversaries.corrupted_rows import corrupted_rows


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
