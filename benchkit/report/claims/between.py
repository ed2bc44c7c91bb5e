"""Judging that a mean lies between two numbers."""

from __future__ import annotations

from benchkit.report.claims.check import Check
from benchkit.report.claims.curves import Curves
from benchkit.report.claims.means import means_within
from benchkit.report.claims.yardstick import Yardstick
from benchkit.suite.claims.between import Between


def checks(claim: Between, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """The mean lies between the ends, widened by the tolerance, at each point."""
    return means_within(claim.algorithm, *claim.widened, yardstick, algorithms, where)
