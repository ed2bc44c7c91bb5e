"""Judging a suite's expectations against its records: the paper's claim beside what was found."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import Any, Literal

from benchkit.report.statistics import PairedDifference, Record, mean_and_error, paired_difference, t_quantile
from benchkit.suite.plan import dataset_name

Outcome = Literal["reproduced", "not reproduced", "not run"]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim was reproduced, and the numbers that decide it.

    Attributes
    ----------
    claim, source : str
    outcome : {"reproduced", "not reproduced", "not run"}
    expected : str
        What the claim comes to: ``lp within [0.19, 0.27]``.
    evidence : str
        The decisive numbers: of all points it speaks of, those of the one nearest to breaking it.
    shortfall : float or None
        By how much the claim is missed; None unless it is.
    settled : bool
        Whether the 95 % interval of the decisive number lies on one side of the limit.
    points : int
        How many points were judged.
    """

    claim: str
    source: str
    outcome: Outcome
    expected: str
    evidence: str
    shortfall: float | None = None
    settled: bool = True
    points: int = 0

    @property
    def explanation(self) -> str:
        """Expected, found, and by how much it is missed, in one line."""
        parts = [f"expected {self.expected}", self.evidence]
        if self.shortfall is not None:
            parts.append(f"missed by {self.shortfall:.4f}")
        if not self.settled:
            parts.append("within the noise: the 95 % interval crosses the limit")
        return "; ".join(parts)


@dataclass(frozen=True)
class _Check:
    """One comparison that a claim makes: how far it is from breaking the claim, which is broken below zero."""

    slack: float
    margin: float
    evidence: str


def judge(expectation: Mapping[str, Any], records: Iterable[Record], metric: str, greater_is_better: bool) -> Verdict:
    """Judge one expectation at every point that it speaks of.

    An order is reproduced where each algorithm's mean is at most ``tolerance`` worse than the next one's, on shared
    repetitions; an interval, where the mean lies within it, widened by ``tolerance``; a value, where the mean is within
    ``tolerance`` of it; ``monotone``, where no step along the axis goes the other way by more than ``tolerance``, on
    shared repetitions. A claim on ``groups`` is judged on the mean over the datasets of each.
    """
    curves: dict[tuple[str, str], dict[str, dict[Any, list[Record]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for row in records:
        if _spoken_of(expectation, row):
            of_group = expectation["groups"] is not None
            name = row["group"] if of_group else dataset_name(row["dataset"], _curve_params(row))
            curve = (name, row["adversary"])
            curves[curve][row["algorithm"]][row["axis_value"]].append(row)
    checks: list[_Check] = []
    for (dataset, adversary), algorithms in curves.items():
        where = " ".join(name for name in (dataset, adversary) if name != "none")
        if expectation["order"] is not None:
            checks += _order(expectation, algorithms, metric, greater_is_better, where)
        elif expectation["monotone"] is not None:
            checks += _monotone(expectation, algorithms, metric, where)
        else:
            checks += _interval(expectation, algorithms, metric, where)
    claim, source, expected = expectation["claim"], expectation["source"], _expected(expectation, metric)
    if not checks:
        return Verdict(claim, source, "not run", expected, "no trial that it speaks of has ended ok")
    worst = min(checks, key=lambda check: check.slack)
    held = worst.slack >= 0
    return Verdict(
        claim=claim,
        source=source,
        outcome="reproduced" if held else "not reproduced",
        expected=expected,
        evidence=worst.evidence + (f" (tightest of {len(checks)})" if len(checks) > 1 else ""),
        shortfall=None if held else -worst.slack,
        settled=not abs(worst.slack) < worst.margin,
        points=len(checks),
    )


def _curve_params(row: Record) -> dict[str, Any]:
    """Parameters of a record's dataset without the one that the axis runs over."""
    along = row.get("axis", "").partition("dataset.")[2]
    return {key: value for key, value in row["dataset_params"].items() if key != along}


def _spoken_of(expectation: Mapping[str, Any], row: Record) -> bool:
    fields = {"datasets": "dataset", "groups": "group", "adversaries": "adversary", "at": "axis_value"}
    for key, field in fields.items():
        if expectation[key] is not None and row.get(field) not in expectation[key]:
            return False
    return True


def _limits(expectation: Mapping[str, Any]) -> tuple[float, float]:
    """The interval of a value or of an interval, widened by the tolerance."""
    low, high = expectation["between"] or (expectation["value"], expectation["value"])
    return low - expectation["tolerance"], high + expectation["tolerance"]


def _expected(expectation: Mapping[str, Any], metric: str) -> str:
    tolerance = expectation["tolerance"]
    within = f" within {tolerance:g}" if tolerance else ""
    if expectation["order"] is not None:
        return f"{metric} no worse from left to right: " + ", ".join(expectation["order"]) + within
    if expectation["monotone"] is not None:
        return f"{metric} of {expectation['algorithm']} {expectation['monotone']} along the axis{within}"
    if expectation["value"] is not None:
        return f"{expectation['algorithm']} = {expectation['value']:g} ± {tolerance:g}"
    low, high = _limits(expectation)
    return f"{expectation['algorithm']} in [{low:g}, {high:g}]"


def _values(rows: Iterable[Record], metric: str) -> dict[int, float]:
    """Metric of each repetition that ended ok; of a group, the mean over its datasets."""
    found: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        value = row["metrics"].get(metric) if row["status"] == "ok" else None
        if value is not None:
            found[row["repetition"]].append(value)
    return {repetition: fmean(values) for repetition, values in found.items()}


Curves = Mapping[str, Mapping[Any, Sequence[Record]]]


def _order(
    expectation: Mapping[str, Any], algorithms: Curves, metric: str, greater_is_better: bool, where: str
) -> list[_Check]:
    found = []
    places = dict.fromkeys(place for curve in algorithms.values() for place in curve)
    for better, worse in pairwise(expectation["order"]):
        for place in places:
            first, second = (_values(algorithms.get(name, {}).get(place, ()), metric) for name in (better, worse))
            difference = paired_difference(first, second)
            if difference is not None:
                loss = -difference.mean if greater_is_better else difference.mean
                text = f"{better} - {worse} = {_signed(difference)} at {_at(where, place)}"
                found.append(_Check(expectation["tolerance"] - loss, difference.high - difference.mean, text))
    return found


def _monotone(expectation: Mapping[str, Any], algorithms: Curves, metric: str, where: str) -> list[_Check]:
    name = expectation["algorithm"]
    curve = algorithms.get(name, {})
    sign = 1 if expectation["monotone"] == "increasing" else -1
    values = [(place, _values(curve[place], metric)) for place in _in_order(curve)]
    found = []
    for (left, before), (right, after) in pairwise(entry for entry in values if entry[1]):
        difference = paired_difference(after, before)
        if difference is not None:
            text = f"{name} changes by {_signed(difference)} from {left} to {_at(where, right)}"
            slack = sign * difference.mean + expectation["tolerance"]
            found.append(_Check(slack, difference.high - difference.mean, text))
    return found


def _interval(expectation: Mapping[str, Any], algorithms: Curves, metric: str, where: str) -> list[_Check]:
    name = expectation["algorithm"]
    low, high = _limits(expectation)
    found = []
    for place, rows in algorithms.get(name, {}).items():
        values = list(_values(rows, metric).values())
        mean, error = mean_and_error(values)
        if mean is None:
            continue
        margin = math.nan if error is None else t_quantile(0.95, len(values) - 1) * error
        ends = "" if error is None else f" [{mean - margin:.4f}, {mean + margin:.4f}]"
        found.append(_Check(min(mean - low, high - mean), margin, f"{name} = {mean:.4f}{ends} at {_at(where, place)}"))
    return found


def _in_order(places: Iterable[Any]) -> list[Any]:
    """Places along the axis: numbers by size, others as they come."""
    places = list(places)
    numeric = all(isinstance(place, int | float) for place in places)
    return sorted(places) if numeric else places


def _at(where: str, place: Any) -> str:
    shown = f"{place:g}" if isinstance(place, float) else place
    return where if place is None else f"{where} {shown}"


def _signed(difference: PairedDifference) -> str:
    ends = "" if math.isnan(difference.low) else f" [{difference.low:+.4f}, {difference.high:+.4f}]"
    return f"{difference.mean:+.4f}{ends}"
