"""Codes for missing values that nobody translated."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_faults.adversaries.struck import Strike, measured, replaced, rows_as_loaded


class Sentinel:
    """Puts one number, such as -999, in place of numbers, before preprocessing.

    Parameters
    ----------
    value : float, default=-999
    features, probability
        As of `Strike`.
    """

    def __init__(
        self, value: float = -999.0, features: Sequence[str | int] | None = None, probability: float = 1.0
    ) -> None:
        if isinstance(value, bool) or not np.isfinite(value):
            raise ValueError(f"value is {value}, expected a finite number")
        self.value, self.chosen = value, Strike(features, probability)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Put the number into ``attack.budget`` features."""
        raw = rows_as_loaded(attack)
        struck = self.chosen.strike(attack, measured(raw, attack.groups), "numbers")
        return replaced(attack, struck, np.full_like(raw, self.value))
