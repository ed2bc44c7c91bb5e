"""How claims of each form are judged on curves."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from statistics import fmean, linear_regression
from typing import Any

from benchkit.report.claims.check import Basis, Check, Number, at, decimal, drawn, signed, with_interval
from benchkit.report.claims.curves import (
    Curve,
    Curves,
    along_the_axis,
    axis_values_of,
    is_numeric,
    metric_values,
    rows_of,
    span,
)
from benchkit.report.claims.yardstick import Yardstick
from benchkit.report.comparisons import paired
from benchkit.report.points import by_repetition, curve_name
from benchkit.statistics.estimate import WeightedMean, estimate, pooled, welch
from benchkit.suite.claims import Alike, Between, Breakdown, Claim, Comparing, Exponent, Monotone, Order, Value


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


def means_within(
    name: str, low: float, high: float, yardstick: Yardstick, algorithms: Curves, where: str
) -> list[Check]:
    """That each of an algorithm's means lies between two ends.

    Parameters
    ----------
    name : str
        The algorithm's.
    low, high : float
    yardstick, algorithms, where
        As for `benchkit.report.claims.checks.checks_of`.
    """
    yardstick = yardstick.between(algorithms, (name,))
    # An end that no value can pass is none: an error of 0 does not lie close to the lower end of [0, 0.005].
    least, most = yardstick.limits
    low, high = -math.inf if low <= least else low, math.inf if high >= most else high
    checks = []
    for axis_value, rows in algorithms.get(name, {}).items():
        basis = yardstick.values(rows)
        mean = yardstick.mean(basis)
        if mean is not None:
            text = f"{name} = {with_interval(mean, yardstick.limits)} at {at(where, axis_value)}"
            checks.append(Check(mean, low, high, yardstick.limits, False, text, basis))
    return checks


def averaged(claim: Comparing, yardstick: Yardstick, by_curve: Mapping[str, Sequence[Check]]) -> list[Check]:
    """One comparison for each pair of algorithms, or for each pair and curve, in place of one at each point.

    Parameters
    ----------
    claim : Comparing
        With ``on_average``.
    yardstick : Yardstick
    by_curve : mapping of str to sequence of Check
        What is compared at each point of each curve; first minus second of a pair everywhere.
    """
    whole = [check for checks in by_curve.values() for check in checks]
    parts = {where: list(checks) for where, checks in by_curve.items()}
    if claim.on_average == "all":
        parts = {", ".join(where for where, checks in by_curve.items() if checks): whole}
    found = []
    for pair in claim.comparisons:
        for where, checks in parts.items():
            points = [check for check in checks if {row["algorithm"] for row in check.basis.rows} == set(pair)]
            mean = _mean(pair, points, yardstick, where)
            found += [mean] if mean is not None else []
    return found


def _mean(pair: Sequence[str], points: Sequence[Check], yardstick: Yardstick, where: str) -> Check | None:
    """The mean over points; every point counts alike.

    Points of one data set share its splits, so they are averaged within a repetition that has them all; data sets are
    drawn on their own, and each brings all the repetitions that it has.
    """
    if len(points) < 2:
        return points[0] if points else None
    basis = _together(points)
    measured = yardstick.mean(basis)
    by_draws = _by_draws(points)
    if len(by_draws) > 1 and yardstick.estimator is estimate:
        means = [(len(own) / len(points), yardstick.mean(_together(own))) for own in by_draws]
        parts = [WeightedMean(weight, mean) for weight, mean in means if mean is not None]
        measured = pooled(parts) if len(parts) == len(by_draws) else None
    if measured is None:
        return None
    change = signed(measured, points[0].limits)
    text = f"{' - '.join(pair)} = {change} on average over {len(points)} points ({tally(points, yardstick)}) of {where}"
    return replace(points[0], measured=measured, evidence=text, basis=basis)


def _by_draws(points: Iterable[Check]) -> list[list[Check]]:
    """Points whose repetitions may be the same draws, together.

    Splits are drawn by the data set's name and parameters, whatever label it has: two labels of one table, which is
    prepared in two ways, share them. Records tell the label; where parameters and number of rows are the same, or the
    number is not known, it may be one table.
    """
    found: list[tuple[set[Any], list[Check]]] = []
    for point in points:
        keys: set[Any] = {row["dataset"] for row in point.basis.rows}
        keys |= {(str(row["dataset_params"]), row.get("n_rows")) for row in point.basis.rows}
        alike = [each for each in found if each[0] & keys]
        merged = keys.union(*(own for own, _ in alike)), [check for _, own in alike for check in own] + [point]
        found = [each for each in found if not each[0] & keys] + [merged]
    return [own for _, own in found]


def _together(points: Sequence[Check]) -> Basis:
    """Means over points in the repetitions that all of them have, drawn as the data set was that shares most rows."""
    if len(points) == 1:
        return points[0].basis
    by_point = [by_repetition(point.basis.values) for point in points]
    shared = sorted(set.intersection(*(set(each) for each in by_point)))
    rows = [row for point in points for row in point.basis.rows]
    ratios = {name: 0.0 if sampling.fresh else sampling.ratio for name, sampling in drawn(rows).items()}
    name = max(sorted(ratios), key=ratios.__getitem__)
    values = {(repetition, name): fmean(each[repetition] for each in by_point) for repetition in shared}
    return Basis(values, rows, all(point.basis.counts_rows for point in points))


def tally(points: Iterable[Check], yardstick: Yardstick) -> str:
    """At how many points the first algorithm is better, worse, and neither, each by its own interval."""
    better = worse = still = 0
    for point in points:
        low, high = point.interval if point.measured.decides else (0.0, 0.0)
        first, second = (high < 0, low > 0) if not yardstick.greater_is_better else (low > 0, high < 0)
        better, worse, still = better + first, worse + second, still + (not first and not second)
    return f"{better} better, {worse} worse, {still} open"


def check_order(claim: Order, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """Each algorithm is better than the next one by more than ``by``, less the tolerance, at each point."""
    most = claim.tolerance - claim.by
    low, high = (-most, math.inf) if yardstick.greater_is_better else (-math.inf, most)
    return differences_within(claim.comparisons, low, high, claim.tolerance == 0, yardstick, algorithms, where)


def check_breakdown(claim: Breakdown, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
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


def check_alike(claim: Alike, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """No two differ by more than the tolerance, at each point."""
    margin = claim.tolerance
    return differences_within(claim.comparisons, -margin, margin, False, yardstick, algorithms, where)


def check_between(claim: Between, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
    """The mean lies between the ends, widened by the tolerance, at each point."""
    return means_within(claim.algorithm, *claim.widened, yardstick, algorithms, where)


def check_value(claim: Value, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
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


def check_monotone(claim: Monotone, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
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


def check_exponent(claim: Exponent, yardstick: Yardstick, algorithms: Curves, where: str) -> list[Check]:
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


JUDGED_BY: Mapping[str, Callable[[Any, Yardstick, Curves, str], list[Check]]] = {
    "order": check_order,
    "breakdown": check_breakdown,
    "alike": check_alike,
    "between": check_between,
    "value": check_value,
    "monotone": check_monotone,
    "exponent": check_exponent,
}
"""By form; what a claim of it says is in `benchkit.suite.claims`."""
