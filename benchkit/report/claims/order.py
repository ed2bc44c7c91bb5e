"""Judging that algorithms are better, one than the next."""

from __future__ import annotations

import math

from benchkit.report.claims.check import Check
from benchkit.report.claims.curves import Curves
from benchkit.report.claims.pairs import differences_within
from benchkit.report.claims.yardstick import Yardstick
from benchkit.suite.claims.order import Order


def checks(claim: Order, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """Each algorithm is better than the next one by more than ``by``, less the tolerance, at each point."""
    most = claim.tolerance - claim.by
    low, high = (-most, math.inf) if yardstick.greater_is_better else (-math.inf, most)
    return differences_within(claim.comparisons, low, high, claim.tolerance == 0, yardstick, algorithms, where)
