"""How many more items or tasks would tell two methods apart: a range, since the difference itself is uncertain."""

from __future__ import annotations

import math
from statistics import NormalDist

from benchkit.statistics.estimate import LEVEL

FEWEST = 5
"""Units below which nothing is said."""
_MOST = 1_000_000  # units that are worth naming


def units_to_decide(
    statistic: float, units: int, critical: float, pairs: int, level: float = LEVEL
) -> tuple[float, float] | None:
    """Fewest and most units, in all, that would tell a pair apart as likely as not.

    With R = t sqrt(n / (n - 1 + t^2)) and an effect of g standard deviations, R at n units is about
    g sqrt(n / (1 + g^2)), so that q^2 (1 + 1 / g^2) units reach q. The effect is known up to its standard error,
    sqrt((1 + g^2 / 2) / n) (Hedges and Olkin 1985, section 5.B): the range is from one above to one below. The critical
    value is today's at its lower end, and Bonferroni's for all pairs at its upper.

    Parameters
    ----------
    statistic : float
        R of `benchkit.statistics.all_pairs`.
    units : int
    critical : float
        What R must exceed; infinite where there are too few units.
    pairs : int
        Of methods, that are tested at once.
    level : float, default=0.95

    Returns
    -------
    tuple of float or None
        The upper end is infinite where the difference may be none; None below five units.
    """
    if units < FEWEST:
        return None
    r = min(abs(statistic), math.sqrt(units) * (1 - 1e-9))
    effect = r * math.sqrt((units - 1) / (units - r**2)) / math.sqrt(units)
    error = math.sqrt((1 + effect**2 / 2) / units)
    bonferroni = NormalDist().inv_cdf(1 - (1 - level) / (2 * pairs))
    low = _reached(effect + error, min(critical, bonferroni), units)
    high = _reached(effect - error, max(critical, bonferroni) if math.isfinite(critical) else bonferroni, units)
    return low, max(low, high)


def _reached(effect: float, critical: float, units: int) -> float:
    if effect <= 0:
        return math.inf
    needed = max(units + 1, math.ceil(critical**2 * (1 + 1 / effect**2)))
    return float(needed) if needed <= _MOST else math.inf
