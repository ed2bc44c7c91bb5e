"""Judging that a curve goes one way along the axis, or none."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

from benchkit.report.claims.check import Check
from benchkit.report.claims.curves import Curves, along_the_axis, metric_values
from benchkit.report.claims.numbers_in_words import at, signed
from benchkit.report.claims.yardstick import Yardstick
from benchkit.suite.claims.monotone import Monotone


def checks(claim: Monotone, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """No step goes the other way by more than the tolerance; of a constant curve no two points differ by more."""
    name, direction, slack = claim.algorithm, claim.monotone, claim.tolerance
    yardstick = yardstick.between(algorithms, (name,))
    limits = yardstick.difference_limits
    curve = algorithms.get(name, {})
    known = [axis_value for axis_value in along_the_axis(curve) if metric_values(curve[axis_value], yardstick.metric)]
    low = -math.inf if direction == "decreasing" else -slack
    high = math.inf if direction == "increasing" else slack
    found = []
    for left, right in combinations(known, 2) if direction == "constant" else pairwise(known):
        basis = yardstick.difference(curve[right], curve[left])
        difference = yardstick.mean(basis)
        if difference is not None:
            text = f"{name} changes by {signed(difference, limits)} from {left} to {at(where, right)}"
            found.append(Check(difference, low, high, limits, False, text, basis))
    return found
