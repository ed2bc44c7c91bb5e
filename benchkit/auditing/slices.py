"""Whom it hits: the mean of something per row, within categories and quarters of each column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.auditing.column import Column
from benchkit.auditing.measured import Measured
from benchkit.report.slices import column_slices
from benchkit.statistics.many_tests import holm
from benchkit.statistics.slices import slice_mean

if TYPE_CHECKING:
    import numpy as np

FEWEST = 30
"""Rows of a slice, at least."""


@dataclass(frozen=True)
class Slice:
    """Rows that have something in common, against all others.

    Attributes
    ----------
    what : str
        Such as ``age at most 31.5`` or ``state = NY``.
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


def compare_slices(
    columns: Sequence[Column], rows: np.ndarray, values: np.ndarray, limits: tuple[float, float]
) -> list[Slice]:
    """Every slice of every column, those that are worst first.

    Parameters
    ----------
    columns : sequence of Column
    rows : ndarray of int, shape (n_rows,)
    values : ndarray of shape (n_rows,)
        What is compared, such as losses.
    limits : (float, float)
        Values that a row can have.
    """
    import numpy as np

    parts = [(np.arange(len(rows)), values)]
    found = [
        (f"{column.name}{each.link}{each.name}", mean)
        for column in columns
        for each in column_slices(column.array(rows))
        if FEWEST <= each.rows.sum() <= len(rows) - FEWEST
        and (mean := slice_mean(parts, each.rows, limits)) is not None
    ]
    adjusted = holm([mean.p for _, mean in found])
    slices = [
        Slice(what, Measured(mean.mean, mean.low, mean.high, mean.rows), mean.rest, p)
        for (what, mean), p in zip(found, adjusted, strict=True)
    ]
    return sorted(slices, key=lambda each: (each.p >= 0.05, -each.apart))
