"""Comparing two algorithms at each point on the axis."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.report.claims.check import Check
from benchkit.report.claims.curves import Curves, axis_values_of
from benchkit.report.claims.numbers_in_words import at, signed
from benchkit.report.claims.yardstick import Yardstick


def differences_within(
    pairs: Sequence[tuple[str, ...]],
    low: float,
    high: float,
    strict: bool,
    yardstick: Yardstick,
    algorithms: Curves,
    where: str,
) -> list[Check]:
    """That first minus second of each pair lies between two ends, at each point that either has.

    Parameters
    ----------
    pairs : sequence of (first, second)
    low, high : float
    strict : bool
        Whether the ends themselves do not fulfil the claim.
    yardstick, algorithms, where
        As for `benchkit.report.claims.checks.checks_of`.
    """
    checks = []
    limits = yardstick.difference_limits
    for one, other in pairs:
        shared = yardstick.between(algorithms, (one, other))
        for axis_value in axis_values_of(algorithms, (one, other)):
            first, second = (algorithms.get(name, {}).get(axis_value, ()) for name in (one, other))
            basis = shared.difference(first, second)
            difference = shared.mean(basis)
            if difference is not None:
                text = f"{one} - {other} = {signed(difference, limits)} at {at(where, axis_value)}"
                checks.append(Check(difference, low, high, limits, strict, text, basis))
    return checks
