"""Faults that strike whole columns: units, codes, stuck sensors, mixed-up rows and columns, noise, new categories."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from benchkit import AttackContext, AttackResult, NotApplicableError
from benchkit_faults.struck import (
    Strike,
    Struck,
    first_known,
    known_rows,
    measured,
    next_known,
    replaced,
    rows_as_loaded,
)


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
