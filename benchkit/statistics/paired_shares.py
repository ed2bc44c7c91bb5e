"""Two answers to the same rows, each right or wrong: how far their error rates differ."""

from __future__ import annotations

import math


def paired_interval(worse: int, better: int, n: int, level: float = 0.95) -> tuple[float, float]:
    """Interval of the difference of two shares of the same rows.

    The Wald interval after half a row is added to each of the four cells (Agresti & Min 2005, section 3, "Wald+2"):
    it keeps its level where few rows differ, and is no point where none does.

    Parameters
    ----------
    worse, better : int
        Rows that are wrong in the second answer alone, and in the first alone.
    n : int
        All rows.
    level : float, default=0.95

    Returns
    -------
    (low, high) : tuple of float
        Of the second share less the first, within [-1, 1].
    """
    from scipy.special import ndtri

    if n == 0:
        return -1.0, 1.0
    z, total = float(ndtri((1 + level) / 2)), n + 2
    apart, differ = worse - better, worse + better + 1
    half = z * math.sqrt(differ - apart**2 / total) / total
    return max(-1.0, apart / total - half), min(1.0, apart / total + half)


def mcnemar_pvalue(worse: int, better: int) -> float:
    """Two-sided p-value of McNemar's exact test: each row that differs is a fair coin if the shares are equal."""
    from scipy.special import bdtr

    differ = worse + better
    return min(1.0, 2 * float(bdtr(min(worse, better), differ, 0.5))) if differ else 1.0
