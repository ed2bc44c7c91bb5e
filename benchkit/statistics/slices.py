"""A mean over the rows of a slice, and how it differs from the mean over all other rows.

What was drawn are rows, or groups of rows (patients) where the split is by groups. On one side, the slice or the rest,
let D_g be the sum of a group's values over all their appearances in test parts, C_g the number of these, C their sum
over groups, m = sum D_g / C, and h_g = C_g / C. A group counts for

    u_g = (D_g - C_g m) / C / sqrt(1 - h_g)

and may stand on both sides: a patient's visits by day and by night. Then its two terms belong together:

    variance(m_slice)          = sum_g u_g^2                            + s^2 / min(R, 5)
    variance(m_slice - m_rest) = sum_g (u_g of slice - u_g of rest)^2   + s^2 / min(R, 5)

The sums are the cluster-robust variance of a least-squares fit to the slice's indicator, corrected for few clusters as
"CR2" is (Bell and McCaffrey 2002), which has this closed form since the columns of both sides are indicators. For rows
that appear equally often it is the usual n / (n - 1). s^2 is the variance of the splits' own means or differences, over
five of the R splits at most (see `benchkit.statistics.row_differences`): what the training parts bring.

The quantile is Student's t with Satterthwaite's degrees of freedom: those of a sum of squares of the u_g, were each
group's values on a side alike, with the side's variance as it was found. For groups of one size it is the degrees of
freedom of Welch (1947, eq. 28).

Where values have limits, as 0 and 1 of an error, each side has two rows more in its variance, one at either limit
(Agresti and Caffo 2000): twenty rows that are all right do not prove that no row is wrong. Where groups are drawn these
count as twice as many rows as one independent row is worth there: the variance by groups over that by rows, twice, at
least 1 and at most a group's rows; a whole group where nothing varies, since nothing then tells how alike its rows are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.statistics.estimate import t_quantile
from benchkit.statistics.row_differences import MOST_SPLITS

if TYPE_CHECKING:
    import numpy as np

FEWEST_ROWS = 10
"""Different rows below which a slice, or the rest, is not tested."""

FEWEST_GROUPS = 5
"""Different groups below which a slice, or the rest, is not tested."""

_WORTH = 2.0  # of the variance by groups over that by rows; with 1, slices of few patients were covered in 91 %

Parts = Sequence[tuple["np.ndarray", "np.ndarray"]]


@dataclass(frozen=True)
class SliceMean:
    """The mean of a slice beside that of the rest.

    Attributes
    ----------
    rows : int
        Different rows of the slice that were tested.
    mean, low, high : float
        Of the slice over all appearances of its rows, with its 95 % interval for new rows, or groups.
    rest : float
        Mean over all other rows; NaN where there is none.
    difference : float
        Slice minus rest.
    p : float
        Two-sided, not adjusted; NaN where one side has fewer than `FEWEST_ROWS` rows or `FEWEST_GROUPS` groups.
    groups : int or None
        Different groups that the rows are of; None where rows are drawn, not groups.
    """

    rows: int
    mean: float
    low: float
    high: float
    rest: float
    difference: float
    p: float
    groups: int | None = None


@dataclass(frozen=True)
class _Side:
    """The slice, or the rest: for each unit that is drawn, its appearances and the sum of their values."""

    counts: np.ndarray
    sums: np.ndarray
    rows: int

    @property
    def units(self) -> int:
        return int((self.counts > 0).sum())

    @property
    def mean(self) -> float:
        return float(self.sums.sum() / self.counts.sum())

    def influences(self) -> np.ndarray:
        """u_g of each unit; infinite for a single one."""
        import numpy as np

        total = self.counts.sum()
        left = 1.0 - self.counts / total
        with np.errstate(divide="ignore", invalid="ignore"):
            found = (self.sums - self.counts * self.mean) / total / np.sqrt(left)
        return np.where(left > 0, found, np.inf)

    def variance(self) -> float:
        import numpy as np

        return float(np.square(self.influences()).sum())

    def covariance(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Of the influences, were the units' means independent with variance 1: diag(d) + U K U'.

        With h the units' shares and a = h / sqrt(1 - h), cov(u_g, u_k) = a_g a_k (1[g = k] - h_g - h_k + sum h^2).
        """
        import numpy as np

        share = self.counts / self.counts.sum()
        a = share / np.sqrt(1.0 - share)
        weights = np.array([[float(np.square(share).sum()), -1.0], [-1.0, 0.0]])
        return np.square(a), np.column_stack([a, a * share]), weights


def slice_mean(
    parts: Parts,
    inside: np.ndarray,
    limits: tuple[float, float] = (-math.inf, math.inf),
    level: float = 0.95,
    groups: Sequence[np.ndarray] | None = None,
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
    groups : sequence of ndarray of int, optional
        For each split, the group of each of its test rows, where whole groups are drawn.
    """
    import numpy as np

    split = [(inside[rows], np.asarray(values, dtype=float)) for rows, values in parts]
    within = np.concatenate([each for each, _ in split])
    if not within.any():
        return None
    rows = np.concatenate([each for each, _ in parts])
    values = np.concatenate([each for _, each in split])
    drawn = rows if groups is None else np.concatenate(list(groups))
    here, ours = _side(rows, drawn, values, within, limits)
    variance = ours.variance() + _of_splits([own[each].mean() for each, own in split if each.any()])
    half = _half(variance, _freedom([(ours.variance(), here)]) if here.units > 1 else 0.0, level)
    low, high = max(here.mean - half, limits[0]), min(here.mean + half, limits[1])
    units = None if groups is None else here.units
    if within.all():
        return SliceMean(here.rows, here.mean, low, high, math.nan, math.nan, math.nan, units)
    there, theirs = _side(rows, drawn, values, ~within, limits)
    difference = here.mean - there.mean
    p = math.nan
    fewest = 2 if groups is None else FEWEST_GROUPS
    if min(here.rows, there.rows) >= FEWEST_ROWS and min(here.units, there.units) >= fewest:
        both = [own[each].mean() - own[~each].mean() for each, own in split if 0 < each.mean() < 1]
        added = np.zeros(len(ours.counts) - len(here.counts))  # the added rows of one side are none of the other's
        own, other = np.append(ours.influences(), added), theirs.influences()
        other = np.concatenate([other[: len(here.counts)], added, other[len(here.counts) :]])
        variance = float(np.square(own - other).sum()) + _of_splits(both)
        p = _p(difference, variance, _freedom([(ours.variance(), here), (theirs.variance(), there)]))
    return SliceMean(here.rows, here.mean, low, high, there.mean, difference, p, units)


def _side(
    rows: np.ndarray, drawn: np.ndarray, values: np.ndarray, within: np.ndarray, limits: tuple[float, float]
) -> tuple[_Side, _Side]:
    """The appearances within by what is drawn, and the same with a row more at either limit."""
    import numpy as np

    def by(units: np.ndarray) -> _Side:
        _, place = np.unique(units, return_inverse=True)
        sums = np.bincount(place, weights=np.where(within, values, 0.0))
        return _Side(np.bincount(place, weights=within.astype(float)), sums, n_rows)

    n_rows = len(np.unique(rows[within]))
    side = by(drawn)
    if not all(map(math.isfinite, limits)):
        return side, side
    often = max(1, round(int(within.sum()) / n_rows))
    worth = 1.0
    if drawn is not rows:
        of_rows, largest = by(rows).variance(), n_rows / side.units
        worth = min(max(_WORTH * side.variance() / of_rows, 1.0), largest) if 0 < of_rows < math.inf else largest
    counts = np.append(side.counts, [often * worth] * 2)
    return side, _Side(counts, np.append(side.sums, often * worth * np.array(limits)), n_rows)


def _of_splits(means: Sequence[float]) -> float:
    import numpy as np

    return float(np.var(means, ddof=1)) / min(len(means), MOST_SPLITS) if len(means) > 1 else 0.0


def _freedom(sides: Sequence[tuple[float, _Side]]) -> float:
    """Satterthwaite's degrees of freedom, (tr S)^2 / tr S^2, with S the covariance of the units' influences."""
    import numpy as np

    diagonal: np.ndarray = np.zeros(len(sides[0][1].counts))
    columns, weights = [], np.zeros((2 * len(sides), 2 * len(sides)))
    for place, (variance, side) in enumerate(sides):
        own, low_rank, inner = side.covariance()
        of_unit_variance = float(own.sum() + np.trace(inner @ low_rank.T @ low_rank))
        scale = variance / of_unit_variance
        diagonal = diagonal + scale * own
        columns.append(low_rank)
        weights[2 * place : 2 * place + 2, 2 * place : 2 * place + 2] = scale * inner
    factor = np.hstack(columns)
    inner = weights @ (factor.T @ factor)
    trace = float(diagonal.sum() + np.trace(inner))
    crossed = float(np.trace(weights @ (factor.T @ (diagonal[:, None] * factor))))
    square = float(np.square(diagonal).sum()) + 2 * crossed + float(np.trace(inner @ inner))
    return trace**2 / square if square > 0 else math.inf


def _half(variance: float, freedom: float, level: float) -> float:
    """Half the width of an interval; infinite for one row."""
    if freedom <= 0 or not math.isfinite(variance):
        return math.inf
    if variance == 0:
        return 0.0
    return t_quantile(level, freedom) * math.sqrt(variance)


def _p(difference: float, variance: float, freedom: float) -> float:
    from scipy.special import ndtr, stdtr

    if variance == 0:
        return 1.0 if difference == 0 else 0.0
    distance = abs(difference) / math.sqrt(variance)
    return float(2 * (ndtr(-distance) if math.isinf(freedom) else stdtr(freedom, -distance)))
