"""Whom it hits: the mean of something per row, within categories and quarters of each column."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from benchkit.auditing.column import Column
from benchkit.auditing.measured import Measured
from benchkit.statistics.holm import holm
from benchkit.statistics.mean_of_rows import mean_interval, welch_pvalue

if TYPE_CHECKING:
    import numpy as np

FEWEST = 30
"""Rows of a slice, at least."""
_MOST_CATEGORIES = 12


@dataclass(frozen=True)
class Slice:
    """Rows that have something in common, against all others.

    Attributes
    ----------
    what : str
        Such as ``age up to 31.5`` or ``state is 'NY'``.
    mean : Measured
        Within the slice.
    others : float
        The mean of all other rows.
    p : float
        Welch's test after Holm's correction over all slices.
    """

    what: str
    mean: Measured
    others: float
    p: float

    @property
    def apart(self) -> float:
        """By how much the slice is worse."""
        return self.mean.value - self.others


def compare_slices(columns: Sequence[Column], rows: np.ndarray, values: np.ndarray) -> list[Slice]:
    """Every slice of every column, those that are worst first.

    Parameters
    ----------
    columns : sequence of Column
    rows : ndarray of int, shape (n_rows,)
    values : ndarray of shape (n_rows,)
        What is compared, such as losses.
    """
    found = [(what, mask) for column in columns for what, mask in _slices(column, rows)]
    adjusted = holm([welch_pvalue(values[mask], values[~mask]) for _, mask in found])
    slices = [
        Slice(what, Measured(*mean_interval(values[mask]), int(mask.sum())), float(values[~mask].mean()), p)
        for (what, mask), p in zip(found, adjusted, strict=True)
    ]
    return sorted(slices, key=lambda each: (each.p >= 0.05, -each.apart))


def _slices(column: Column, rows: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Masks of the rows with their names: categories where there are few values, quarters of others, gaps."""
    import numpy as np

    values = column.values.iloc[rows].reset_index(drop=True)
    enough = range(FEWEST, len(rows) - FEWEST + 1)
    gone = values.isna().to_numpy()
    if gone.sum() in enough:
        yield f"{column.name} is missing", gone
    distinct = values.value_counts()
    if column.kind != "number" or len(distinct) <= _MOST_CATEGORIES:
        for value, count in distinct.head(_MOST_CATEGORIES).items():
            if count in enough:
                yield f"{column.name} is {_shown(value)}", (values == value).fillna(False).to_numpy(dtype=bool)
        return
    numbers = values.to_numpy(dtype=float, na_value=np.nan)
    ends = np.unique(np.nanquantile(numbers, [0.25, 0.5, 0.75]))
    parts = [-np.inf, *ends, np.inf]
    for low, high in pairwise(parts):
        mask = (numbers > low) & (numbers <= high)
        if mask.sum() in enough:
            yield f"{column.name} {_between(low, high)}", mask


def _between(low: float, high: float) -> str:
    if low == -float("inf"):
        return f"up to {high:.4g}"
    return f"above {low:.4g}" if high == float("inf") else f"above {low:.4g}, up to {high:.4g}"


def _shown(value: object) -> str:
    return repr(value)[:40] if isinstance(value, str) else f"{value:.6g}" if isinstance(value, float) else str(value)
