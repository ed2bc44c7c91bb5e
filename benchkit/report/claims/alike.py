"""Judging that algorithms are alike."""

from __future__ import annotations

from benchkit.report.claims.check import Check
from benchkit.report.claims.curves import Curves
from benchkit.report.claims.pairs import differences_within
from benchkit.report.claims.yardstick import Yardstick
from benchkit.suite.claims.alike import Alike


def checks(claim: Alike, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """No two differ by more than the tolerance, at each point."""
    margin = claim.tolerance
    return differences_within(claim.comparisons, -margin, margin, False, yardstick, algorithms, where)
