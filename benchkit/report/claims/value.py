"""Judging that a mean, or a difference of two, is a number."""

from __future__ import annotations

import math
from dataclasses import replace

from benchkit.report.claims.check import Basis, Check, Number
from benchkit.report.claims.curves import Curves, axis_values_of
from benchkit.report.claims.means import means_within
from benchkit.report.claims.numbers_in_words import at, decimal, signed
from benchkit.report.claims.pairs import differences_within
from benchkit.report.claims.yardstick import Yardstick
from benchkit.statistics.student_t import welch
from benchkit.suite.claims.value import Value


def checks(claim: Value, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """The mean is within the tolerance of the value, or consistent with a value that has an error, at each point."""
    low, high = claim.value - claim.tolerance, claim.value + claim.tolerance
    if claim.stderr is not None:
        return _beside_the_printed(claim, claim.stderr, yardstick, algorithms, where)
    if claim.minus is not None:
        return differences_within(claim.comparisons, low, high, False, yardstick, algorithms, where)
    return means_within(claim.algorithm, low, high, yardstick, algorithms, where)


def _beside_the_printed(
    claim: Value, stderr: float, yardstick: Yardstick, algorithms: Curves, where: str
) -> list[Check]:
    """Ours minus theirs at each point.

    The two are independent: their variances v and w add, and Student's t has the degrees of freedom of Welch (1947),
    (v + w)^2 / (v^2 / f + w^2 / g). Papers print no g: as many repetitions as ours, g = f, are taken to be behind it.
    Where ours were looked at after each, the interval is one that holds at every look.
    """
    names = claim.algorithms
    shared = yardstick.between(algorithms, names)
    found = []
    for axis_value in axis_values_of(algorithms, names):
        rows = [algorithms.get(name, {}).get(axis_value, ()) for name in names]
        basis: Basis = shared.difference(*rows) if len(rows) > 1 else shared.values(rows[0])
        ours = shared.mean(basis)
        if ours is None:
            continue
        shifted = [each - claim.value for each in ours.sample.values]
        sample = replace(ours.sample, values=shifted, row_variance=ours.sample.row_variance + stderr**2)
        apart = yardstick.estimator(sample)
        assert apart is not None
        apart = replace(apart, degrees=welch(ours.stderr, stderr, ours.freedom))
        number = Number(claim.value, stderr, ours.mean, ours.stderr, *apart.interval())
        limits = (-math.inf, math.inf)
        text = (
            f"{' - '.join(names)} = {decimal(ours.mean)} ± {decimal(ours.stderr)}, ours - theirs = "
            f"{signed(apart, limits)} at {at(where, axis_value)}"
        )
        found.append(Check(apart, 0.0, 0.0, limits, False, text, basis, number))
    return found
