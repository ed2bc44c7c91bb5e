"""A mean with its uncertainty: intervals, and tests against a limit."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchkit.statistics.row_differences import RowMean
from benchkit.statistics.sampling import Sample
from benchkit.statistics.student_t import mean_and_error, t_quantile

FEWEST = 3
"""Repetitions below which nothing is decided."""
LEVEL = 0.95


@dataclass(frozen=True)
class Estimate:
    """Mean of a sample, with Student's t for its uncertainty.

    Attributes
    ----------
    mean : float
    stderr : float
        Square root of s^2 (1/R + excess) + row_variance (see `benchkit.statistics.sampling`); infinite where
        nothing can be said, NaN below two values.
    n : int
        Values.
    sample : Sample
    rows : RowMean or None
        Where the values are means over rows that are known one by one: ``mean`` and ``stderr`` are its then.
    degrees : float or None
        Of freedom, where an error of another mean is in ``stderr``.
    """

    mean: float
    stderr: float
    n: int
    sample: Sample
    rows: RowMean | None = None
    degrees: float | None = None

    @property
    def freedom(self) -> float:
        """Degrees of freedom: one less than the values; infinite for rows."""
        if self.degrees is not None:
            return self.degrees
        return self.n - 1 if self.rows is None else self.rows.freedom

    @property
    def decides(self) -> bool:
        """Whether anything can follow from it: three repetitions or more of known dependence, or a given test part.

        Repetitions that all agree are certain only where the numbers of rows are known.
        """
        return self.enough and math.isfinite(self.stderr) and (self.stderr > 0 or self.sample.sampled)

    @property
    def enough(self) -> bool:
        """Whether there are three repetitions, or a given test part, of which one tells as much of new rows as any."""
        return self.n >= FEWEST or (self.rows is not None and self.rows.given)

    @property
    def ties(self) -> bool:
        """Whether all values are zero: two methods that were the same in every repetition."""
        return not any(round(value, 12) for value in self.sample.values)

    def interval(
        self, level: float = LEVEL, limits: tuple[float, float] = (-math.inf, math.inf)
    ) -> tuple[float, float]:
        """Two-sided interval within the limits of what is measured.

        NaN below two values; the limits themselves where nothing can be said.
        """
        if math.isnan(self.stderr):
            return math.nan, math.nan
        half = t_quantile(level, self.freedom) * self.stderr if self.stderr else 0.0
        return max(self.mean - half, limits[0]), min(self.mean + half, limits[1])

    def p_above(self, limit: float) -> float:
        """One-sided p-value against the true mean being at most the limit."""
        return self._tail(self.mean - limit)

    def p_below(self, limit: float) -> float:
        """One-sided p-value against the true mean being at least the limit."""
        return self._tail(limit - self.mean)

    def p_differs(self, limit: float = 0.0) -> float:
        """Two-sided p-value against the true mean being the limit."""
        return min(1.0, 2 * min(self.p_above(limit), self.p_below(limit)))

    def _tail(self, distance: float) -> float:
        from scipy.special import ndtr, stdtr

        if not self.decides:
            return 1.0
        if self.stderr == 0:
            return 0.0 if distance > 0 else 1.0
        if math.isinf(self.freedom):
            return float(ndtr(-distance / self.stderr))
        return float(stdtr(self.freedom, -distance / self.stderr))


def spread_of(estimate: Estimate) -> tuple[float, float]:
    """Sample standard deviation, and the mean over it (Cohen's d of paired samples); NaN where they are not defined."""
    _, error = mean_and_error(estimate.sample.values)
    if error is None:
        return math.nan, math.nan
    spread = error * math.sqrt(estimate.n)
    return spread, estimate.mean / spread if spread else math.nan


def estimate(sample: Sample, rows: RowMean | None = None) -> Estimate | None:
    """Mean of a sample with its uncertainty; None where it is empty.

    Parameters
    ----------
    sample : Sample
    rows : RowMean, optional
        The same mean over rows that are known one by one, whose variance is smaller and surer.
    """
    # 0.3 - 0.1 and 0.5 - 0.3 differ in their last bits only.
    values = [round(value, 12) for value in sample.values]
    mean, error = mean_and_error(values)
    if mean is None:
        return None
    n = len(values)
    if rows is not None and (rows.given or (n > 1 and math.isfinite(sample.excess))):
        return Estimate(mean, math.sqrt(rows.variance), n, sample, rows)
    if error is None:
        return Estimate(mean, math.nan, n, sample)
    if not math.isfinite(sample.excess):
        return Estimate(mean, math.inf, n, sample)
    variance = error**2 * n * (1 / n + sample.excess) + sample.row_variance
    if n < FEWEST and not variance and any(values):
        return Estimate(mean, math.inf, n, sample)  # two that agree do not tell a spread, which is hardly none
    return Estimate(mean, math.sqrt(variance), n, sample)
