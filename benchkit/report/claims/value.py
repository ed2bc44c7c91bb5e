"""Judging that a mean is a number."""

from __future__ import annotations

from benchkit.report.claims.check import Check
from benchkit.report.claims.curves import Curves
from benchkit.report.claims.means import means_within
from benchkit.report.claims.yardstick import Yardstick
from benchkit.suite.claims.value import Value


def checks(claim: Value, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """The mean is within the tolerance of the value, at each point."""
    low, high = claim.value - claim.tolerance, claim.value + claim.tolerance
    return means_within(claim.algorithm, low, high, yardstick, algorithms, where)
