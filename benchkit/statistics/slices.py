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

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from benchkit.statistics.estimate import t_quantile, t_tail
from benchkit.statistics.row_differences import MOST_SPLITS, overlap, trace

FEWEST_ROWS = 10
"""Different rows below which a slice, or the rest, is not tested."""

FEWEST_GROUPS = 5
"""Different groups below which a slice, or the rest, is not tested."""

_WORTH = 2.0  # of the variance by groups over that by rows; with 1, slices of few patients were covered in 91 %

Parts = Sequence[tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True)
class SliceMean:
    """The mean of a slice beside that of the rest."""

    rows: int  # different rows of the slice that were tested
    mean: float  # over all appearances of its rows, with the ends of its 95 % interval for new rows, or groups
    low: float
    high: float
    rest: float  # mean over all other rows; NaN where there is none
    difference: float  # slice minus rest
    p: float  # two-sided, not adjusted; NaN where a side has fewer than `FEWEST_ROWS` or `FEWEST_GROUPS`
    groups: int | None = None  # different groups that the rows are of; None where rows are drawn, not groups


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

    @property
    def shares(self) -> np.ndarray:
        """h_g of each unit."""
        return np.asarray(self.counts / self.counts.sum())

    def influences(self) -> np.ndarray:
        """u_g of each unit; infinite for a single one."""
        shares = self.shares
        with np.errstate(divide="ignore", invalid="ignore"):
            influences = (self.sums - self.counts * self.mean) / self.counts.sum() / np.sqrt(1.0 - shares)
        return np.where(shares < 1, influences, np.inf)

    def variance(self) -> float:
        return float((self.influences() ** 2).sum())


def slice_mean(
    parts: Parts,
    inside: np.ndarray,
    limits: tuple[float, float] = (-math.inf, math.inf),
    level: float = 0.95,
    groups: Sequence[np.ndarray] | None = None,
) -> SliceMean | None:
    """The mean of the rows that are inside, of shape (n_rows,) of bool; None where none of them was tested.

    ``parts`` are, for each split, the numbers of its test rows and a value for each; ``limits`` what a row can have;
    ``groups``, for each split, the group of each of its test rows, where whole groups are drawn.
    """
    rows = np.concatenate([rows for rows, _ in parts])
    values = np.concatenate([np.asarray(values, dtype=float) for _, values in parts])
    split = np.repeat(np.arange(len(parts)), [len(rows) for rows, _ in parts])
    drawn = rows if groups is None else np.concatenate(list(groups))
    within = inside[rows]
    if not within.any():
        return None
    here, ours = _side(rows, drawn, values, within, limits)
    means = [values[own].mean() for number in range(len(parts)) if (own := within & (split == number)).any()]
    variance = ours.variance() + _of_splits(means)
    half = math.inf
    if here.units > 1 and math.isfinite(variance):
        half = t_quantile(level, _freedom([(ours, here)])) * math.sqrt(variance) if variance else 0.0
    low, high = max(here.mean - half, limits[0]), min(here.mean + half, limits[1])
    units = None if groups is None else here.units
    if within.all():
        return SliceMean(here.rows, here.mean, low, high, math.nan, math.nan, math.nan, units)
    there, theirs = _side(rows, drawn, values, ~within, limits)
    difference, p = here.mean - there.mean, math.nan
    fewest = 2 if groups is None else FEWEST_GROUPS
    if min(here.rows, there.rows) >= FEWEST_ROWS and min(here.units, there.units) >= fewest:
        sides = [(values[own & within], values[own & ~within]) for own in (split == n for n in range(len(parts)))]
        both = [own.mean() - other.mean() for own, other in sides if len(own) and len(other)]
        added = np.zeros(len(ours.counts) - len(here.counts))  # the added rows of one side are none of the other's
        other, others = np.split(theirs.influences(), [len(here.counts)])
        apart = np.append(ours.influences(), added) - np.concatenate([other, added, others])
        error = math.sqrt(float((apart**2).sum()) + _of_splits(both))
        p = min(1.0, 2 * t_tail(abs(difference), error, _freedom([(ours, here), (theirs, there)])))
    return SliceMean(here.rows, here.mean, low, high, there.mean, difference, p, units)


def _side(
    rows: np.ndarray, drawn: np.ndarray, values: np.ndarray, within: np.ndarray, limits: tuple[float, float]
) -> tuple[_Side, _Side]:
    """The appearances within by what is drawn, and the same with a row more at either limit."""

    def by(units: np.ndarray) -> _Side:
        _, place = np.unique(units, return_inverse=True)
        sums = np.bincount(place, weights=np.where(within, values, 0.0))
        return _Side(np.bincount(place, weights=within.astype(float)), sums, n_rows)

    n_rows = len(np.unique(rows[within]))
    side = by(drawn)
    if not all(map(math.isfinite, limits)):
        return side, side
    worth = 1.0
    if drawn is not rows:
        of_rows, largest = by(rows).variance(), n_rows / side.units
        worth = min(max(_WORTH * side.variance() / of_rows, 1.0), largest) if 0 < of_rows < math.inf else largest
    added = max(1, round(int(within.sum()) / n_rows)) * worth
    return side, _Side(np.append(side.counts, [added] * 2), np.append(side.sums, added * np.array(limits)), n_rows)


def _of_splits(means: Sequence[float]) -> float:
    return float(np.var(means, ddof=1)) / min(len(means), MOST_SPLITS) if len(means) > 1 else 0.0


def _freedom(sides: Sequence[tuple[_Side, _Side]]) -> float:
    """Satterthwaite's degrees of freedom, (tr S)^2 / tr S^2, with S the covariance of the units' influences.

    Of each side, with the rows at its limits, which give its variance, and without.
    """
    variances = np.array([widened.variance() for widened, _ in sides])
    shares = [side.shares for _, side in sides]
    scales = variances / [trace(h) for h in shares]
    square = float(scales @ np.array([[overlap(h, k) for k in shares] for h in shares]) @ scales)
    return float(variances.sum() ** 2 / square) if square > 0 else math.inf
