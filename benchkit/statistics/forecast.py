"""How many repetitions will decide: a range that holds, or nothing.

After R values with mean m and standard deviation s, the mean of R' > R values is predicted by Student's t with R - 1
degrees of freedom around m with the variance s^2 (1/R - 1/R') (a flat prior, the spread staying what it is). The range
goes from the first R' whose interval will leave the limit out with a chance of 10 % to the first with one of 96 %. By
``docs/site/forecast_calibration.py`` (5 to 20 values, independent or sharing rows, true differences from none to one
standard deviation, looked at after each) the number that decided lay within in 83 % of the cases or more, half of the
settings in 98 %; for means over rows that are known one by one in 81 % or more, of few forecasts in each setting (8 to
57).
"""

from __future__ import annotations

import math

from benchkit.statistics.estimate import Estimate, spread_of

FEWEST_FOR_A_FORECAST = 5
"""Repetitions below which no forecast is worth its words."""
_FROM, _TO = 0.1, 0.96
_WIDE = 20  # times the range's beginning: an end beyond says nothing
_MOST = 2000  # repetitions that anybody may run


def repetitions_range(mean: Estimate, limit: float = 0.0, level: float = 0.95) -> tuple[float, float] | None:
    """Between how many repetitions the mean will be set apart from a limit; None where too few tell.

    Parameters
    ----------
    mean : Estimate
    limit : float, default=0
    level : float, default=0.95
        Of the interval that must leave the limit out.

    Returns
    -------
    (float, float) or None
        Of the suite, those done included; an end is infinite where not even so many as anybody may run will do.
    """
    if type(mean) is not Estimate:  # intervals that hold at every look narrow in another way
        return None
    spread, _ = spread_of(mean)
    if mean.n < FEWEST_FOR_A_FORECAST or not round(spread, 12) > 0 or not math.isfinite(mean.stderr):
        return None
    ends = [_first(mean, spread, abs(mean.mean - limit), level, chance) for chance in (_FROM, _TO)]
    return ends[0], ends[1]


def _first(mean: Estimate, spread: float, distance: float, level: float, chance: float) -> float:
    from scipy.special import stdtr

    n = mean.n + 1
    while n <= _MOST:
        half = mean.half_width_after(n, level)
        scale = spread * math.sqrt(1 / mean.n - 1 / n)
        apart = stdtr(mean.n - 1, (distance - half) / scale) + stdtr(mean.n - 1, (-distance - half) / scale)
        if apart >= chance:
            return math.ceil(n / mean.sample.per_repetition)
        n = max(n + 1, math.ceil(1.02 * n))
    return math.inf


def in_words(ends: tuple[float, float] | None, done: float) -> str:
    """What a forecast says of the repetitions to come; empty where there is none.

    Parameters
    ----------
    ends : (float, float) or None
    done : float
        Repetitions so far.
    """
    if ends is None:
        return ""
    low, high = (max(1, math.ceil(end - done)) if math.isfinite(end) else end for end in ends)
    if math.isinf(low):
        return "more repetitions are unlikely to decide"
    if high > _WIDE * low:
        return f"at least {low:.0f} more repetitions would decide, perhaps many more"
    return f"{low:.0f} to {high:.0f} more repetitions would decide" if low < high else f"{low:.0f} more would decide"
