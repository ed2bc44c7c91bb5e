"""Columns that changed places: cables, or the order of a file."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from benchkit import AttackContext, AttackResult, NotApplicableError
from benchkit_faults.adversaries.struck import Strike, Struck, measured, replaced, rows_as_loaded


class SwapColumns:
    """Swaps pairs of features, before preprocessing; gaps go along.

    A swap takes two of the budget, an odd one is left over. Features of as many columns as each other change places,
    all of them numbers.

    Parameters
    ----------
    features : sequence of str or int, optional
        Names of columns or of groups, or column numbers from 0: the first with the second, the third with the fourth.
        None for random pairs.
    """

    def __init__(self, features: Sequence[str | int] | None = None) -> None:
        self.chosen = Strike(features)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Swap ``attack.budget`` features, in pairs."""
        raw, features = rows_as_loaded(attack), attack.features
        numbers = features.spread(features.sum((~measured(raw, attack.groups)).astype(int)) == 0)
        order = self.chosen.order(attack, numbers, "numbers")
        sizes = np.bincount(features.of_column)
        pairs = self._pairs(order, sizes)[: int(attack.budget) // 2]
        columns = np.arange(raw.shape[1])
        for one, other in pairs:
            of_one, of_other = np.flatnonzero(features.of_column == one), np.flatnonzero(features.of_column == other)
            columns[of_one], columns[of_other] = of_other, of_one
        swapped = np.array([feature for pair in pairs for feature in pair], dtype=int)
        moved = np.broadcast_to(columns != np.arange(len(columns)), raw.shape)
        with_gap = moved & np.isnan(raw[:, columns])
        struck = Struck(swapped, moved & ~with_gap)
        if not with_gap.any():
            return replaced(attack, struck, raw[:, columns])
        return self._with_gaps(attack, raw, columns, struck)

    def _pairs(self, order: np.ndarray, sizes: np.ndarray) -> list[tuple[int, int]]:
        if self.chosen.features is not None:
            if len(order) % 2:
                raise ValueError(f"features names {len(order)}: swapping takes pairs")
            named = [(int(one), int(other)) for one, other in zip(order[::2], order[1::2], strict=True)]
            for one, other in named:
                if sizes[one] != sizes[other]:
                    raise ValueError(f"features pairs {sizes[one]} columns with {sizes[other]}: as many change places")
            return named
        waiting: dict[int, int] = {}
        pairs = []
        for feature in order.tolist():
            partner = waiting.pop(int(sizes[feature]), None)
            if partner is None:
                waiting[int(sizes[feature])] = feature
            else:
                pairs.append((partner, feature))
        if not pairs:
            raise NotApplicableError("needs two features of as many columns, which the data does not have")
        return pairs

    @staticmethod
    def _with_gaps(attack: AttackContext, raw: np.ndarray, columns: np.ndarray, struck: Struck) -> AttackResult:
        """Gaps change places too, where preprocessing fills them or the model takes them."""
        seen = np.asarray(attack.seen(raw[:, columns]))
        if np.isnan(seen).any() and not attack.takes_missing:
            raise NotApplicableError("moves gaps, which the model does not take: add {impute: mean} to 'preprocess'")
        return AttackResult(X=seen, y=attack.y, truth={"struck_features": struck.features})
