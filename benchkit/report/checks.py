"""The forms that a claim may have, each checked against curves: how much slack it leaves, and by which numbers."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import pairwise
from typing import Any

from benchkit.report.breakdown import breakdown_points
from benchkit.report.samples import Curves, by_repetition, difference, is_number
from benchkit.report.statistics import PairedDifference, mean_and_error

Check = tuple[float, str]
"""Slack, negative where the claim is broken, and the evidence."""


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
    elif claim["between"] is not None:
        yield from _interval(claim, curve)
    elif claim["trend"] is not None:
        yield from _trend(claim, curve)
    else:
        yield from _exponent(claim, curve)


def _text(names: tuple[str, str], found: PairedDifference, where: str) -> str:
    interval = "" if math.isnan(found.low) else f" [{found.low:+.4f}, {found.high:+.4f}]"
    return f"{names[0]} - {names[1]} = {found.mean:+.4f}{interval} at {where}"


def _order(claim: Mapping[str, Any], curve: Curves, greater_is_better: bool) -> Iterator[Check]:
    for value, samples in curve.points.items():
        for better, worse in pairwise(claim["order"]):
            found = difference(samples.get(better, {}), samples.get(worse, {}))
            if found is not None:
                loss = -found.mean if greater_is_better else found.mean
                text = _text((better, worse), found, f"{curve.where} {value}")
                yield claim["tolerance"] - claim["by"] - loss, text


def _alike(claim: Mapping[str, Any], curve: Curves) -> Iterator[Check]:
    for value, samples in curve.points.items():
        for one, other in pairwise(claim["alike"]):
            found = difference(samples.get(one, {}), samples.get(other, {}))
            if found is not None:
                yield claim["tolerance"] - abs(found.mean), _text((one, other), found, f"{curve.where} {value}")


def _interval(claim: Mapping[str, Any], curve: Curves) -> Iterator[Check]:
    low, high = claim["between"]
    name = claim["algorithm"]
    for value, sample in curve.along(name):
        mean, error = mean_and_error(list(by_repetition(sample).values()))
        assert mean is not None, "a curve has no empty samples"
        spread = f" ± {error:.4f}" if error is not None else ""
        slack = min(mean - low, high - mean) + claim["tolerance"]
        yield slack, f"{name} = {mean:.4f}{spread} at {curve.where} {value}"


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
        text = _text((f"{name} at {after}", f"at {before}"), found, curve.where)
        yield claim["tolerance"] - against, text


def _exponent(claim: Mapping[str, Any], curve: Curves) -> Iterator[Check]:
    """Least-squares slope of the logarithm of the mean against that of the axis value."""
    name = claim["algorithm"]
    means = [(value, mean_and_error(list(by_repetition(sample).values()))[0]) for value, sample in curve.along(name)]
    logs = [(math.log(x), math.log(y)) for x, y in means if is_number(x) and x > 0 and y is not None and y > 0]
    if len(logs) < 2:
        return
    from statistics import linear_regression

    slope = linear_regression([x for x, _ in logs], [y for _, y in logs]).slope
    low, high = claim["exponent"]
    ends = f"{means[0][1]:.4g} at {means[0][0]} to {means[-1][1]:.4g} at {means[-1][0]}"
    slack = min(slope - low, high - slope) + claim["tolerance"]
    yield slack, f"{name} grows with the power {slope:.2f} ({ends}) at {curve.where}"


def _breakdown(claim: Mapping[str, Any], curve: Curves) -> Iterator[Check]:
    """How long each algorithm lasts: greater is better, whatever the metric."""
    level = claim["breakdown"]
    lasting = {name: breakdown_points(curve, name, level) for name in claim["order"]}
    for better, worse in pairwise(claim["order"]):
        found = difference(lasting[better], lasting[worse])
        if found is None:
            continue
        ends = ", ".join(f"{name} {_mean(by_repetition(lasting[name])):.3g}" for name in (better, worse))
        text = _text((better, worse), found, f"{curve.where}: {level:g} is passed at {ends}")
        yield found.mean - claim["by"] + claim["tolerance"], text


def _mean(values: Mapping[int, float]) -> float:
    mean, _ = mean_and_error(list(values.values()))
    return math.nan if mean is None else mean
