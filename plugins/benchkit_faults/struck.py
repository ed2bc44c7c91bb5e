"""What faults strike, and rows that others take their values of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from benchkit import AttackContext, AttackResult, Features, NotApplicableError
from benchkit_deletion.threat import column_of


@dataclass(frozen=True)
class Struck:
    """What a fault strikes.

    Attributes
    ----------
    features : ndarray of int, shape (n_struck,)
        In the order in which they are struck.
    entries : ndarray of bool, shape (n_rows, n_columns)
        Where there are values to change: known ones, of the columns that the fault can change.
    """

    features: np.ndarray
    entries: np.ndarray


class Strike:
    """Chooses at random, or from a list, which features a fault strikes, and in which rows.

    Parameters
    ----------
    features : sequence of str or int, optional
        Names of columns or of groups, or column numbers from 0, in the order in which they are struck; None for a
        random order of those that the fault can change. One column of a group stands for all of it.
    probability : float, default=1
        With which each of them is struck in each row, independently.
    """

    def __init__(self, features: Sequence[str | int] | None = None, probability: float = 1.0) -> None:
        if features is not None and (isinstance(features, str) or not isinstance(features, Sequence) or not features):
            raise ValueError(f"features is {features!r}, expected a list of names or column numbers")
        if isinstance(probability, bool) or not 0 < probability <= 1:
            raise ValueError(f"probability is {probability}, expected more than 0, at most 1")
        self.features, self.probability = features, probability

    def order(self, attack: AttackContext, columns: np.ndarray, needs: str) -> np.ndarray:
        """All features that may be struck, in their order.

        Parameters
        ----------
        attack : AttackContext
        columns : ndarray of bool, shape (n_columns,)
            Which columns the fault can change.
        needs : str
            What it needs, for the error.

        Raises
        ------
        NotApplicableError
            The data has no such column.
        ValueError
            A feature is named that is not there, twice, or that the fault cannot change.
        """
        features = attack.features
        possible: np.ndarray = np.asarray(features.sum(columns.astype(int)) > 0)
        drawn = attack.rng.permutation(features.n_features)
        if self.features is None:
            if not possible.any():
                raise NotApplicableError(f"needs {needs}, which the data does not have")
            any_of_them: np.ndarray = drawn[possible[drawn]]
            return any_of_them
        named = [int(features.of_column[column_of(name, attack)]) for name in self.features]
        if len(set(named)) < len(named):
            raise ValueError(f"features names one feature twice: {', '.join(map(str, self.features))}")
        for name, feature in zip(self.features, named, strict=True):
            if not possible[feature]:
                raise ValueError(f"features names {name!r}, but what is struck must be {needs}")
        return np.array(named)

    def strike(self, attack: AttackContext, columns: np.ndarray, needs: str) -> Struck:
        """What ``attack.budget`` features come to; the same is drawn whatever the budget."""
        order = self.order(attack, columns, needs)
        features = attack.features
        hit = np.zeros((attack.X.shape[0], features.n_features), dtype=bool)
        falls: np.ndarray = np.asarray(attack.rng.random(hit.shape) < self.probability)
        struck = order[: int(attack.budget)]
        hit[:, struck] = falls[:, struck]
        return Struck(struck, features.spread(hit) & columns & ~np.isnan(rows_as_loaded(attack)))


def rows_as_loaded(attack: AttackContext) -> np.ndarray:
    """The rows before preprocessing, shape (n_rows, n_columns).

    Raises
    ------
    NotApplicableError
        The data is sparse: a fault is a value where zeros stand.
    """
    if sparse.issparse(attack.X) or sparse.issparse(attack.raw):
        raise NotApplicableError("faults of values need dense data: in sparse data they would fill the zeros")
    return np.asarray(attack.X if attack.raw is None else attack.raw, dtype=float)


def measured(raw: np.ndarray, groups: Sequence[Sequence[int]]) -> np.ndarray:
    """Columns of numbers, shape (n_columns,): all but the zeros and ones of categories, which stand in groups."""
    numbers = np.ones(raw.shape[1], dtype=bool)
    for group in groups:
        if len(group) > 1:
            columns = list(group)
            block = raw[:, columns]
            numbers[columns] = ~(np.isnan(block) | (block == 0) | (block == 1)).all(axis=0)
    return numbers


def replaced(
    attack: AttackContext, struck: Struck, values: np.ndarray, truth: Mapping[str, Any] | None = None
) -> AttackResult:
    """The rows with other values in what was struck, before preprocessing; the truth has ``struck_features``.

    Parameters
    ----------
    attack : AttackContext
    struck : Struck
    values : ndarray that broadcasts to shape (n_rows, n_columns)
        As the data is loaded.
    truth : mapping, optional
        What else there is to tell.

    Raises
    ------
    NotApplicableError
        Preprocessing makes no number of such a value.
    """
    raw = rows_as_loaded(attack)
    told = {"struck_features": struck.features, **(truth or {})}
    rows: np.ndarray = np.asarray(struck.entries.any(axis=1))
    if not rows.any():
        return AttackResult(X=attack.X, y=attack.y, truth=told)
    with np.errstate(all="ignore"):
        seen: np.ndarray = np.asarray(attack.seen(np.where(struck.entries, values, raw)))
    if not np.isfinite(seen[struck.entries]).all():
        raise NotApplicableError("the suite's preprocessing makes no number of what this fault leaves, as log1p of -2")
    return AttackResult(X=np.where(rows[:, None], seen, attack.X), y=attack.y, truth=told)


def known_rows(raw: np.ndarray, features: Features) -> np.ndarray:
    """Which rows have a feature without a gap: shape (n_rows, n_features), from (n_rows, n_columns)."""
    known: np.ndarray = features.sum(np.isnan(raw).astype(int)) == 0
    return known


def first_known(known: np.ndarray, order: np.ndarray) -> np.ndarray:
    """For each feature the first row in the order that has it, the order's first where none does."""
    rows: np.ndarray = order[known[order].argmax(axis=0)]
    return rows


def next_known(known: np.ndarray, keys: np.ndarray) -> np.ndarray:
    """For each row and feature another row that has it: the next in the order of the keys, the first after the last.

    Parameters
    ----------
    known : ndarray of bool, shape (n_rows, n_features)
    keys : ndarray of shape (n_rows, n_features)

    Returns
    -------
    ndarray of int, shape (n_rows, n_features)
        Rows without the feature, and one that alone has it, are their own.
    """
    donors = np.repeat(np.arange(len(known))[:, None], known.shape[1], axis=1)
    for feature in range(known.shape[1]):
        order = np.argsort(keys[:, feature], kind="stable")
        order = order[known[order, feature]]
        donors[order, feature] = np.roll(order, -1)
    return donors
