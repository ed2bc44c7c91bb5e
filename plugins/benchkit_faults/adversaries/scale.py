"""Units that change: metres for kilometres, inches for centimetres."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_faults.adversaries.struck import Strike, measured, replaced, rows_as_loaded


class Scale:
    """Multiplies columns by a factor, before preprocessing.

    Parameters
    ----------
    factor : float, default=1000
        2.54 makes centimetres of inches.
    features, probability
        As of `Strike`.
    """

    def __init__(
        self, factor: float = 1000.0, features: Sequence[str | int] | None = None, probability: float = 1.0
    ) -> None:
        if isinstance(factor, bool) or not np.isfinite(factor) or factor == 1:
            raise ValueError(f"factor is {factor}, expected a finite number other than 1")
        self.factor, self.chosen = factor, Strike(features, probability)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Multiply the numbers of ``attack.budget`` features."""
        raw = rows_as_loaded(attack)
        struck = self.chosen.strike(attack, measured(raw, attack.groups), "numbers")
        return replaced(attack, struck, self.factor * raw)
