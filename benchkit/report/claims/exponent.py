"""Judging that a metric grows with a power of the axis."""

from __future__ import annotations

import math
from collections import defaultdict
from statistics import linear_regression

from benchkit.report.claims.check import Basis, Check
from benchkit.report.claims.curves import Curves, is_numeric, metric_values, rows_of
from benchkit.report.claims.yardstick import Yardstick
from benchkit.report.statistics.points import by_repetition, curve_name
from benchkit.suite.claims.exponent import Exponent


def checks(claim: Exponent, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """Least-squares slope of the logarithm of the metric against that of the axis, of each repetition."""
    name = claim.algorithm
    yardstick = yardstick.between(algorithms, (name,))
    curve = algorithms.get(name, {})
    if not is_numeric(curve):
        return []
    points: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for axis_value in sorted(curve):
        values = yardstick.complete(metric_values(curve[axis_value], yardstick.metric))
        for repetition, value in by_repetition(values).items():
            if axis_value > 0 and value > 0:
                points[repetition].append((math.log(axis_value), math.log(value)))
    rows = rows_of(algorithms, name)
    slopes = {
        (repetition, curve_name(rows[0])): float(linear_regression(*zip(*each, strict=True)).slope)
        for repetition, each in points.items()
        if len(each) > 1
    }
    basis = Basis(slopes, rows)
    mean = yardstick.mean(basis)
    if mean is None:
        return []
    low, high = claim.exponent
    ends = "" if not math.isfinite(mean.stderr) else " [{:.2f}, {:.2f}]".format(*mean.interval())
    text = f"{name} grows with the power {mean.mean:.2f}{ends} at {where}"
    limits = (-math.inf, math.inf)
    return [Check(mean, low - claim.tolerance, high + claim.tolerance, limits, False, text, basis)]
