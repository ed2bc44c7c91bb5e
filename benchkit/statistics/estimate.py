"""A mean with its uncertainty: intervals, tests, many at once, and what no number of repetitions decides.

Repetitions that all tie (`tied_from`): values that count no rows, such as coefficients, tie only where methods do the
same thing. Rates of error tie wherever no test row happens to tell two methods apart. Where d rows of a test part do so
on average, and rows err independently, n repetitions all tie with a probability of exp(-d n) at most: a difference of
`UNSEEN` rows (0.15 % of 100) stays unseen with less than 5 % from ln(20) / `UNSEEN` = 20 repetitions on.

What no number of repetitions will decide on new rows (`out_of_reach`): the interval narrows to z sigma sqrt(excess)
(`benchkit.statistics.sampling`), with sigma the standard deviation from split to split. Nothing is said before the
whole interval of the mean, on these rows, lies too near to what is to be decided, by the lower end of sigma's interval,
s sqrt((n - 1) / chi2). Each is wrong on its side in 2.5 % of the cases at most, so what is said is wrong in 5 %. Where
rows are known one by one, the lower end of what they bring (`benchkit.statistics.row_differences`) takes sigma's place.

The mean over data sets (`pooled`): nothing pairs the third split of one with the third of another. The mean of K means,
with weights w_k, errors s_k / sqrt(R_k) and quantiles t_k of Student's t with R_k - 1 degrees of freedom, lies within

    sqrt(sum_k t_k^2 w_k^2 s_k^2 / R_k)

of what it estimates in 95 % of the cases or more (Banerjee 1960, Sankhya 22, 357-358; equal to Student's interval for
one data set). Welch's degrees of freedom would be narrower, and miss too often beside a data set of three repetitions:
7.5 % of the intervals, by simulation, where these miss 5.1 % at most (two to five data sets of 3 to 100 repetitions,
spreads from equal to one ten times the others, 20,000 draws each).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import fmean
from typing import Literal

from benchkit.statistics.row_differences import RowMean
from benchkit.statistics.sampling import Sample, rounded

FEWEST = 3
"""Repetitions below which nothing is decided."""
LEVEL = 0.95
Range = tuple[float, float]
UNLIMITED: Range = (-math.inf, math.inf)


@lru_cache(maxsize=16384)
def t_quantile(level: float, freedom: float) -> float:
    """Quantile that leaves (1 - level) / 2 above it in Student's t distribution; in the normal one without an end."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def t_tail(distance: float, error: float, freedom: float) -> float:
    """Probability that Student's t exceeds the distance in standard errors; without an error 0 or 1."""
    from scipy.special import stdtr

    if error == 0:
        return 0.0 if distance > 0 else 1.0
    return float(stdtr(freedom, -distance / error))


def welch(error: float, other: float, freedom: float) -> float:
    """Degrees of freedom of a difference of two independent means, each of whose standard errors has as many."""
    ours, theirs = error**2, other**2
    return freedom * (ours + theirs) ** 2 / (ours**2 + theirs**2) if ours + theirs > 0 else freedom


def mean_and_error(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean, and its standard error from the sample standard deviation (None below two values)."""
    n = len(values)
    if n == 0:
        return None, None
    mean = rounded(fmean(values), max(map(abs, values)))
    # statistics.stdev works in fractions: exact, and twenty times slower.
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n) if n > 1 else None


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
    freedom : float
        Degrees of freedom: one less than the values; infinite for rows.
    rows : RowMean or None
        Where the values are means over rows that are known one by one: ``mean`` and ``stderr`` are its then.
    parts : tuple of (float, Estimate)
        Of a mean over data sets, their weights, which add up to 1, and means.
    """

    mean: float
    stderr: float
    n: int
    sample: Sample
    freedom: float
    rows: RowMean | None = None
    parts: tuple[tuple[float, Estimate], ...] = ()

    @property
    def decides(self) -> bool:
        """Whether anything can follow from it: three repetitions or more of known dependence, or a given test part.

        Repetitions that all agree are certain only where the numbers of rows are known.
        """
        return self.testable and (self.stderr > 0 or self.sample.sampled)

    @property
    def testable(self) -> bool:
        """Whether there are values enough, and something is known of how they vary."""
        return self.enough and math.isfinite(self.stderr)

    @property
    def enough(self) -> bool:
        """Whether there are three repetitions, or a given test part, of which one tells as much of new rows as any."""
        return self.n >= FEWEST or (self.rows is not None and self.rows.given)

    def ties(self, level: float = LEVEL) -> bool:
        """Whether two methods were the same in every one of so many repetitions that no other is expected."""
        return self.n >= tied_from(self.sample.counts_rows, level) and not any(self.sample.values)

    def half_width(self, level: float) -> float:
        """Half the width of the two-sided interval; NaN below two values of any data set."""
        if self.parts:
            return math.hypot(*(weight * mean.half_width(level) for weight, mean in self.parts))
        return t_quantile(level, self.freedom) * self.stderr if self.stderr else 0.0

    def interval(self, level: float = LEVEL, limits: Range = UNLIMITED) -> Range:
        """Two-sided interval within the limits of what is measured.

        NaN below two values; the limits themselves where nothing can be said.
        """
        half = self.half_width(level)
        if math.isnan(half):
            return half, half
        low, high = (rounded(end, abs(self.mean) + half) for end in (self.mean - half, self.mean + half))
        return max(low, limits[0]), min(high, limits[1])

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
        if not self.decides:
            return 1.0
        if not self.parts or self.stderr == 0:
            return t_tail(distance, self.stderr, self.freedom)
        from scipy.optimize import brentq

        # The p-value whose interval ends at the distance: of a level from 0 to as sure as floats can tell.
        most, size = 1 - 1e-12, abs(distance)
        within = self.half_width(most) <= size
        level = most if within else brentq(lambda level: self.half_width(level) - size, 0.0, most, xtol=1e-14)
        outside = (1 - level) / 2
        return float(outside if distance > 0 else 1 - outside)


def spread_of(estimate: Estimate) -> tuple[float, float]:
    """Sample standard deviation, and the mean over it (Cohen's d of paired samples); NaN where they are not defined."""
    _, error = mean_and_error(estimate.sample.values)
    if error is None:
        return math.nan, math.nan
    spread = error * math.sqrt(estimate.n)
    return spread, estimate.mean / spread if spread else math.nan


def estimate(sample: Sample, rows: RowMean | None = None) -> Estimate | None:
    """Mean of a sample with its uncertainty; None where it is empty.

    Where the rows of the same mean are known one by one, its variance is theirs, which is smaller and surer.
    """
    # 0.3 - 0.1 and 0.5 - 0.3 differ in their last bits only.
    size = max(map(abs, sample.values), default=0.0)
    values = [rounded(value, size) for value in sample.values]
    mean, error = mean_and_error(values)
    if mean is None:
        return None
    n = len(values)
    if rows is not None and (rows.given or (n > 1 and math.isfinite(sample.excess))):
        return Estimate(mean, math.sqrt(rows.variance), n, sample, rows.freedom, rows)
    if error is None or not math.isfinite(sample.excess):
        return Estimate(mean, math.nan if error is None else math.inf, n, sample, n - 1)
    variance = error**2 * n * (1 / n + sample.excess) + sample.row_variance
    unknown = n < FEWEST and not variance and any(values)  # two that agree do not tell a spread, which is hardly none
    return Estimate(mean, math.inf if unknown else math.sqrt(variance), n, sample, n - 1)


def pooled(parts: Sequence[tuple[float, Estimate]]) -> Estimate:
    """The mean of data sets' means, by weights that add up to 1; see the head of this module.

    Its ``n`` are the repetitions of the data set that has fewest.
    """
    samples = [part.sample for _, part in parts]
    together = Sample(
        [value for sample in samples for value in sample.values],
        max(sample.excess for sample in samples),
        sampled=all(sample.sampled for sample in samples),
    )
    mean = math.fsum(weight * part.mean for weight, part in parts)
    error = math.sqrt(math.fsum((weight * part.stderr) ** 2 for weight, part in parts))
    fewest = min(part.n for _, part in parts)
    return Estimate(mean, error, fewest, together, fewest - 1, parts=tuple(parts))


UNSEEN = 0.15
"""Rows of a test part by which methods may differ although all repetitions tie."""


def tied_from(counts_rows: bool, level: float = LEVEL) -> int:
    """Repetitions from which on exact ties count as alike, by whether values count test rows.

    The level is closer to 1 where several comparisons share their 5 %.
    """
    return math.ceil(-math.log(1 - level) / UNSEEN) if counts_rows else FEWEST


APART: tuple[Range, ...] = ((-math.inf, 0.0), (0.0, math.inf))
"""Answers to the question which of two methods is better."""


def out_of_reach(mean: Estimate, answers: Iterable[Range], level: float = LEVEL) -> bool:
    """Whether the mean on new rows will be shown to lie within none of the answers, however many repetitions there are.

    Answers are intervals, of which an end may be infinite; one of them must hold the whole interval of this level.
    """
    if mean.rows is not None and mean.rows.given:  # the same rows each time
        low, high = mean.interval(level)
        return not any(start <= low and high <= end for start, end in answers)
    if mean.n < FEWEST or not mean.sample.excess:
        return False
    if math.isinf(mean.sample.excess):
        return mean.sample.sampled  # every repetition tests on all rows
    spread, _ = spread_of(mean)
    least = _least_spread(spread, mean.n) * math.sqrt(mean.sample.excess)
    if mean.rows is not None:
        units = mean.rows.units
        least = _least_spread(math.sqrt(mean.rows.variance_after(math.inf)), units) if units > 1 else 0.0
    half = t_quantile(LEVEL, mean.n - 1) * math.sqrt(spread**2 / mean.n + mean.sample.row_variance)
    width = t_quantile(level, math.inf) * least
    low, high = mean.mean - half, mean.mean + half
    return all(max(low, start + width) >= min(high, end - width) for start, end in answers)


MOST_REPETITIONS = 1000
"""More of them are not asked for."""


def surely(gain: Estimate) -> int:
    """1 where a gain is significant, -1 where it is significantly a loss, else 0."""
    low, high = gain.interval(LEVEL) if gain.decides else (0.0, 0.0)
    return (low > 0) - (high < 0)


def to_decide(mean: Estimate, level: float = LEVEL) -> tuple[float, float]:
    """How many values would show that the mean is not 0, or how many times as many rows with as many values.

    Mean and spread then are what they are; n values narrow the interval as `Sample` and `RowMean.variance_after` say.
    Infinite where no such number suffices; NaN where that is not known: below three values, and for a mean over data
    sets.
    """
    if mean.parts or not mean.enough or not math.isfinite(mean.stderr):
        return math.nan, math.nan
    if not mean.mean:
        return math.inf, math.inf
    spread, _ = spread_of(mean)

    def error_after(n: float) -> float:
        if mean.rows is not None:
            return math.sqrt(mean.rows.variance_after(n))
        return math.sqrt(spread**2 * (1 / n + mean.sample.excess) + mean.sample.row_variance)

    def half_width(n: int) -> float:
        return t_quantile(level, mean.freedom if mean.rows is not None else n - 1) * error_after(n)

    given = mean.rows is not None and mean.rows.given
    numbers = range(max(FEWEST, mean.n), max(FEWEST, mean.n) + (1 if given else MOST_REPETITIONS))
    n = next((n for n in numbers if half_width(n) < abs(mean.mean)), math.inf)
    return n, (mean.half_width(level) / mean.mean) ** 2


def _least_spread(spread: float, n: int) -> float:
    """Lower end of the standard deviation's two-sided interval."""
    from scipy.special import chdtri

    return spread * math.sqrt((n - 1) / float(chdtri(n - 1, (1 - LEVEL) / 2)))


def holm(pvalues: Sequence[float], family: int | None = None) -> list[float]:
    """Holm's step-down adjustment (Holm 1979): those below alpha are safe to reject together.

    They may have been chosen from a larger family of tests. The j-th smallest of the chosen has rank j or more in the
    whole family, so that the factor family - j + 1 is at least Holm's.
    """
    size = len(pvalues) if family is None else max(family, len(pvalues))
    order = sorted(range(len(pvalues)), key=lambda position: pvalues[position])
    adjusted, floor = [0.0] * len(pvalues), 0.0
    for rank, position in enumerate(order):
        floor = max(floor, min(1.0, (size - rank) * pvalues[position]))
        adjusted[position] = floor
    return adjusted


Relation = Literal["better", "worse", "equivalent", "undecided"]


def p_equivalent(estimate: Estimate, margin: float) -> float:
    """Two one-sided tests (Schuirmann 1987): p-value against the true mean being outside [-margin, margin]."""
    return max(estimate.p_above(-margin), estimate.p_below(margin))


def p_beyond(estimate: Estimate, margin: float) -> float:
    """Two-sided p-value against the true mean being within [-margin, margin]."""
    return min(1.0, 2 * min(estimate.p_above(margin), estimate.p_below(-margin)))


def relations(
    estimates: Sequence[Estimate], margin: float, greater_is_better: bool, alpha: float, family: int | None = None
) -> list[Relation]:
    """What each difference (algorithm minus reference) says, by Holm's correction over the family.

    ``better`` and ``worse`` are by more than the margin; ``equivalent`` lies within it; anything else is undecided.
    """
    beyond = holm([p_beyond(difference, margin) for difference in estimates], family)
    within = holm([p_equivalent(difference, margin) for difference in estimates], family)
    ahead: list[Relation] = ["better" if (mean.mean > 0) == greater_is_better else "worse" for mean in estimates]
    return [
        "equivalent" if alike < alpha else relation if apart < alpha else "undecided"
        for relation, apart, alike in zip(ahead, beyond, within, strict=True)
    ]
