"""The forms that a claim may have, each checked against curves: how much slack it leaves, and by which numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from statistics import linear_regression
from typing import Any

from benchkit.report.breakdown import breakdown_points
from benchkit.report.samples import Curves, by_repetition, difference, is_number
from benchkit.report.statistics import PairedDifference, mean_and_error, t_quantile


@dataclass(frozen=True)
class Check:
    """One comparison that a claim makes.

    Attributes
    ----------
    slack : float
        How far it is from breaking the claim, which is broken below zero.
    margin : float
        Half the width of the 95 % interval of the number that decides; NaN where there is none.
    evidence : str
    """

    slack: float
    margin: float
    evidence: str


def expected(claim: Mapping[str, Any], metric: str) -> str:
    """What a claim comes to, in a few words.

    Parameters
    ----------
    claim : mapping
        The fields of an `benchkit.suite.schema.Expectation`.
    metric : str
    """
    name, tolerance = claim["algorithm"], claim["tolerance"]
    within = f", give or take {tolerance:g}" if tolerance else ""
    if claim["order"] is not None:
        what = metric if claim["breakdown"] is None else f"where {metric} passes {claim['breakdown']:g}"
        by = f" by {claim['by']:g}" if claim["by"] else ""
        return f"{what} better{by} from right to left: {', '.join(claim['order'])}{within}"
    if claim["alike"] is not None:
        return f"{metric} alike: {', '.join(claim['alike'])}{within}"
    if claim["trend"] is not None:
        return f"{metric} of {name} {claim['trend']} along the axis{within}"
    if claim["value"] is not None:
        return f"{name} = {claim['value']:g}{within}"
    form = "between" if claim["between"] is not None else "exponent"
    low, high = claim[form]
    return f"{'power of ' if form == 'exponent' else ''}{name} in [{low:g}, {high:g}]{within}"


def check(claim: Mapping[str, Any], curve: Curves, greater_is_better: bool) -> Iterator[Check]:
    """What a claim's form comes to at every point of a curve that it speaks of.

    Parameters
    ----------
    claim : mapping
        The fields of an `benchkit.suite.schema.Expectation`.
    curve : Curves
        Its points are those that the claim speaks of.
    greater_is_better : bool
        Of the claim's metric.
    """
    if claim["order"] is not None and claim["breakdown"] is not None:
        yield from _breakdown(claim, curve)
    elif claim["order"] is not None:
        yield from _order(claim, curve, greater_is_better)
    elif claim["alike"] is not None:
        yield from _alike(claim, curve)
    elif claim["trend"] is not None:
        yield from _trend(claim, curve)
    elif claim["exponent"] is not None:
        yield from _exponent(claim, curve)
    else:
        yield from _interval(claim, curve)


def _compared(slack: float, names: tuple[str, str], found: PairedDifference, where: str) -> Check:
    interval = "" if math.isnan(found.low) else f" [{found.low:+.4f}, {found.high:+.4f}]"
    return Check(slack, found.high - found.mean, f"{names[0]} - {names[1]} = {found.mean:+.4f}{interval} at {where}")


def _order(claim: Mapping[str, Any], curve: Curves, greater_is_better: bool) -> Iterator[Check]:
    for value, samples in curve.points.items():
        for better, worse in pairwise(claim["order"]):
            found = difference(samples.get(better, {}), samples.get(worse, {}))
            if found is not None:
                loss = -found.mean if greater_is_better else found.mean
                slack = claim["tolerance"] - claim["by"] - loss
                yield _compared(slack, (better, worse), found, curve.at(value))


def _alike(claim: Mapping[str, Any], curve: Curves) -> Iterator[Check]:
    for value, samples in curve.points.items():
        for one, other in pairwise(claim["alike"]):
            found = difference(samples.get(one, {}), samples.get(other, {}))
            if found is not None:
                yield _compared(claim["tolerance"] - abs(found.mean), (one, other), found, curve.at(value))


def _interval(claim: Mapping[str, Any], curve: Curves) -> Iterator[Check]:
    low, high = claim["between"] or (claim["value"], claim["value"])
    name = claim["algorithm"]
    for value, sample in curve.along(name):
        values = list(by_repetition(sample).values())
        mean, error = mean_and_error(values)
        assert mean is not None, "a curve has no empty samples"
        margin = math.nan if error is None else t_quantile(0.95, len(values) - 1) * error
        interval = "" if error is None else f" [{mean - margin:.4f}, {mean + margin:.4f}]"
        slack = min(mean - low, high - mean) + claim["tolerance"]
        yield Check(slack, margin, f"{name} = {mean:.4f}{interval} at {curve.at(value)}")


def _trend(claim: Mapping[str, Any], curve: Curves) -> Iterator[Check]:
    """Each step along the axis, or for ``level`` any two points, on shared repetitions."""
    name, trend = claim["algorithm"], claim["trend"]
    points = curve.along(name)
    steps = list(pairwise(points))
    if trend == "level":
        steps = [(one, other) for i, one in enumerate(points) for other in points[i + 1 :]]
    for (before, first), (after, second) in steps:
        found = difference(second, first)
        if found is None:
            continue
        against = {"rising": -found.mean, "falling": found.mean, "level": abs(found.mean)}[trend]
        yield _compared(claim["tolerance"] - against, (f"{name} at {after}", f"at {before}"), found, curve.where)


def _exponent(claim: Mapping[str, Any], curve: Curves) -> Iterator[Check]:
    """Least-squares slope of the logarithm of the mean against that of the axis value."""
    name = claim["algorithm"]
    means = [(value, mean_and_error(list(by_repetition(sample).values()))[0]) for value, sample in curve.along(name)]
    logs = [(math.log(x), math.log(y)) for x, y in means if is_number(x) and x > 0 and y is not None and y > 0]
    if len(logs) < 2:
        return
    slope = linear_regression([x for x, _ in logs], [y for _, y in logs]).slope
    low, high = claim["exponent"]
    ends = f"{means[0][1]:.4g} at {means[0][0]} to {means[-1][1]:.4g} at {means[-1][0]}"
    slack = min(slope - low, high - slope) + claim["tolerance"]
    yield Check(slack, math.nan, f"{name} grows with the power {slope:.2f} ({ends}) at {curve.where}")


def _breakdown(claim: Mapping[str, Any], curve: Curves) -> Iterator[Check]:
    """How long each algorithm lasts: greater is better, whatever the metric."""
    level = claim["breakdown"]
    lasting = {name: breakdown_points(curve, name, level) for name in claim["order"]}
    for better, worse in pairwise(claim["order"]):
        found = difference(lasting[better], lasting[worse])
        if found is None:
            continue
        ends = ", ".join(f"{name} {_mean(by_repetition(lasting[name])):.3g}" for name in (better, worse))
        slack = found.mean - claim["by"] + claim["tolerance"]
        yield _compared(slack, (better, worse), found, f"{curve.where}: {level:g} is passed at {ends}")


def _mean(values: Mapping[int, float]) -> float:
    mean, _ = mean_and_error(list(values.values()))
    return math.nan if mean is None else mean
