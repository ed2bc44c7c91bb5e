"""From a claim's comparisons at single points to comparisons of means over points, as readers of a figure judge."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

from benchkit.report.claims.check import Basis, Check, drawn
from benchkit.report.claims.numbers_in_words import signed
from benchkit.report.claims.yardstick import Yardstick
from benchkit.report.statistics.points import by_repetition
from benchkit.statistics.estimate import estimate
from benchkit.statistics.independent_parts import WeightedMean, pooled
from benchkit.suite.claims.claim import Comparing


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
    alone = len({own for point in points for _, own in point.basis.values}) == 1  # several may share rows
    terms = [(times / len(points), records) for point in points for times, records in point.basis.terms if alone]
    return Basis(values, rows, all(point.basis.counts_rows for point in points), terms)


def tally(points: Iterable[Check], yardstick: Yardstick) -> str:
    """At how many points the first algorithm is better, worse, and neither, each by its own interval."""
    better = worse = still = 0
    for point in points:
        low, high = point.interval if point.measured.decides else (0.0, 0.0)
        first, second = (high < 0, low > 0) if not yardstick.greater_is_better else (low > 0, high < 0)
        better, worse, still = better + first, worse + second, still + (not first and not second)
    return f"{better} better, {worse} worse, {still} open"
