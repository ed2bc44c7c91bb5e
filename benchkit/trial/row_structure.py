"""What columns of a data set say of its rows: which belong together, in what order they came, which are tested."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchkit.data.columns import column_codes, column_moments, find_column
from benchkit.plugin.declarations import Categories, Data
from benchkit.suite.schema import Split, TestRows

_MOST_STRATA = 100


@dataclass(frozen=True)
class RowStructure:
    """What a split asks of columns; None where it asks nothing.

    Attributes
    ----------
    groups : ndarray of int of shape (n_samples,) or None
        Rows of one number never stand in two parts.
    moments : ndarray of int of shape (n_samples,) or None
        Places of the rows' dates in their order, from 0; rows of one date share a place.
    strata : ndarray of int of shape (n_samples,) or None
        What keeps its proportions in place of the classes.
    tested : ndarray of bool of shape (n_samples,) or None
        The rows of a given test part.
    """

    groups: np.ndarray | None = None
    moments: np.ndarray | None = None
    strata: np.ndarray | None = None
    tested: np.ndarray | None = None

    @property
    def n_groups(self) -> int | None:
        """How many groups there are."""
        return None if self.groups is None else int(self.groups.max()) + 1


def structure_of(split: Split, data: Data) -> RowStructure:
    """What the columns that a split names say of the rows.

    Raises
    ------
    ValueError
        There is no such column, or it has no groups, order or strata; the message names the key of the split.
    """
    return RowStructure(
        groups=None if split.groups is None else _groups(data, split.groups),
        moments=None if split.time is None else _moments(data, split.time),
        strata=_strata(data, split.stratify) if isinstance(split.stratify, str) else None,
        tested=_tested(split.test, data) if isinstance(split.test, str | TestRows) else None,
    )


def _column(key: str, data: Data, name: str) -> np.ndarray | Categories:
    try:
        return find_column(data, name)
    except ValueError as error:
        raise ValueError(f"split.{key}: {error}") from None


def _groups(data: Data, name: str) -> np.ndarray:
    codes = column_codes(_column("groups", data, name))
    if (missing := codes < 0).any():
        raise ValueError(
            f"split.groups: column {name!r} is missing in {missing.sum()} of {len(codes)} rows, the first in row "
            f"{int(missing.argmax()) + 1}: nobody knows which rows those belong to; fill it, or leave these rows out"
        )
    return codes


def _strata(data: Data, name: str) -> np.ndarray:
    codes = column_codes(_column("stratify", data, name))
    n_strata = len(np.unique(codes))
    if n_strata > _MOST_STRATA:
        raise ValueError(
            f"split.stratify: column {name!r} has {n_strata} different values, more than {_MOST_STRATA}: take a column "
            "of categories"
        )
    return codes


def _moments(data: Data, name: str) -> np.ndarray:
    return column_moments(_column("time", data, name), name, "split.time")


def _tested(test: str | TestRows, data: Data) -> np.ndarray:
    if isinstance(test, str):
        files = data.columns.get(Data.FILE)
        if not isinstance(files, Categories):
            raise ValueError(f"split.test: this data set takes one file alone, and {test} would be another")
        tested: np.ndarray = files.codes == len(files.names) - 1
        return _some(tested, f"{test} has no row with a label")
    column = _column("test", data, test.column)
    if isinstance(column, Categories) or column.dtype.kind in "OUS":
        values = column.values if isinstance(column, Categories) else column
        tested = np.array([value is not None and str(value) == str(test.value) for value in values])
    elif isinstance(test.value, str):
        raise ValueError(f"split.test: column {test.column!r} holds numbers, and {test.value!r} is none")
    else:
        tested = np.asarray(column == test.value)
    return _some(tested, f"column {test.column!r} is {test.value!r} in no row")


def _some(tested: np.ndarray, otherwise: str) -> np.ndarray:
    if not tested.any():
        raise ValueError(f"split.test: {otherwise}")
    if tested.all():
        raise ValueError("split.test: all rows are in the test part, and none is left to train on")
    return tested
