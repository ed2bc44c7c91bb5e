"""How claims of each form are judged."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from benchkit.report.claims import alike, between, breakdown, exponent, monotone, order, value
from benchkit.report.claims.check import Check
from benchkit.report.claims.curves import Curves
from benchkit.report.claims.yardstick import Yardstick
from benchkit.suite.claims.claim import Claim

JUDGED_BY: Mapping[str, Callable[[Any, Yardstick, Curves, str], list[Check]]] = {
    "order": order.checks,
    "breakdown": breakdown.checks,
    "alike": alike.checks,
    "between": between.checks,
    "value": value.checks,
    "monotone": monotone.checks,
    "exponent": exponent.checks,
}
"""By form. What a claim of it says and is told by is in a file of the same name in `benchkit.suite.claims`."""


def checks_of(claim: Claim, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """Every comparison that a claim makes on some curves.

    Parameters
    ----------
    claim : Claim
    yardstick : Yardstick
    algorithms : Curves
        Of one dataset (or group) under one adversary.
    where : str
        These two, for people.
    """
    return JUDGED_BY[claim.form](claim, yardstick, algorithms, where)
