"""The forms that a claim may have, each checked on the curves of one dataset (or group) under one adversary."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise
from statistics import fmean, linear_regression
from typing import Any

from benchkit.report.formatting import ROUNDING
from benchkit.report.statistics import PairedDifference, Record, mean_and_error, paired_difference, t_quantile
from benchkit.suite.plan import dataset_name
from benchkit.suite.schema import MEASURES

Curves = Mapping[str, Mapping[Any, Sequence[Record]]]
"""Records by algorithm and axis value."""


@dataclass(frozen=True)
class Check:
    """One comparison that a claim makes: how far it is from breaking the claim, which is broken below zero."""

    slack: float
    margin: float
    evidence: str


def check(
    expectation: Mapping[str, Any], algorithms: Curves, metric: str, greater_is_better: bool, where: str
) -> list[Check]:
    """Every comparison that a claim makes on some curves.

    Parameters
    ----------
    expectation : mapping
        The fields of an `benchkit.suite.schema.Expectation`.
    algorithms : Curves
    metric : str
    greater_is_better : bool
    where : str
        The curves' dataset and adversary, for people.
    """
    if expectation["breakdown"] is not None:
        return _breakdown(expectation, algorithms, metric, greater_is_better, where)
    if expectation["order"] is not None:
        return _order(expectation, algorithms, metric, greater_is_better, where)
    if expectation["alike"] is not None:
        return _alike(expectation, algorithms, metric, where)
    if expectation["monotone"] is not None:
        return _monotone(expectation, algorithms, metric, where)
    if expectation["exponent"] is not None:
        return _exponent(expectation, algorithms, metric, where)
    return _interval(expectation, algorithms, metric, where)


def expected(expectation: Mapping[str, Any], metric: str) -> str:
    """What a claim comes to: ``lp in [0.19, 0.27]``."""
    tolerance = expectation["tolerance"]
    within = f" within {tolerance:g}" if tolerance else ""
    if expectation["breakdown"] is not None:
        order = ", ".join(expectation["order"])
        return f"{metric} passes {expectation['breakdown']:g} no earlier from right to left: {order}{within}"
    if expectation["order"] is not None:
        by = f", by {expectation['by']:g}" if expectation["by"] else ""
        return f"{metric} no worse from left to right{by}: " + ", ".join(expectation["order"]) + within
    if expectation["alike"] is not None:
        return f"{metric} alike: " + ", ".join(expectation["alike"]) + within
    if expectation["monotone"] is not None:
        return f"{metric} of {expectation['algorithm']} {expectation['monotone']} along the axis{within}"
    if expectation["exponent"] is not None:
        low, high = expectation["exponent"]
        return f"{metric} of {expectation['algorithm']} grows with a power of the axis in [{low:g}, {high:g}]"
    if expectation["value"] is not None:
        return f"{expectation['algorithm']} = {expectation['value']:g} ± {tolerance:g}"
    low, high = _limits(expectation)
    return f"{expectation['algorithm']} in [{low:g}, {high:g}]"


def _limits(expectation: Mapping[str, Any]) -> tuple[float, float]:
    """The interval of a value or of an interval, widened by the tolerance."""
    low, high = expectation["between"] or (expectation["value"], expectation["value"])
    return low - expectation["tolerance"], high + expectation["tolerance"]


Sample = Mapping[tuple[int, str], float]
"""Values by repetition and dataset; several datasets where a group is meant."""


def _sample(rows: Iterable[Record], metric: str) -> Sample:
    """Metric (or measure) of each trial that ended ok."""
    found = {}
    for row in rows:
        value = row["metrics"].get(metric, row.get(metric) if metric in MEASURES else None)
        if row["status"] == "ok" and value is not None:
            found[row["repetition"], dataset_name(row["dataset"], row["dataset_params"])] = value
    return found


def _by_repetition(sample: Sample) -> dict[int, float]:
    """Means over the datasets of each repetition."""
    found: dict[int, list[float]] = defaultdict(list)
    for (repetition, _), value in sample.items():
        found[repetition].append(value)
    return {repetition: fmean(values) for repetition, values in found.items()}


def _values(rows: Iterable[Record], metric: str) -> dict[int, float]:
    return _by_repetition(_sample(rows, metric))


def _difference(first: Iterable[Record], second: Iterable[Record], metric: str) -> PairedDifference | None:
    """First minus second on the repetitions and datasets that both have: one that either lacks counts for neither."""
    one, other = _sample(first, metric), _sample(second, metric)
    shared = one.keys() & other.keys()
    one, other = ({key: each[key] for key in shared} for each in (one, other))
    return paired_difference(_by_repetition(one), _by_repetition(other))


def _order(
    expectation: Mapping[str, Any], algorithms: Curves, metric: str, greater_is_better: bool, where: str
) -> list[Check]:
    found = []
    places = dict.fromkeys(place for curve in algorithms.values() for place in curve)
    for better, worse in pairwise(expectation["order"]):
        for place in places:
            first, second = (algorithms.get(name, {}).get(place, ()) for name in (better, worse))
            difference = _difference(first, second, metric)
            if difference is not None:
                loss = -difference.mean if greater_is_better else difference.mean
                text = f"{better} - {worse} = {_signed(difference)} at {_at(where, place)}"
                slack = expectation["tolerance"] - expectation["by"] - loss
                found.append(Check(slack, difference.high - difference.mean, text))
    return found


def _alike(expectation: Mapping[str, Any], algorithms: Curves, metric: str, where: str) -> list[Check]:
    found = []
    places = dict.fromkeys(place for curve in algorithms.values() for place in curve)
    for one, other in combinations(expectation["alike"], 2):
        for place in places:
            first, second = (algorithms.get(name, {}).get(place, ()) for name in (one, other))
            difference = _difference(first, second, metric)
            if difference is not None:
                text = f"{one} - {other} = {_signed(difference)} at {_at(where, place)}"
                slack = expectation["tolerance"] - abs(difference.mean)
                found.append(Check(slack, difference.high - difference.mean, text))
    return found


def _breakdown(
    expectation: Mapping[str, Any], algorithms: Curves, metric: str, greater_is_better: bool, where: str
) -> list[Check]:
    """Who lasts longer: axis values at which the metric first passes the level, on shared repetitions."""
    level, found = expectation["breakdown"], []
    lasting = {
        name: _breakdown_places(algorithms.get(name, {}), metric, level, greater_is_better)
        for name in expectation["order"]
    }
    for better, worse in pairwise(expectation["order"]):
        difference = paired_difference(lasting[better], lasting[worse])
        if difference is not None:
            places = ", ".join(f"{name} at {fmean(lasting[name].values()):.3g}" for name in (better, worse))
            text = f"{level:g} is passed by {places}, {better} - {worse} = {_signed(difference)} at {where}"
            slack = expectation["tolerance"] - expectation["by"] + difference.mean
            found.append(Check(slack, difference.high - difference.mean, text))
    return found


def _breakdown_places(
    curve: Mapping[Any, Sequence[Record]], metric: str, level: float, greater_is_better: bool
) -> dict[int, float]:
    """The first axis value at which each repetition's metric passes the level; the last one where it never does."""
    sign = -1.0 if greater_is_better else 1.0
    values = [(place, _values(curve[place], metric)) for place in _in_order(curve)]
    complete = set.intersection(*(set(each) for _, each in values)) if values else set()
    return {
        repetition: next((place for place, each in values if sign * (each[repetition] - level) > 0), values[-1][0])
        for repetition in complete
    }


def _exponent(expectation: Mapping[str, Any], algorithms: Curves, metric: str, where: str) -> list[Check]:
    """Least-squares slope of the logarithm of the metric against that of the axis, of each repetition."""
    name = expectation["algorithm"]
    curve = algorithms.get(name, {})
    points: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for place in _in_order(curve):
        for repetition, value in _values(curve[place], metric).items():
            if place > 0 and value > 0:
                points[repetition].append((math.log(place), math.log(value)))
    known = [each for each in points.values() if len(each) > 1]
    slopes = [linear_regression(*zip(*each, strict=True)).slope for each in known]
    mean, error = mean_and_error(slopes)
    if mean is None:
        return []
    low, high = expectation["exponent"]
    margin = math.nan if error is None else t_quantile(0.95, len(slopes) - 1) * error
    ends = "" if error is None else f" [{mean - margin:.2f}, {mean + margin:.2f}]"
    slack = min(mean - low, high - mean) + expectation["tolerance"]
    return [Check(slack, margin, f"{name} grows with the power {mean:.2f}{ends} at {where}")]


def _monotone(expectation: Mapping[str, Any], algorithms: Curves, metric: str, where: str) -> list[Check]:
    name = expectation["algorithm"]
    curve = algorithms.get(name, {})
    direction = expectation["monotone"]
    known = [(place, values) for place in _in_order(curve) if (values := _values(curve[place], metric))]
    steps = combinations(known, 2) if direction == "constant" else pairwise(known)
    found = []
    for (left, before), (right, after) in steps:
        difference = paired_difference(after, before)
        if difference is not None:
            text = f"{name} changes by {_signed(difference)} from {left} to {_at(where, right)}"
            mean = difference.mean
            gain = {"increasing": mean, "decreasing": -mean, "constant": -abs(mean)}[direction]
            slack = gain + expectation["tolerance"]
            found.append(Check(slack, difference.high - difference.mean, text))
    return found


def _interval(expectation: Mapping[str, Any], algorithms: Curves, metric: str, where: str) -> list[Check]:
    name = expectation["algorithm"]
    low, high = _limits(expectation)
    found = []
    for place, rows in algorithms.get(name, {}).items():
        values = list(_values(rows, metric).values())
        mean, error = mean_and_error(values)
        if mean is None:
            continue
        margin = math.nan if error is None else t_quantile(0.95, len(values) - 1) * error
        ends = "" if error is None else f" [{decimal(mean - margin)}, {decimal(mean + margin)}]"
        text = f"{name} = {decimal(mean)}{ends} at {_at(where, place)}"
        found.append(Check(min(mean - low, high - mean), margin, text))
    return found


def _in_order(places: Iterable[Any]) -> list[Any]:
    """Places along the axis: numbers by size, others as they come."""
    places = list(places)
    numeric = all(isinstance(place, int | float) for place in places)
    return sorted(places) if numeric else places


def _at(where: str, place: Any) -> str:
    shown = f"{place:g}" if isinstance(place, float) else place
    return where if place is None else f"{where} {shown}"


def decimal(value: float, sign: str = "-") -> str:
    """Four decimals, or three digits where these would all be zero."""
    if abs(value) < ROUNDING:
        value = 0.0
    return f"{value:{sign}.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:{sign}.3g}"


def _signed(difference: PairedDifference) -> str:
    ends = "" if math.isnan(difference.low) else f" [{decimal(difference.low, '+')}, {decimal(difference.high, '+')}]"
    return f"{decimal(difference.mean, '+')}{ends}"
