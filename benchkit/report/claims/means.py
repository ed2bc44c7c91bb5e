"""An algorithm's means at each point on the axis."""

from __future__ import annotations

import math

from benchkit.report.claims.check import Check
from benchkit.report.claims.curves import Curves
from benchkit.report.claims.numbers_in_words import at, with_interval
from benchkit.report.claims.yardstick import Yardstick


def means_within(
    name: str, low: float, high: float, yardstick: Yardstick, algorithms: Curves, where: str
) -> list[Check]:
    """That each of an algorithm's means lies between two ends.

    Parameters
    ----------
    name : str
        The algorithm's.
    low, high : float
    yardstick, algorithms, where
        As for `benchkit.report.claims.checks.checks_of`.
    """
    yardstick = yardstick.between(algorithms, (name,))
    # An end that no value can pass is none: an error of 0 does not lie close to the lower end of [0, 0.005].
    least, most = yardstick.limits
    low, high = -math.inf if low <= least else low, math.inf if high >= most else high
    checks = []
    for axis_value, rows in algorithms.get(name, {}).items():
        basis = yardstick.values(rows)
        mean = yardstick.mean(basis)
        if mean is not None:
            text = f"{name} = {with_interval(mean, yardstick.limits)} at {at(where, axis_value)}"
            checks.append(Check(mean, low, high, yardstick.limits, False, text, basis))
    return checks
