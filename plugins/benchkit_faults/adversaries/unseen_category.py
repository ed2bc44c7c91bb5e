"""Categories that the training part did not have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_faults.adversaries.struck import Strike, measured, replaced, rows_as_loaded


class UnseenCategory:
    """Gives rows a category that no column stands for.

    Parameters
    ----------
    leaves : {"zero", "nan"}, default="zero"
        What an encoder that meets a new category writes: zeros in all of its columns, or a gap.
    features, probability
        As of `Strike`.
    """

    def __init__(
        self,
        leaves: Literal["zero", "nan"] = "zero",
        features: Sequence[str | int] | None = None,
        probability: float = 1.0,
    ) -> None:
        if leaves not in ("zero", "nan"):
            raise ValueError(f"leaves is {leaves!r}, expected 'zero' or 'nan'")
        self.leaves, self.chosen = leaves, Strike(features, probability)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Give ``attack.budget`` features a new category."""
        raw = rows_as_loaded(attack)
        struck = self.chosen.strike(attack, ~measured(raw, attack.groups), "a category (a group of zeros and ones)")
        if self.leaves == "zero":
            return replaced(attack, struck, np.zeros_like(raw))
        X = np.where(struck.entries, attack.left_by("nan"), attack.X)
        return AttackResult(X=X, y=attack.y, truth={"struck_features": struck.features})
