"""Judging that algorithms last longer along the axis, one than the next."""

from __future__ import annotations

import math
from statistics import fmean

from benchkit.report.claims.check import Basis, Check
from benchkit.report.claims.curves import Curve, Curves, is_numeric, metric_values, rows_of, span
from benchkit.report.claims.numbers_in_words import signed
from benchkit.report.claims.yardstick import Yardstick
from benchkit.report.statistics.comparisons import paired
from benchkit.report.statistics.points import by_repetition
from benchkit.suite.claims.breakdown import Breakdown


def checks(claim: Breakdown, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """Axis values at which the metric first passes the level, compared on shared repetitions."""
    level, found = claim.breakdown, []
    least, strict = claim.by - claim.tolerance, claim.tolerance == 0
    for better, worse in claim.comparisons:
        shared = yardstick.between(algorithms, (better, worse))
        lasting = {name: _passed_at(algorithms.get(name, {}), shared, level) for name in (better, worse)}
        rows = [*rows_of(algorithms, better), *rows_of(algorithms, worse)]
        basis = Basis(paired(lasting[better], lasting[worse]), rows)
        difference = shared.mean(basis)
        if difference is not None:
            length = span(algorithms, (better, worse))
            limits = (-length, length)
            shown = [(name, by_repetition(lasting[name]).values()) for name in (better, worse)]
            passed = ", ".join(f"{name} at {fmean(values):.3g}" for name, values in shown)
            change = signed(difference, limits)
            text = f"{level:g} is passed by {passed}, {better} - {worse} = {change} at {where}"
            found.append(Check(difference, least, math.inf, limits, strict, text, basis))
    return found


def _passed_at(curve: Curve, yardstick: Yardstick, level: float) -> dict[tuple[int, str], float]:
    """The first axis value at which each repetition's metric passes the level; the last one where it never does.

    A group's data sets are averaged first. Nothing where the axis has no numbers.
    """
    if not is_numeric(curve):
        return {}
    sign = -1.0 if yardstick.greater_is_better else 1.0
    values = [
        (axis_value, by_repetition(yardstick.complete(metric_values(curve[axis_value], yardstick.metric))))
        for axis_value in sorted(curve)
    ]
    complete = set.intersection(*(set(each) for _, each in values)) if values else set()
    name = min(yardstick.data_sets or {""})
    return {
        (repetition, name): float(
            next((axis_value for axis_value, each in values if sign * (each[repetition] - level) > 0), values[-1][0])
        )
        for repetition in sorted(complete)
    }
