"""A mean over rows that several splits share, with its uncertainty for new rows.

Let d_i be the sum of row i's values over its c_i appearances in test parts, m = sum d_i / sum c_i, G the rows (or
groups of rows, summed first) that appear, and s^2 the variance of the means of R splits. Then

    variance(m) = sum_i (d_i - c_i m)^2 / (sum_i c_i)^2 * G / (G - 1)  +  s^2 / min(R, 10)

with a normal quantile; for groups Student's t with G - 1 degrees of freedom. The first term is the variance that the
rows bring (Bayle, Bayle, Janson and Mackey 2020, for the fitted models; summed over repeated splits here). The second
is what the training parts bring: learners that change with single training rows need it, and since splits of one data
set share those rows it does not vanish with their number, so that R counts for ten at most.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

MOST_SPLITS = 10
"""Splits of one data set that count as independent draws of training rows, at most."""


@dataclass(frozen=True)
class RowMean:
    """A mean over rows.

    Attributes
    ----------
    mean : float
        Over all appearances of rows.
    of_rows : float
        Variance that the rows bring; infinite for a single row or group.
    of_splits : float
        Variance of the splits' means, s^2; NaN for one split.
    splits, units : int
        Splits, and rows (or groups) that appeared.
    within : float
        Variance of one row's values over its appearances; NaN where none appears twice.
    n_test : float
        Rows of a test part, on average.
    grouped : bool
        Whether groups were counted, not rows.
    given : bool
        Whether the test part is one that was given: a single split then tells of new rows, for the models it fitted.
    """

    mean: float
    of_rows: float
    of_splits: float
    splits: int
    units: int
    within: float
    n_test: float
    grouped: bool = False
    given: bool = False

    @property
    def variance(self) -> float:
        """Of the mean, for new rows; of one split, for the models that it fitted."""
        return self.variance_after(self.splits)

    def variance_after(self, splits: float) -> float:
        """The variance that so many splits would have, were everything else as it is.

        A row's values over its appearances vary by ``within``, which each appearance divides; the rest stays.
        """
        of_rows = self.of_rows
        if splits != self.splits and math.isfinite(self.within):
            saved = self.within / self.n_test * (1 / self.splits - 1 / splits)
            of_rows = max(of_rows - saved, 0.0)
        if math.isnan(self.of_splits):
            return of_rows
        return of_rows + self.of_splits / min(splits, MOST_SPLITS)

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the quantile: infinite for rows, one less than the groups for these."""
        return self.units - 1.0 if self.grouped else math.inf


def mean_over_rows(
    parts: Sequence[tuple[np.ndarray, np.ndarray]],
    groups: Sequence[np.ndarray] | None = None,
    given: bool = False,
) -> RowMean:
    """The mean of values that rows have in the test parts of several splits.

    Parameters
    ----------
    parts : sequence of (rows, values)
        For each split, the numbers of its test rows in the data set, shape (n_test,), and a value for each.
    groups : sequence of ndarray of shape (n_test,), optional
        For each split, the group of each of its test rows, as whole numbers; rows of one group count as one.
    given : bool, default=False
        Whether the test part is the same in all splits, and no draw.
    """
    import numpy as np

    every = np.concatenate([rows for rows, _ in parts])
    units = every if groups is None else np.concatenate(list(groups))
    values = np.concatenate([np.asarray(values, dtype=float) for _, values in parts])
    _, place = np.unique(units, return_inverse=True)
    appearances = np.bincount(place)
    summed = np.bincount(place, weights=values)
    mean = float(values.mean())
    n_units = len(appearances)
    over = values - (summed / appearances)[place]
    again = len(values) - len(appearances)
    spread = float(np.square(summed - appearances * mean).sum()) / len(values) ** 2
    means = [float(np.mean(values)) for _, values in parts]
    return RowMean(
        mean=mean,
        of_rows=spread * n_units / (n_units - 1) if n_units > 1 else math.inf,
        of_splits=float(np.var(means, ddof=1)) if len(parts) > 1 else math.nan,
        splits=len(parts),
        units=n_units,
        within=float(np.square(over).sum()) / again if again else math.nan,
        n_test=len(values) / len(parts),
        grouped=groups is not None,
        given=given,
    )
