"""The forms that a claim may have, each checked on the curves of one dataset (or group) under one adversary."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from statistics import fmean, linear_regression
from typing import Any

from benchkit.report.formatting import ROUNDING
from benchkit.report.statistics.comparisons import paired
from benchkit.report.statistics.estimate import LEVEL, Estimate, estimate
from benchkit.report.statistics.points import Record, by_repetition, curve_name
from benchkit.report.statistics.sampling import (
    ROWS,
    SPLITS,
    Sample,
    Sampling,
    Values,
    complete_repetitions,
    counts_rows,
    make_sample,
    sampling_of,
)
from benchkit.report.statistics.ties import tied_from
from benchkit.suite.expectation import MEASURES

Curves = Mapping[str, Mapping[Any, Sequence[Record]]]
"""Records by algorithm and axis value."""

Range = tuple[float, float]

Estimator = Callable[[Sample], Estimate | None]
"""What makes a mean with its uncertainty of a sample."""


@dataclass(frozen=True)
class Basis:
    """What a check rests on.

    Attributes
    ----------
    values : mapping of (repetition, data set) to float
    rows : sequence of record
        That the values are from.
    counts_rows : bool, default=True
        Whether what was measured may count test rows.
    """

    values: Values
    rows: Sequence[Record]
    counts_rows: bool = True

    @property
    def cells(self) -> frozenset[str]:
        """The cells whose repetitions the values need."""
        return frozenset(row["cell"] for row in self.rows)

    def on_new_rows(self) -> Estimate | None:
        """The same mean, of which it is asked what it would be on new rows."""
        return estimate(make_sample(self.values, _drawn(self.rows), ROWS))


@dataclass(frozen=True)
class Check:
    """One comparison that a claim makes: what was measured, and where it must lie.

    Attributes
    ----------
    measured : Estimate
        In the scope ``splits``: a claim on published numbers is about these rows.
    low, high : float
        Where the true value must lie; an end may be infinite.
    limits : tuple of float
        What can be measured at all.
    strict : bool
        Whether the ends themselves do not fulfil the claim.
    evidence : str
    basis : Basis
    """

    measured: Estimate
    low: float
    high: float
    limits: Range
    strict: bool
    evidence: str
    basis: Basis

    @property
    def interval(self) -> Range:
        """Two-sided 95 % interval within what can be measured."""
        return self.measured.interval(LEVEL, self.limits)

    @property
    def ties(self) -> bool:
        """Whether all values are the very limit that is claimed."""
        return self.measured.ties and self.slack == 0

    @property
    def settled_by_ties(self) -> bool:
        """Whether they are so in so many repetitions that no other value is expected."""
        return self.ties and self.measured.n >= tied_from(self.basis.counts_rows)

    @property
    def supported(self) -> bool:
        """Whether the whole interval fulfils the claim, or all values do that are the limit itself."""
        if self.settled_by_ties:
            return not self.strict
        low, high = self.interval
        if not self.measured.decides:
            return False
        if self.strict:
            return low > self.low and high < self.high
        return low >= self.low - _ROUNDING and high <= self.high + _ROUNDING

    @property
    def answers(self) -> tuple[Range, ...]:
        """Where the true value must be shown to lie for the claim to be supported, or else contradicted."""
        beyond = ((-math.inf, self.low), (self.high, math.inf))
        return ((self.low, self.high), *(each for each in beyond if each[0] < each[1]))

    @property
    def p_against(self) -> float:
        """One-sided p-value against the claim's being true."""
        return min(self.measured.p_above(self.high), self.measured.p_below(self.low))

    @property
    def slack(self) -> float:
        """By how much the estimate fulfils the claim; negative where it does not."""
        return min(self.measured.mean - self.low, self.high - self.measured.mean)

    def level(self, points: int) -> float:
        """Of the interval that decides it, two-sided: as it seems, it supports by itself or contradicts among points.

        Holm's correction asks of the first of several points that is to contradict what Bonferroni's does.
        """
        return 1 - (1 - LEVEL) / points if self.slack < 0 else LEVEL

    def needed(self, points: int) -> float:
        """About how many repetitions would decide it, as one of the points that its claim speaks of."""
        if self.ties and not self.strict:
            return tied_from(self.basis.counts_rows)
        mean = self.measured.mean
        ends = [end for end in (self.low, self.high) if math.isfinite(end)]
        if self.slack < 0:
            return self.measured.repetitions_to_decide(self.low if mean < self.low else self.high, self.level(points))
        return max((self.measured.repetitions_to_decide(end) for end in ends), default=math.inf)


# Means of the same numbers in another order differ in their last bits.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Question:
    """A claim, and what its metric is like.

    Attributes
    ----------
    expectation : mapping
        The fields of an `benchkit.suite.schema.Expectation`.
    metric : str
    greater_is_better : bool
    limits : tuple of float
        Values that the metric can have.
    estimator : callable, default=estimate
        What makes a mean of a sample; `benchkit.report.statistics.time_uniform.sequential_estimate` where repetitions
        were run until the question was decided.
    data_sets : frozenset of str, optional
        That its algorithms have, each somewhere on the axis: means over other data sets are others. Absent, those that
        values have.
    """

    expectation: Mapping[str, Any]
    metric: str
    greater_is_better: bool
    limits: Range = (-math.inf, math.inf)
    estimator: Estimator = estimate
    data_sets: frozenset[str] | None = None

    def between(self, algorithms: Curves, names: Iterable[str]) -> Question:
        """The same question about some of the algorithms, on the data sets that all of these have."""
        held = [
            {part for rows in algorithms.get(name, {}).values() for _, part in metric_values(rows, self.metric)}
            for name in names
        ]
        return replace(self, data_sets=frozenset(set.intersection(*held)))

    def complete(self, values: Values) -> Values:
        """The values of the repetitions that have every data set that the claim is about."""
        return complete_repetitions(values, self.data_sets)

    @property
    def difference_limits(self) -> Range:
        """Values that a difference of two of the metric's values can have."""
        width = self.limits[1] - self.limits[0]
        return -width, width

    def mean(self, basis: Basis) -> Estimate | None:
        """Mean of some values on these rows; None where there are none."""
        return self.estimator(make_sample(basis.values, _drawn(basis.rows), SPLITS))


def check(question: Question, algorithms: Curves, where: str) -> list[Check]:
    """Every comparison that a claim makes on some curves.

    Parameters
    ----------
    question : Question
    algorithms : Curves
    where : str
        The curves' dataset and adversary, for people.
    """
    expectation = question.expectation
    if expectation["breakdown"] is not None:
        return _breakdown(question, algorithms, where)
    if expectation["order"] is not None:
        return _order(question, algorithms, where)
    if expectation["alike"] is not None:
        return _alike(question, algorithms, where)
    if expectation["monotone"] is not None:
        return _monotone(question, algorithms, where)
    if expectation["exponent"] is not None:
        return _exponent(question, algorithms, where)
    return _interval(question, algorithms, where)


def expected(expectation: Mapping[str, Any], metric: str) -> str:
    """What a claim comes to: ``lp in [0.19, 0.27]``."""
    tolerance = expectation["tolerance"]
    within = f" within {tolerance:g}" if tolerance else ""
    if expectation["breakdown"] is not None:
        order = ", ".join(expectation["order"])
        by = f" by {expectation['by']:g} at least" if expectation["by"] else ""
        return f"{metric} passes {expectation['breakdown']:g} later from right to left{by}: {order}{within}"
    if expectation["order"] is not None:
        by = f" by {expectation['by']:g}" if expectation["by"] else ""
        better = f"better{by}" if by or not tolerance else "no worse"
        return f"{metric} {better} from left to right: " + ", ".join(expectation["order"]) + within
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


def metric_values(rows: Iterable[Record], metric: str) -> Values:
    """Metric (or measure) of each trial that ended ok, by repetition and data set."""
    values = {}
    for row in rows:
        value = row["metrics"].get(metric, row.get(metric) if metric in MEASURES else None)
        if row["status"] == "ok" and value is not None:
            values[row["repetition"], curve_name(row)] = value
    return values


def _drawn(rows: Iterable[Record]) -> dict[str, Sampling]:
    by_name: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        by_name[curve_name(row)].append(row)
    return {name: sampling_of(each) for name, each in by_name.items()}


def _difference(first: Sequence[Record], second: Sequence[Record], question: Question) -> Basis:
    """First minus second on the repetitions and datasets that both have: one that either lacks counts for neither."""
    ours, theirs = (metric_values(rows, question.metric) for rows in (first, second))
    rows = [*first, *second]
    drawn = _drawn(rows)
    return Basis(question.complete(paired(ours, theirs)), rows, counts_rows(ours, drawn) and counts_rows(theirs, drawn))


def _places(algorithms: Curves, names: Iterable[str]) -> list[Any]:
    return list(dict.fromkeys(place for name in names for place in algorithms.get(name, {})))


def _order(question: Question, algorithms: Curves, where: str) -> list[Check]:
    expectation, checks = question.expectation, []
    most = expectation["tolerance"] - expectation["by"]
    low, high = (-most, math.inf) if question.greater_is_better else (-math.inf, most)
    for better, worse in pairwise(expectation["order"]):
        between = question.between(algorithms, (better, worse))
        for place in _places(algorithms, (better, worse)):
            first, second = (algorithms.get(name, {}).get(place, ()) for name in (better, worse))
            basis = _difference(first, second, between)
            difference = question.mean(basis)
            if difference is not None:
                limits = question.difference_limits
                text = f"{better} - {worse} = {_signed(difference, limits)} at {_at(where, place)}"
                checks.append(Check(difference, low, high, limits, expectation["tolerance"] == 0, text, basis))
    return checks


def _alike(question: Question, algorithms: Curves, where: str) -> list[Check]:
    expectation, checks = question.expectation, []
    for one, other in combinations(expectation["alike"], 2):
        between = question.between(algorithms, (one, other))
        for place in _places(algorithms, (one, other)):
            first, second = (algorithms.get(name, {}).get(place, ()) for name in (one, other))
            basis = _difference(first, second, between)
            difference = question.mean(basis)
            if difference is not None:
                margin, limits = expectation["tolerance"], question.difference_limits
                text = f"{one} - {other} = {_signed(difference, limits)} at {_at(where, place)}"
                checks.append(Check(difference, -margin, margin, limits, False, text, basis))
    return checks


def _breakdown(question: Question, algorithms: Curves, where: str) -> list[Check]:
    """Who lasts longer: axis values at which the metric first passes the level, on shared repetitions."""
    expectation, checks = question.expectation, []
    level = expectation["breakdown"]
    for better, worse in pairwise(expectation["order"]):
        between = question.between(algorithms, (better, worse))
        lasting = {name: _breakdown_places(algorithms.get(name, {}), between, level) for name in (better, worse)}
        rows = [row for name in (better, worse) for each in algorithms.get(name, {}).values() for row in each]
        basis = Basis(paired(lasting[better], lasting[worse]), rows)
        difference = question.mean(basis)
        if difference is not None:
            span = _span(algorithms, (better, worse))
            shown = [(name, by_repetition(lasting[name]).values()) for name in (better, worse)]
            places = ", ".join(f"{name} at {fmean(values):.3g}" for name, values in shown)
            change = _signed(difference, (-span, span))
            text = f"{level:g} is passed by {places}, {better} - {worse} = {change} at {where}"
            least, strict = expectation["by"] - expectation["tolerance"], expectation["tolerance"] == 0
            checks.append(Check(difference, least, math.inf, (-span, span), strict, text, basis))
    return checks


def _span(algorithms: Curves, names: Iterable[str]) -> float:
    """Length of the axis."""
    places = [place for place in _places(algorithms, names) if isinstance(place, int | float)]
    return max(places) - min(places) if places else math.inf


def _breakdown_places(
    curve: Mapping[Any, Sequence[Record]], question: Question, level: float
) -> dict[tuple[int, str], float]:
    """The first axis value at which each repetition's metric passes the level; the last one where it never does.

    A group's data sets are averaged first. Nothing where the axis has no numbers.
    """
    if not _is_numeric(curve):
        return {}
    sign = -1.0 if question.greater_is_better else 1.0
    values = [
        (place, by_repetition(question.complete(metric_values(curve[place], question.metric))))
        for place in sorted(curve)
    ]
    complete = set.intersection(*(set(each) for _, each in values)) if values else set()
    name = min(question.data_sets or {""})
    return {
        (repetition, name): float(
            next((place for place, each in values if sign * (each[repetition] - level) > 0), values[-1][0])
        )
        for repetition in sorted(complete)
    }


def _exponent(question: Question, algorithms: Curves, where: str) -> list[Check]:
    """Least-squares slope of the logarithm of the metric against that of the axis, of each repetition."""
    name = question.expectation["algorithm"]
    question = question.between(algorithms, (name,))
    curve = algorithms.get(name, {})
    if not _is_numeric(curve):
        return []
    points: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for place in sorted(curve):
        for repetition, value in by_repetition(question.complete(metric_values(curve[place], question.metric))).items():
            if place > 0 and value > 0:
                points[repetition].append((math.log(place), math.log(value)))
    rows = [row for each in curve.values() for row in each]
    slopes = {
        (repetition, curve_name(rows[0])): float(linear_regression(*zip(*each, strict=True)).slope)
        for repetition, each in points.items()
        if len(each) > 1
    }
    basis = Basis(slopes, rows)
    mean = question.mean(basis)
    if mean is None:
        return []
    low, high = question.expectation["exponent"]
    slack = question.expectation["tolerance"]
    ends = "" if not math.isfinite(mean.stderr) else " [{:.2f}, {:.2f}]".format(*mean.interval())
    text = f"{name} grows with the power {mean.mean:.2f}{ends} at {where}"
    return [Check(mean, low - slack, high + slack, (-math.inf, math.inf), False, text, basis)]


def _monotone(question: Question, algorithms: Curves, where: str) -> list[Check]:
    name, direction = question.expectation["algorithm"], question.expectation["monotone"]
    question = question.between(algorithms, (name,))
    curve, slack = algorithms.get(name, {}), question.expectation["tolerance"]
    known = [place for place in _in_order(curve) if metric_values(curve[place], question.metric)]
    low = -math.inf if direction == "decreasing" else -slack
    high = math.inf if direction == "increasing" else slack
    checks = []
    for left, right in combinations(known, 2) if direction == "constant" else pairwise(known):
        basis = _difference(curve[right], curve[left], question)
        difference = question.mean(basis)
        if difference is not None:
            change = _signed(difference, question.difference_limits)
            text = f"{name} changes by {change} from {left} to {_at(where, right)}"
            checks.append(Check(difference, low, high, question.difference_limits, False, text, basis))
    return checks


def _interval(question: Question, algorithms: Curves, where: str) -> list[Check]:
    name = question.expectation["algorithm"]
    question = question.between(algorithms, (name,))
    low, high = _limits(question.expectation)
    # An end that no value can pass is none: an error of 0 does not lie close to the lower end of [0, 0.005].
    least, most = question.limits
    low, high = -math.inf if low <= least else low, math.inf if high >= most else high
    checks = []
    for place, rows in algorithms.get(name, {}).items():
        basis = Basis(question.complete(metric_values(rows, question.metric)), rows)
        mean = question.mean(basis)
        if mean is not None:
            text = f"{name} = {_with_interval(mean, question.limits)} at {_at(where, place)}"
            checks.append(Check(mean, low, high, question.limits, False, text, basis))
    return checks


def _is_numeric(places: Iterable[Any]) -> bool:
    return all(isinstance(place, int | float) for place in places)


def _in_order(places: Iterable[Any]) -> list[Any]:
    """Places along the axis: numbers by size, others as they come."""
    places = list(places)
    return sorted(places) if _is_numeric(places) else places


def _at(where: str, place: Any) -> str:
    shown = f"{place:g}" if isinstance(place, float) else place
    return where if place is None else f"{where} {shown}"


def decimal(value: float, sign: str = "-") -> str:
    """Four decimals, or three digits where these would all be zero."""
    if abs(value) < ROUNDING:
        value = 0.0
    return f"{value:{sign}.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:{sign}.3g}"


def _with_interval(mean: Estimate, limits: Range, sign: str = "-") -> str:
    if not math.isfinite(mean.stderr):
        return decimal(mean.mean, sign)
    low, high = mean.interval(LEVEL, limits)
    return f"{decimal(mean.mean, sign)} [{decimal(low, sign)}, {decimal(high, sign)}]"


def _signed(difference: Estimate, limits: Range) -> str:
    return _with_interval(difference, limits, "+")
