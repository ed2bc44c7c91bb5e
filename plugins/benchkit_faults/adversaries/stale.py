"""Values of yesterday: caches, feeds that are late, tables that were not refreshed."""

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
from benchkit_faults.adversaries.struck import Strike, replaced


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
