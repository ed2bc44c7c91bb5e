"""A share of rows with its interval."""

from __future__ import annotations

import math


def wilson_interval(successes: float, n: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval of a share (Wilson 1927, without continuity correction).

    Parameters
    ----------
    successes : float
        Between 0 and n.
    n : int
        Rows; without any, nothing is known and the interval is [0, 1].
    level : float, default=0.95

    Returns
    -------
    (low, high) : tuple of float
    """
    from scipy.special import ndtri

    if n == 0:
        return 0.0, 1.0
    z = float(ndtri((1 + level) / 2))
    share, more = successes / n, z * z / n
    centre = (share + more / 2) / (1 + more)
    half = z / (1 + more) * math.sqrt(share * (1 - share) / n + more / (4 * n))
    return max(0.0, centre - half), min(1.0, centre + half)
