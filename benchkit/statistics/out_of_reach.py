"""What no number of repetitions of the same rows will decide on new rows.

The interval of a mean on new rows narrows to z sigma sqrt(excess) as repetitions grow (see
`benchkit.statistics.sampling`), with sigma the standard deviation from split to split. Mean and sigma are known
from a few repetitions only, so that nothing is said before the whole interval of the mean, on these rows, lies too near
to what is to be decided, by the lower end of sigma's interval, s sqrt((n - 1) / chi2). Each is wrong on its side in
2.5 % of the cases at most, so what is said is wrong in 5 %. Where rows are known one by one, the interval narrows to
what these rows bring (`benchkit.statistics.row_differences`), whose lower end takes the place of sigma's.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from statistics import NormalDist

from benchkit.statistics.estimate import FEWEST, LEVEL, Estimate, spread_of
from benchkit.statistics.student_t import t_quantile

APART = ((-math.inf, 0.0), (0.0, math.inf))
"""Answers to the question which of two methods is better."""


def out_of_reach(mean: Estimate, answers: Iterable[tuple[float, float]], level: float = LEVEL) -> bool:
    """Whether the true mean will not be shown to lie within any of the answers, however many repetitions there are.

    Parameters
    ----------
    mean : Estimate
        On new rows.
    answers : iterable of (low, high)
        Intervals; an end may be infinite.
    level : float, default=0.95
        Of the interval that must lie within one of them.
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
    width = NormalDist().inv_cdf((1 + level) / 2) * least
    low, high = mean.mean - half, mean.mean + half
    return all(max(low, start + width) >= min(high, end - width) for start, end in answers)


def _least_spread(spread: float, n: int) -> float:
    """Lower end of the standard deviation's two-sided interval."""
    from scipy.special import chdtri

    return spread * math.sqrt((n - 1) / float(chdtri(n - 1, (1 - LEVEL) / 2)))
