"""Numbers that rows give, with their intervals: means, differences, slices."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from benchkit import column_slices
from benchkit.statistics.estimate import holm, t_quantile
from benchkit.statistics.independent_rows import score_intervals, wilson_interval
from benchkit.statistics.slices import slice_mean
from benchkit_audit.columns import Column

LEVEL = 0.95
HUGE = 1e7
_FEWEST = 30  # rows of a slice
_ROUNDED = 1e-12


def at_once(n: int) -> float:
    """The level of each of so many intervals that hold at once (Bonferroni)."""
    return 1 - (1 - LEVEL) / n


@dataclass(frozen=True)
class Estimate:
    """A mean over rows with its interval, of infinite ends where these rows are too few for one."""

    value: float
    low: float
    high: float
    n: int  # rows

    def above(self, limit: float) -> bool:
        """Whether it is decided that it exceeds the limit."""
        return self.low > limit

    def below(self, limit: float) -> bool:
        """Whether it is decided that it stays under the limit."""
        return self.high < limit


def number_text(value: float, digits: int = 4) -> str:
    """A number in the unit of a target, of some digits or more; from `HUGE` on with an exponent."""
    return f"{value:.0f}" if 1000 <= abs(value) < HUGE else f"{value:.{digits}g}"


def bare(value: float) -> Estimate:
    """A number without an interval."""
    return Estimate(value, -math.inf, math.inf, 0)


@dataclass(frozen=True)
class Losses:
    """What answers to some rows cost: one value for each row, whose mean is the metric's loss."""

    values: np.ndarray
    kind: str  # as of `benchkit_audit.metrics.Metric`; shares are 0 or 1
    groups: np.ndarray | None = None  # rows of one group are drawn together
    most: float = math.inf  # the largest loss that there is
    few: str = ""  # why these rows give no interval
    cases: int = 0  # rows, or groups, of the class that has fewest; 0 where the metric is of no class
    # Where the loss is a share of some rows, as 1 less recall is of positives: 1 or 0 for these, NaN for all others
    shares: np.ndarray | None = None

    @property
    def fewest(self) -> int:
        """The same, of all rows where the metric is of no class."""
        return self.cases or (len(self.values) if self.groups is None else len(np.unique(self.groups)))

    @property
    def _counted(self) -> np.ndarray | None:
        """What the loss is a share of, where it is one of rows that are drawn alone."""
        return None if self.groups is not None else self.values if self.kind == "shares" else self.shares

    def estimate(self, level: float = LEVEL) -> Estimate:
        """The loss: Wilson's interval of a share of rows, Student's t of others, on the logit of what has two ends.

        Squares are judged on the logarithm: of 200 rows with Student's t of 5 degrees of freedom, Laplace's or normal
        errors intervals of 95 % hold the mean in 93 to 95 % of the cases, those that are symmetric in 90 to 94 %.

        Of 5, 10 and 50 rows Wilson's of 95 % holds shares from .02 to .98 in 95 to 96 % of the cases in the mean, in
        86, 91 and 92 % at least (near an end); the logit's is up to five times as wide, of 1 in 53 [.0003, .56].

        At an end, where all cases are alike, rows tell nothing of how they vary: Wilson's interval of these cases.
        """
        n, value, most = len(self.values), float(self.values.mean()), self.most
        if (counted := self._counted) is not None:
            return Estimate(value, *wilson_interval(np.nansum(counted), np.isfinite(counted).sum(), level), n)
        if self.few:
            return Estimate(value, -math.inf, math.inf, n)
        if not _ROUNDED < value < most - _ROUNDED and math.isfinite(most):
            low, high = wilson_interval(self.fewest if value > most / 2 else 0, self.fewest, level)
            return Estimate(value, most * low, most * high, n)
        error, freedom = self.standard_error(self.values)
        half = t_quantile(level, freedom) * error
        if math.isfinite(most):
            logit, half = math.log(value / (most - value)), min(half * most / (value * (most - value)), 700.0)
            low, high = (most / (1 + math.exp(-end)) for end in (logit - half, logit + half))
            return Estimate(value, low, high, n)
        if self.kind == "squares" and value > 0:
            factor = math.exp(min(half / value, 700.0))
            return Estimate(value, value / factor, value * factor, n)
        return Estimate(value, max(0.0, value - half) if value >= 0 else value - half, value + half, n)

    def less(self, before: Losses, level: float = LEVEL) -> Estimate:
        """How much the loss rises above that of other answers to the same rows, paired.

        Shares of the same rows: the score interval (Tango 1998). Others: as `rise`. No end lies beyond what is left to
        lose, or to gain, at the end of the interval of the other answers' loss.
        """
        from scipy.special import ndtri

        after, other = self._counted, before._counted
        if self.few or before.few or after is None or other is None or (np.isnan(after) != np.isnan(other)).any():
            estimate = self.rise(self.values - before.values, before, level)
        else:
            rise, n = after - other, int(np.isfinite(after).sum())
            worse, better = int((rise > 0).sum()), int((rise < 0).sum())
            ends = score_intervals(np.array(worse), np.array(better), n, float(ndtri((1 + level) / 2)))
            estimate = Estimate((worse - better) / max(n, 1), float(ends[0]), float(ends[1]), len(rise))
        if math.isinf(self.most) or math.isinf(estimate.low):
            return estimate
        limits = before.estimate(level)
        return replace(estimate, low=max(estimate.low, -limits.high), high=min(estimate.high, self.most - limits.low))

    def rise(self, rises: np.ndarray, before: Losses, level: float = LEVEL, share: float = 1.0) -> Estimate:
        """A mean of rises by row, with Student's t, after two rows are added, one usual rise up and one down.

        They keep what changed nothing on these rows from being taken for what never does. Usual is the largest value of
        a row where labels are counted, a standard deviation of others, or their interquartile range where that is
        less: one row that is far off must not make the interval three times as wide. Of it a share, where rises are of
        one.
        """
        n, mean = len(rises), float(rises.mean())
        if self.few or before.few:
            return Estimate(mean, -math.inf, math.inf, n)
        if self.kind in ("shares", "labels"):
            usual = max(float(abs(each.values - each.values.mean()).max()) for each in (self, before))
        else:
            ranges = [np.subtract(*np.quantile(each.values, [0.75, 0.25])) for each in (self, before)]
            stds = [each.values.std() for each in (self, before)]
            usual = float(min(max(stds), max(ranges) or math.inf))
        least = n / self.fewest if math.isfinite(self.most) else 1.0 / n  # a row of the class that has fewest
        error, freedom = self.standard_error(rises, share * (usual or least))
        half = t_quantile(level, freedom) * error
        return Estimate(mean, mean - half, mean + half, n)

    def standard_error(self, values: np.ndarray, usual: float = 0.0) -> tuple[float, float]:
        """The standard error of a mean over rows, or groups of rows, and its degrees of freedom.

        Where few rows may make all of the variance, as of labels and scores, those are Satterthwaite's with the
        kurtosis that the values have, 2 n / (kurtosis - 1): as few rows know it.
        """
        off = values - values.mean()
        if self.groups is not None:
            off = np.bincount(self.groups, off)[np.bincount(self.groups) > 0]
            usual *= len(values) / len(off)
        if usual:
            off = np.append(off, [usual, -usual])
        n, squares = len(off), float(np.square(off).sum())
        if n < 2 or squares == 0:
            return (math.inf, 1.0) if n < 2 else (0.0, n - 1.0)
        excess = n * float((off**4).sum()) / squares**2 - 1
        freedom = n - 1.0 if self.kind == "numbers" or excess <= 0 else min(max(2 * n / excess, 1.0), n - 1.0)
        return math.sqrt(squares * n / (n - 1)) / len(values), freedom


@dataclass(frozen=True)
class Slice:
    """Rows that have something in common, against all others."""

    what: str  # such as ``age at most 31.5`` or ``state = NY``
    mean: Estimate  # within the slice
    others: float  # the mean of all other rows
    p: float  # welch's test after Holm's correction over all slices


def compare_slices(
    columns: Sequence[Column], values: np.ndarray, limits: tuple[float, float], groups: np.ndarray | None = None
) -> list[Slice]:
    """Every slice of every column, those that are worst first; ``groups`` are of the rows."""
    parts, own = [(np.arange(len(values)), values)], None if groups is None else [groups]
    means = [
        (f"{column.name}{each.link}{each.name}", mean)
        for column in columns
        for each in column_slices(column.array())
        if _FEWEST <= each.rows.sum() <= len(values) - _FEWEST
        and (mean := slice_mean(parts, each.rows, limits, groups=own)) is not None
    ]
    adjusted = holm([mean.p for _, mean in means])
    slices = [
        Slice(what, Estimate(mean.mean, mean.low, mean.high, mean.rows), mean.rest, p)
        for (what, mean), p in zip(means, adjusted, strict=True)
    ]
    return sorted(slices, key=lambda each: (each.p >= 0.05, each.others - each.mean.value))
