"""Sensors that stick."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_faults.adversaries.donor_rows import first_known, known_rows
from benchkit_faults.adversaries.struck import Strike, replaced, rows_as_loaded


class Stuck:
    """Gives all rows the value that one row has, drawn from those that have one; a group of columns sticks whole.

    Parameters
    ----------
    features, probability
        As of `Strike`.
    """

    def __init__(self, features: Sequence[str | int] | None = None, probability: float = 1.0) -> None:
        self.chosen = Strike(features, probability)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Let ``attack.budget`` features stick."""
        raw, features = rows_as_loaded(attack), attack.features
        struck = self.chosen.strike(attack, np.ones(raw.shape[1], dtype=bool), "columns")
        rows = features.spread(first_known(known_rows(raw, features), attack.rng.permutation(len(raw))))
        return replaced(attack, struck, raw[rows, np.arange(raw.shape[1])])
