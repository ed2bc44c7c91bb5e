"""Means and shares of independent rows: intervals and tests, of one answer and of two to the same rows."""

import numpy as np


def wilson_interval(successes: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927, without continuity correction); without rows [0, 1]."""
    from scipy.stats import binomtest

    if n == 0:
        return 0.0, 1.0
    interval = binomtest(round(successes), n).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


def score_intervals(first: np.ndarray, second: np.ndarray, n: float, critical: float) -> tuple[np.ndarray, np.ndarray]:
    """Score intervals of the difference of two shares of the same rows (Tango 1998, "Equivalence test and confidence
    interval for the difference in proportions for the paired-sample design", equations 5 to 9).

    All differences delta that the score test does not reject: with the probabilities that are most likely given delta,
    ``|first - second - n delta| <= critical sqrt(n (2 p01 + delta (1 - delta)))``. At delta = 0 it is McNemar's test.
    Where no row differs the interval is ``critical^2 / (n + critical^2)`` on both sides, and no point. That of 95 %
    covers the difference in 93.0 % at least, of 10 to 200 rows whose shares of either kind are 0 to 0.5.

    Parameters
    ----------
    first, second : ndarray
        Rows that are right in the first answer alone, and in the second alone; of one shape.
    n : float
        All rows; [-1, 1] of none.
    critical : float
        Of the standard normal distribution; of several pairs at once, of the largest.

    Returns
    -------
    low, high : ndarrays of the same shape
        Of the first share less the second, within [-1, 1].
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if n == 0:
        return np.full(first.shape, -1.0), np.full(first.shape, 1.0)

    def end(value: float) -> np.ndarray:
        low, high = np.full(first.shape, -1.0), np.full(first.shape, 1.0)
        for _ in range(50):  # the statistic falls as delta grows
            delta = (low + high) / 2
            b = (2 * n - first + second) * delta - first - second
            root = np.sqrt(np.maximum(b**2 + 8 * n * second * delta * (1 - delta), 0.0))
            variance = n * ((root - b) / (2 * n) + delta * (1 - delta))
            above = (first - second - n * delta) / np.sqrt(np.maximum(variance, 1e-12)) > value
            low, high = np.where(above, delta, low), np.where(above, high, delta)
        return np.asarray((low + high) / 2)

    return end(critical), end(-critical)
