"""What the faults make of one column of a table that a model is asked about: what audits of a model try.

Each takes a column of a table with numbers of rows, as many rows in another order, and the number of one row. What it
returns are new values for the rows, one or one for each, by what they are called; none where the column cannot have
the fault.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import pandas as pd


class Column(Protocol):
    """A column of a table as an audit gives it."""

    values: pd.Series
    kind: str


def _numbers(column: Column) -> np.ndarray:
    return np.asarray(column.values.to_numpy(dtype=float, na_value=np.nan))


def scaled(column: Column, rows: np.ndarray, other: np.ndarray, one: int) -> dict[str, Any]:
    """Another unit, a thousand times as much."""
    if column.kind != "number" or pd.api.types.is_bool_dtype(column.values.dtype):
        return {}
    return {"x 1000": _numbers(column)[rows] * 1000}


def sentinel(column: Column, rows: np.ndarray, other: np.ndarray, one: int) -> dict[str, Any]:
    """0 in all rows, as a code for what is missing."""
    return {"zero": 0.0} if column.kind == "number" else {}


def sampled(column: Column, rows: np.ndarray, other: np.ndarray, one: int) -> dict[str, Any]:
    """The value of another row."""
    if column.kind == "number":
        return {"other row": _numbers(column)[other]}
    return {"other row": column.values.iloc[other].to_numpy(dtype=object)}


def stuck(column: Column, rows: np.ndarray, other: np.ndarray, one: int) -> dict[str, Any]:
    """One row's value in all rows, as of a stuck sensor."""
    return {"stuck": float(_numbers(column)[one]) if column.kind == "number" else column.values.iloc[one]}


def unseen(column: Column, rows: np.ndarray, other: np.ndarray, one: int) -> dict[str, Any]:
    """A category that no row has, and an empty text."""
    return {"unseen": "never seen before", "empty": ""} if column.kind == "category" else {}
