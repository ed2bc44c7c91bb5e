"""A mean over the rows of a slice, and how it differs from the mean over all other rows.

Slice and rest share no row, so that the rows' variances of both means (see `benchkit.statistics.row_differences`) add
up. What the training parts bring is the variance s^2 of the splits' own differences, over five of the R splits at most:

    variance(m_slice - m_rest) = v_slice + v_rest + s^2 / min(R, 5)

Slices may be small. The quantile is Student's t with the degrees of freedom of Welch and Satterthwaite. Where values
have limits, as 0 and 1 of an error, v is that of the slice with two more rows, one at either limit (Agresti and Caffo
2000): twenty rows that are all right do not prove that no row is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.statistics.row_differences import MOST_SPLITS, RowMean, mean_over_rows
from benchkit.statistics.student_t import t_quantile

if TYPE_CHECKING:
    import numpy as np

FEWEST_ROWS = 10
"""Different rows below which a slice, or the rest, is not tested."""

Parts = Sequence[tuple["np.ndarray", "np.ndarray"]]


@dataclass(frozen=True)
class SliceMean:
    """The mean of a slice beside that of the rest.

    Attributes
    ----------
    rows : int
        Different rows of the slice that were tested.
    mean, low, high : float
        Of the slice over all appearances of its rows, with its 95 % interval for new rows.
    rest : float
        Mean over all other rows; NaN where there is none.
    difference : float
        Slice minus rest.
    p : float
        Two-sided, not adjusted; NaN where one side has fewer than `FEWEST_ROWS` rows.
    """

    rows: int
    mean: float
    low: float
    high: float
    rest: float
    difference: float
    p: float


def slice_mean(
    parts: Parts,
    inside: np.ndarray,
    limits: tuple[float, float] = (-math.inf, math.inf),
    level: float = 0.95,
) -> SliceMean | None:
    """The mean of the rows that are inside; None where none of them was tested.

    Parameters
    ----------
    parts : sequence of (rows, values)
        For each split, the numbers of its test rows, and a value for each.
    inside : ndarray of bool of shape (n_rows,)
        For each row of the data set.
    limits : tuple of float, default=(-inf, inf)
        Values that a row can have.
    level : float, default=0.95
    """
    import numpy as np

    split = [(inside[rows], rows, np.asarray(values, dtype=float)) for rows, values in parts]
    here = [(rows[within], values[within]) for within, rows, values in split if within.any()]
    there = [(rows[~within], values[~within]) for within, rows, values in split if not within.all()]
    if not here:
        return None
    mean = mean_over_rows(here)
    variance = _of_rows(here, mean, limits) + _of_splits(mean.of_splits, mean.splits)
    half = _half(variance, mean.units - 1, level)
    low, high = max(mean.mean - half, limits[0]), min(mean.mean + half, limits[1])
    if not there:
        return SliceMean(mean.units, mean.mean, low, high, math.nan, math.nan, math.nan)
    rest = mean_over_rows(there)
    difference = mean.mean - rest.mean
    p = math.nan
    if min(mean.units, rest.units) >= FEWEST_ROWS:
        both = [values[within].mean() - values[~within].mean() for within, _, values in split if 0 < within.mean() < 1]
        ours, theirs = _of_rows(here, mean, limits), _of_rows(there, rest, limits)
        of_splits = float(np.var(both, ddof=1)) if len(both) > 1 else math.nan
        p = _p(difference, ours + theirs + _of_splits(of_splits, len(both)), _welch(ours, mean, theirs, rest))
    return SliceMean(mean.units, mean.mean, low, high, rest.mean, difference, p)


def _of_rows(parts: Parts, mean: RowMean, limits: tuple[float, float]) -> float:
    """Variance that the rows bring, with a row at either limit that appears as often as the others do."""
    if not all(map(math.isfinite, limits)):
        return mean.of_rows
    import numpy as np

    often = max(1, round(sum(len(rows) for rows, _ in parts) / mean.units))
    ends = (np.array([-1, -2]), np.array(limits, dtype=float))
    return mean_over_rows([*parts, *[ends] * often]).of_rows


def _of_splits(variance: float, splits: int) -> float:
    return 0.0 if math.isnan(variance) else variance / min(splits, MOST_SPLITS)


def _welch(ours: float, mean: RowMean, theirs: float, rest: RowMean) -> float:
    """Degrees of freedom of a difference of two means (Welch 1947, eq. 28)."""
    weight = ours**2 / (mean.units - 1) + theirs**2 / (rest.units - 1)
    return (ours + theirs) ** 2 / weight if weight else math.inf


def _half(variance: float, freedom: float, level: float) -> float:
    """Half the width of an interval; infinite for one row."""
    if freedom < 1 or not math.isfinite(variance):
        return math.inf
    return t_quantile(level, freedom) * math.sqrt(variance)


def _p(difference: float, variance: float, freedom: float) -> float:
    from scipy.special import ndtr, stdtr

    if variance == 0:
        return 1.0 if difference == 0 else 0.0
    distance = abs(difference) / math.sqrt(variance)
    return float(2 * (ndtr(-distance) if math.isinf(freedom) else stdtr(freedom, -distance)))
