"""Faults of single entries: typing errors, and values that are out of date."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from benchkit import (
    AttackContext,
    AttackResult,
    Categories,
    Data,
    NotApplicableError,
    column_codes,
    column_moments,
    find_column,
)
from benchkit_faults.struck import Strike, measured, replaced, rows_as_loaded

_KEYS = "1234567890"
_KINDS = 4


class Typo:
    """One typing error in each number that is struck, and in each category.

    Of a number one digit is left out, typed twice, exchanged with the next one, or is that of the key beside it, which
    of these at random. A category that is misspelt is one that no column stands for: zeros in all of its columns.

    Parameters
    ----------
    features, probability
        As of `Strike`.
    """

    def __init__(self, features: Sequence[str | int] | None = None, probability: float = 1.0) -> None:
        self.chosen = Strike(features, probability)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Mistype the values of ``attack.budget`` features."""
        raw = rows_as_loaded(attack)
        struck = self.chosen.strike(attack, np.ones(raw.shape[1], dtype=bool), "columns")
        kinds, places = attack.rng.integers(_KINDS, size=raw.shape), attack.rng.random(raw.shape)
        numbers = struck.entries & measured(raw, attack.groups)
        typed = np.zeros_like(raw)
        typed[numbers] = [
            mistyped(value, int(kind), place)
            for value, kind, place in zip(raw[numbers], kinds[numbers], places[numbers], strict=True)
        ]
        return replaced(attack, struck, typed)


def mistyped(value: float, kind: int, place: float) -> float:
    """A number with one typing error in its digits, as it is written in full; another than it was.

    Parameters
    ----------
    value : float
        Finite.
    kind : int
        0: the key beside; 1: left out; 2: twice; 3: exchanged with the next digit. Where a kind would change nothing,
        as the exchange of equal digits, the key beside.
    place : float
        From 0 to 1: which digit.
    """
    text = np.format_float_positional(value, trim="-")
    digits = [at for at, letter in enumerate(text) if letter.isdigit()]
    chosen = min(int(place * len(digits)), len(digits) - 1)
    at = digits[chosen]
    own = text[at]
    if kind == 1 and len(digits) > 1:
        wrong = text[:at] + text[at + 1 :]
    elif kind == 2:
        wrong = text[:at] + own + text[at:]
    elif kind == 3 and chosen + 1 < len(digits):
        other = digits[chosen + 1]
        wrong = text[:at] + text[other] + text[at + 1 : other] + own + text[other + 1 :]
    else:
        wrong = text
    if wrong in ("-", ".", "-.") or float(wrong) == value:
        wrong = _key_beside(text, at, later=place * len(digits) % 1 < 0.5)
    # Of numbers beyond 2^53 not every digit counts; the first does.
    return float(wrong) if float(wrong) != value else float(_key_beside(text, digits[0], later=True))


def _key_beside(text: str, at: int, later: bool) -> str:
    """The text with the key beside at one place: the later of the two where there are two and that is asked."""
    own = text[at]
    step = 1 if own == _KEYS[0] or (later and own != _KEYS[-1]) else -1
    return text[:at] + _KEYS[_KEYS.index(own) + step] + text[at + 1 :]


class Stale:
    """Gives rows the value that the same entity had before: the latest of an earlier time that is known.

    Earlier rows are those of the whole data set, of the training part too, as a store of features has them. A row of an
    entity that was never seen before keeps its values.

    Parameters
    ----------
    entity : str
        The column that says whose row it is: a customer, a machine, a patient.
    time : str
        The column that orders rows: numbers, or dates such as 2024-03-05. Rows of one time are not before each other.
    features, probability
        As of `Strike`.
    """

    def __init__(
        self, entity: str, time: str, features: Sequence[str | int] | None = None, probability: float = 1.0
    ) -> None:
        for name, given in (("entity", entity), ("time", time)):
            if not isinstance(given, str) or not given:
                raise ValueError(f"{name} is {given!r}, expected the name of a column")
        self.entity, self.time, self.chosen = entity, time, Strike(features, probability)

    def corrupt(self, attack: AttackContext) -> AttackResult:
        """Take the values of ``attack.budget`` features from before; the truth has ``rows_with_a_past``, a mask."""
        if attack.data is None or attack.rows is None:
            raise NotApplicableError("needs all rows of the data set, which stand before those that are attacked")
        if sparse.issparse(attack.data.X):
            raise NotApplicableError("faults of values need dense data: in sparse data they would fill the zeros")
        whose = column_codes(self._column(attack.data, self.entity))
        when = column_moments(self._column(attack.data, self.time), self.time, "stale")
        donors = earlier_rows(whose, when, ~np.isnan(attack.data.X))[attack.rows]
        struck = self.chosen.strike(attack, np.ones(attack.X.shape[1], dtype=bool), "columns")
        if not (donors >= 0).any():
            raise NotApplicableError(f"no row has an earlier one of the same {self.entity}")
        past = attack.data.X[np.maximum(donors, 0), np.arange(attack.X.shape[1])]
        struck.entries[donors < 0] = False
        return replaced(attack, struck, past, {"rows_with_a_past": (donors >= 0).any(axis=1)})

    @staticmethod
    def _column(data: Data, name: str) -> np.ndarray | Categories:
        try:
            return find_column(data, name)
        except ValueError as error:
            raise NotApplicableError(str(error)) from None


def earlier_rows(whose: np.ndarray, when: np.ndarray, known: np.ndarray) -> np.ndarray:
    """For each row and column the latest earlier row of the same entity that knows the column, -1 where there is none.

    Parameters
    ----------
    whose : ndarray of int, shape (n_rows,)
        Entities; -1 is nobody.
    when : ndarray of int, shape (n_rows,)
    known : ndarray of bool, shape (n_rows, n_columns)

    Returns
    -------
    ndarray of int, shape (n_rows, n_columns)
    """
    order = np.lexsort((when, whose))
    places = np.arange(len(order))
    new_entity = np.r_[True, np.diff(whose[order]) != 0]
    new_time = new_entity | np.r_[True, np.diff(when[order]) != 0]
    # Where each row's entity begins, and the last place before its time.
    begins = np.maximum.accumulate(np.where(new_entity, places, 0))
    before = np.maximum.accumulate(np.where(new_time, places, 0)) - 1
    latest = np.maximum.accumulate(np.where(known[order], places[:, None], -1), axis=0)[before]
    there = (before >= begins)[:, None] & (latest >= begins[:, None]) & (whose[order] >= 0)[:, None]
    found = np.full(known.shape, -1)
    found[order] = np.where(there, order[latest], -1)
    return found
