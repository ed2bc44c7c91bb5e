"""A mean over rows that several splits share, with its uncertainty for new rows.

Let d_i be the sum of row i's values over its c_i appearances in test parts, m = sum d_i / sum c_i, G the rows (or
groups of rows, summed first) that appear, and s^2 the variance of the means of R splits. What the rows bring is

    V = sum_i (d_i - c_i m)^2 / (sum_i c_i)^2 * G / (G - 1)

(Bayle, Bayle, Janson and Mackey 2020, for the fitted models; summed over repeated splits here). For methods that are
trained again on other rows, a row also counts by what it does in training parts, and this does not vanish with the
number of splits. To first order, m is a sum over rows of A_i + B_i, by testing and by training, with the variance
sum A_i^2 + sum B_i^2 + 2 sum A_i B_i, of which V is the first term. The others cannot be estimated from some splits
(the corrected resampled t takes them, by assuming a correlation of splits, from s^2), but bounded:

    low      = V + s^2 / min(R, 5)
    variance = max(low, min(s^2 (1 / R + n_test / (M - n_test)), low + V))

- `low` does where training rows matter little. s^2 / R covers what is left to the draw of splits; five splits are the
  most that count, since splits of one data set share training rows.
- Nearest neighbours on few columns need more: a row errs where it is tested and lets its neighbours err where it is
  trained with, so that A_i and B_i agree. The corrected variance (Nadeau and Bengio 2003) then is about right.
- For full trees that one is three times too wide: their splits differ by what is not of single rows, and vanishes as
  1 / R. All that training rows added was V at most in all that was measured, which is the upper bound.

Quantiles are normal, and for groups Student's with G - 1 degrees of freedom. Of a given test part, where rows or groups
may be few and of unequal size h_i = c_i / sum c, each term of V is divided by 1 - h_i instead of (G - 1) / G, and
quantiles are Student's with Satterthwaite's degrees of freedom, (tr S)^2 / tr S^2 (Bell and McCaffrey 2002).

Where values are rates of error or their differences, four more rows are added to V, two in favour of each side (after
Agresti and Coull 1998): without them,
methods that tie on nearly all rows get intervals without width. `bench-calibration-rows` measures all of it. It is
meant for splits of one data set, not for repetitions that draw fresh data each.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from benchkit.statistics.sampling import ADDED_ROWS

MOST_SPLITS = 5
"""Splits of one data set that count as independent draws of training rows, at most."""


@dataclass(frozen=True)
class RowMean:
    """A mean over rows."""

    mean: float  # over all appearances of rows
    of_rows: float  # variance that the rows bring; infinite for a single row or group
    of_splits: float  # variance of the splits' means, s^2; NaN for one split
    splits: int
    units: int  # rows, or groups, that appeared
    grouped: bool = False  # whether groups were counted, not rows
    of_added: float = 0.0  # variance that the added rows bring; 0 where values are no rates
    excess: float = math.inf  # what sharing rows adds to 1/R in the corrected variance, n_test / (M - n_test)
    within: float = math.nan  # variance of one row's values over its appearances; NaN where none appears twice
    n_test: float = math.nan  # rows of a test part, on average
    tested: tuple[int, int] = (1, 1)  # in how many splits a row, or a group, was tested: the fewest, and the most
    given: bool = False  # whether the test part was: a single split then tells of new rows, for the models it fitted
    freedom: float = math.inf  # degrees of freedom of the quantile

    @property
    def variance(self) -> float:
        """Of the mean, for new rows; of one split, for the models that it fitted."""
        return self.variance_after(self.splits)

    def variance_after(self, splits: float) -> float:
        """The variance that so many splits would have, were everything else as it is.

        A row's values over its appearances vary by ``within``, which each appearance divides. What rows differ by
        counts as sum c_i^2 / (sum c_i)^2 does, with c_i the appearances (`_evenness_after`).
        """
        of_rows = self.of_rows
        if splits != self.splits and math.isfinite(of_rows):
            of_values = 0.0 if math.isnan(self.within) else self.within / self.n_test
            between = max(of_rows - of_values / self.splits, 0.0)
            of_rows = between * self._evenness_after(splits) + of_values / splits
        if math.isnan(self.of_splits):
            return of_rows + self.of_added
        low = of_rows + self.of_splits / min(splits, MOST_SPLITS)
        # No variation between splits says nothing against any correlation: 0 times infinity is no number.
        corrected = self.of_splits * (1 / splits + self.excess) if self.of_splits else 0.0
        return max(low, min(corrected, low + of_rows)) + self.of_added

    def _evenness_after(self, splits: float) -> float:
        """By how much sum c_i^2 / (sum c_i)^2 would shrink with so many splits: more rows are tested, and more evenly.

        Where a row is tested in each split with the probability p, it is ((1 - p) / (R p) + 1) / M; where splits test
        other rows each time, as those in time do, 1 / (R n_test) until all M rows are. Where rows are tested equally
        often, as by k-fold, it stays 1 / M.
        """
        fewest, most = self.tested
        if self.given or not 0 < self.excess < math.inf or fewest == most > 1:
            return 1.0
        if most == 1:
            return max(self.splits / splits, self.splits * self.excess / (1 + self.excess)) if self.splits > 1 else 1.0
        return (1 / (splits * self.excess) + 1) / (1 / (self.splits * self.excess) + 1)


def mean_over_rows(
    parts: Sequence[tuple[np.ndarray, np.ndarray]],
    groups: Sequence[np.ndarray] | None = None,
    excess: float = math.inf,
    given: bool = False,
    rates: bool = True,
) -> RowMean:
    """The mean of values that rows have in the test parts of several splits.

    Parameters
    ----------
    parts : sequence of (rows, values)
        For each split, the numbers of its test rows in the data set, shape (n_test,), and a value for each.
    groups : sequence of ndarray of shape (n_test,), optional
        For each split, the group of each of its test rows; rows of one group count as one.
    excess : float, default=inf
        `Sampling.ratio`; infinite where it is not known, which gives the widest interval; 0 where no row is both
        trained on and tested.
    given : bool, default=False
        Whether the test part is the same in all splits, and no draw.
    rates : bool, default=True
        Whether values of -1, 0 and 1 alone are rates of rows, or their differences, and no means of such.
    """
    rows = np.concatenate([rows for rows, _ in parts])
    values = np.concatenate([np.asarray(values, dtype=float) for _, values in parts])
    _, place = np.unique(rows if groups is None else np.concatenate(list(groups)), return_inverse=True)
    appearances, summed = np.bincount(place), np.bincount(place, weights=values)
    mean, units = float(values.mean()), len(appearances)
    again = len(values) - units
    ends = np.cumsum([0, *(len(rows) for rows, _ in parts)])
    splits_of_units = np.concatenate([np.unique(place[start:end]) for start, end in pairwise(ends)])
    tested = np.bincount(splits_of_units)
    # Values of -1, 0 and 1 alone are rates; where all of another loss's differences are 0, to add rows errs on the wide
    # side.
    rates = rates and bool(np.isin(values, (-1.0, 0.0, 1.0)).all())
    of_rows, freedom = math.inf, math.inf if groups is None else units - 1.0
    squares = np.square(summed - appearances * mean) / len(values) ** 2
    if units > 1 and given:
        shares = appearances / appearances.sum()
        of_rows, freedom = float((squares / (1 - shares)).sum()), trace(shares) ** 2 / overlap(shares, shares)
    elif units > 1:
        of_rows = float(squares.sum()) * units / (units - 1)
    return RowMean(
        mean=mean,
        of_rows=of_rows,
        of_splits=float(np.var([np.mean(losses) for _, losses in parts], ddof=1)) if len(parts) > 1 else math.nan,
        splits=len(parts),
        units=units,
        within=float(np.square(values - (summed / appearances)[place]).sum()) / again if again else math.nan,
        n_test=len(values) / len(parts),
        tested=(int(tested.min()), int(tested.max())),
        grouped=groups is not None,
        of_added=ADDED_ROWS / len(np.unique(rows)) ** 2 if rates else 0.0,
        excess=excess,
        given=given,
        freedom=freedom,
    )


def trace(h: np.ndarray) -> float:
    """That of S, the influences' covariance for shares h, were the units' means independent with variance 1."""
    return float((h**2 / (1 - h) * (1 - 2 * h + (h**2).sum())).sum())


def overlap(h: np.ndarray, k: np.ndarray) -> float:
    """tr(S T), of the influences' covariances for shares h and k, were the units' means independent with variance 1.

    With a = h / sqrt(1 - h), S is A C C' A for C = I - 1 h'; with b = a_h a_k, tr(S T) is the sum of squares of
    diag(b) - h b' - b k' + sum(b) h k' = diag(b) + U V'.
    """
    b = h * k / np.sqrt((1 - h) * (1 - k))
    U, V = np.column_stack([h, b]), np.column_stack([b.sum() * k - b, -k])
    return float((b**2).sum() + 2 * (b[:, None] * U * V).sum() + ((U.T @ U) * (V.T @ V)).sum())


def has_mean(values: np.ndarray, mean: float | None) -> bool:
    """Whether rows' values have this mean, as far as 32 bits go."""
    size = float(np.abs(values).max())
    return mean is not None and math.isclose(float(values.mean(dtype=float)), mean, rel_tol=1e-6, abs_tol=1e-6 * size)
