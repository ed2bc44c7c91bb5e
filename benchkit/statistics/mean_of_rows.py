"""The mean of a quantity over independent rows, with its interval and test."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from benchkit.statistics.student_t import t_quantile

if TYPE_CHECKING:
    import numpy as np


def mean_interval(values: np.ndarray, level: float = 0.95) -> tuple[float, float, float]:
    """Mean with Student's t interval: (mean, low, high); infinite ends below two rows.

    Parameters
    ----------
    values : ndarray of shape (n_rows,)
    level : float, default=0.95
    """
    if len(values) == 0:
        return math.nan, -math.inf, math.inf
    mean = float(values.mean())
    if len(values) < 2:
        return mean, -math.inf, math.inf
    half = t_quantile(level, len(values) - 1) * float(values.std(ddof=1)) / math.sqrt(len(values))
    return mean, mean - half, mean + half


def zero_mean_pvalue(values: np.ndarray) -> float:
    """Two-sided p-value of the one-sample t-test against a mean of zero; 1 where nothing varies around zero."""
    from scipy.special import stdtr

    n = len(values)
    if n < 2 or not values.any():
        return 1.0
    error = float(values.std(ddof=1)) / math.sqrt(n)
    if error == 0:
        return 0.0
    return min(1.0, 2 * float(stdtr(n - 1, -abs(float(values.mean())) / error)))
