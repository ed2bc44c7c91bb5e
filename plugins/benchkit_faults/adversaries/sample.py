"""Values of other rows: joins that went wrong, columns that were shuffled."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit import AttackContext, AttackResult
from benchkit_faults.adversaries.donor_rows import known_rows, next_known
from benchkit_faults.adversaries.struck import Strike, replaced, rows_as_loaded


class Sample:
    """Gives each row another row's value, each feature that of a row of its own; a group of columns comes whole.

    The values are those of the data, in another order: what a column has stays plausible, and says nothing of its row.

    Parameters
    ----------
    features, probability
        As of `Strike`.
    """

    def __init__(self, features: Sequence[str | int] | None = None, probability: float = 1.0) -> None:
        self.chosen = Strike(features, probability)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Take the values of ``attack.budget`` features from other rows."""
        raw, features = rows_as_loaded(attack), attack.features
        struck = self.chosen.strike(attack, np.ones(raw.shape[1], dtype=bool), "columns")
        keys = attack.rng.random((len(raw), features.n_features))
        rows = features.spread(next_known(known_rows(raw, features), keys))
        return replaced(attack, struck, raw[rows, np.arange(raw.shape[1])])
