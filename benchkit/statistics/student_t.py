"""Mean, standard error, and the quantiles of Student's t distribution."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean


@lru_cache(maxsize=16384)
def t_quantile(level: float, freedom: float) -> float:
    """Quantile that leaves (1 - level) / 2 above it in Student's t distribution; in the normal one without an end."""
    from scipy.special import ndtri, stdtrit

    if math.isinf(freedom):
        return float(ndtri((1 + level) / 2))
    return float(stdtrit(freedom, (1 + level) / 2))


def welch(error: float, other: float, freedom: float) -> float:
    """Degrees of freedom of a difference of two independent means, each of whose standard errors has as many."""
    ours, theirs = error**2, other**2
    return freedom * (ours + theirs) ** 2 / (ours**2 + theirs**2) if ours + theirs > 0 else freedom


def mean_and_error(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean, and its standard error from the sample standard deviation (None below two values)."""
    if not values:
        return None, None
    n = len(values)
    mean = fmean(values)
    if n < 2:
        return mean, None
    # statistics.stdev works in fractions: exact, and twenty times slower.
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)
