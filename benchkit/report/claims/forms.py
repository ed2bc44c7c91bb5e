"""How claims of each form are judged on curves: points that must lie somewhere, each with the values behind it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations, pairwise
from statistics import fmean, linear_regression
from typing import Any

from benchkit.document.text import ROUNDING
from benchkit.report.points import by_repetition, curve_name, part_of, sampling_of
from benchkit.statistics.estimate import LEVEL, UNLIMITED, Estimate, Range, estimate, pooled, welch
from benchkit.statistics.measurement import Measurement, combination, combined
from benchkit.statistics.sampling import SPLITS, Sample, Sampling, Values, complete_repetitions
from benchkit.suite.claims import MEASURES, Claim
from benchkit.trial.record import Record

Estimator = Callable[[Sample], Estimate | None]
# Means of the same numbers in another order differ in their last bits.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Evidence:
    """What a point rests on: a mean or a difference, and the records that it is of."""

    measurement: Measurement
    rows: Sequence[Record]


@dataclass(frozen=True)
class Number:
    """A number that a paper prints with its standard error, and ours."""

    theirs: float
    their_error: float
    ours: float
    our_error: float
    low: float  # ends of the 95 % interval of ours minus theirs, by both errors and the degrees of freedom of ours
    high: float

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours - self.theirs

    @property
    def consistent(self) -> bool:
        """Whether the two may be one number."""
        return self.low <= 0 <= self.high


@dataclass(frozen=True)
class ClaimPoint:
    """One comparison that a claim makes: what was measured, and where it must lie."""

    names: tuple[str, ...]  # the algorithms that are compared
    measured: Estimate  # in the scope ``splits``: a claim on published numbers is about these rows
    low: float  # where the true value must lie; an end may be infinite
    high: float
    limits: Range  # what can be measured at all
    text: str  # the numbers, in words
    evidence: Evidence
    strict: bool = False  # whether the ends themselves do not fulfil the claim
    number: Number | None = None  # a printed number with its error: supported as long as nothing speaks against it

    @property
    def interval(self) -> Range:
        """Two-sided 95 % interval within what can be measured."""
        return self.measured.interval(LEVEL, self.limits)

    @property
    def settled_by_ties(self) -> bool:
        """Whether all values are the very limit that is claimed, in so many repetitions that no other is expected."""
        return self.slack == 0 and self.measured.ties()

    @property
    def supported(self) -> bool:
        """Whether the whole interval fulfils the claim, or all values do that are the limit itself."""
        if self.settled_by_ties:
            return not self.strict
        if not self.measured.decides:
            return False
        if self.number is not None:
            return self.number.consistent
        low, high = self.interval
        if self.strict:
            return low > self.low and high < self.high
        return low >= self.low - _ROUNDING and high <= self.high + _ROUNDING

    @property
    def p_against(self) -> float:
        """One-sided p-value against the claim's being true."""
        return min(self.measured.p_above(self.high), self.measured.p_below(self.low))

    @property
    def slack(self) -> float:
        """By how much the estimate fulfils the claim; negative where it does not."""
        return min(self.measured.mean - self.low, self.high - self.measured.mean)


@dataclass(frozen=True)
class Panel:
    """Curves of one data set (or group) under one adversary, and what they are measured by."""

    metric: str
    greater_is_better: bool
    limits: Range  # values that the metric can have
    estimator: Estimator  # `sequential_estimate` where repetitions were run until the claim was decided
    curves: Mapping[str, Mapping[Any, Sequence[Record]]] = field(default_factory=dict)  # by algorithm and axis value
    where: str = ""  # data set and adversary, for people
    data_sets: frozenset[str] | None = None  # means over other data sets are others; absent, those that values have

    @property
    def difference_limits(self) -> Range:
        """Values that a difference of two of the metric's values can have."""
        width = self.limits[1] - self.limits[0]
        return -width, width

    def values(self, rows: Iterable[Record]) -> Values:
        """Metric (or measure) of each trial that ended ok, by repetition and data set."""
        values = {}
        for row in rows:
            fields: Mapping[str, Any] = row
            value = row["metrics"].get(self.metric, fields.get(self.metric) if self.metric in MEASURES else None)
            if row["status"] == "ok" and value is not None:
                values[part_of(row)] = value
        return values

    def mean(self, evidence: Evidence) -> Estimate | None:
        """Mean of some values on these rows; None where there are none."""
        return combination([(1.0, evidence.measurement)], SPLITS, self.estimator)

    def rows(self, *names: str) -> list[Record]:
        """All records of some algorithms."""
        return [row for name in names for rows in self.curves.get(name, {}).values() for row in rows]

    def axis(self, *names: str) -> list[Any]:
        """Axis values that any of the algorithms has."""
        return list(dict.fromkeys(value for name in names for value in self.curves.get(name, {})))

    def place(self, value: Any) -> str:
        """Data set, adversary and point on the axis, where there is one."""
        return self.where if value is None else f"{self.where} {listed([value])}"

    def among(self, names: Sequence[str]) -> Panel:
        """The same on the data sets that all of these algorithms have, each somewhere on the axis."""
        held = [{part for _, part in self.values(self.rows(name))} for name in names]
        return replace(self, data_sets=frozenset(set.intersection(*held)))

    def complete(self, rows: Sequence[Record]) -> Values:
        """The metric's values in the repetitions that have every data set."""
        return complete_repetitions(self.values(rows), self.data_sets)

    def evidence(self, *sides: Sequence[Record]) -> Evidence:
        """The metric's values; of two sides first minus second on repetitions and data sets that both have."""
        terms = [
            (sign, Measurement(self.complete(rows), drawn(rows)))
            for sign, rows in zip((1.0, -1.0), sides, strict=False)
        ]
        return Evidence(combined(terms), [row for rows in sides for row in rows])

    def at(self, value: Any, *names: str) -> Evidence:
        """The evidence on an algorithm, or on the difference of two, at an axis value."""
        return self.evidence(*(self.curves.get(name, {}).get(value, ()) for name in names))

    def point(
        self,
        names: tuple[str, ...],
        evidence: Evidence,
        ends: Range,
        text: tuple[str, str],
        difference_limits: Range | None = None,
        strict: bool = False,
    ) -> list[ClaimPoint]:
        """That a mean, or a difference where it has limits of one, lies between two ends; none without a value.

        The text is what stands before the mean and after it.
        """
        mean = self.mean(evidence)
        if mean is None:
            return []
        limits, sign = (self.limits, "-") if difference_limits is None else (difference_limits, "+")
        shown = with_interval(mean, limits, sign).join(text)
        return [ClaimPoint(names, mean, *ends, limits, shown, evidence, strict)]

    def within(self, names: tuple[str, ...], low: float, high: float, strict: bool = False) -> list[ClaimPoint]:
        """That an algorithm's mean, or the difference of two, lies between two ends at each point that either has."""
        if len(names) == 1:
            # An end that no value can pass is none: an error of 0 does not lie close to the lower end of [0, 0.005].
            low, high = -math.inf if low <= self.limits[0] else low, math.inf if high >= self.limits[1] else high
        limits, points = self.difference_limits if len(names) > 1 else None, []
        for value in self.axis(*names):
            text = f"{' - '.join(names)} = ", f" at {self.place(value)}"
            points += self.point(names, self.at(value, *names), (low, high), text, limits, strict)
        return points


def drawn(rows: Iterable[Record]) -> dict[str, Sampling]:
    """How the rows of each data set were drawn."""
    by_name: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        by_name[curve_name(row)].append(row)
    return {name: sampling_of(own) for name, own in by_name.items()}


def decimal(value: float, sign: str = "-") -> str:
    """Four decimals, or three digits where these would all be zero."""
    if abs(value) < ROUNDING:
        value = 0.0
    return f"{value:{sign}.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:{sign}.3g}"


def with_interval(mean: Estimate, limits: Range, sign: str = "-") -> str:
    """A mean and its interval: ``0.4000 [0.3938, 0.4062]``, or with the sign ``+``, of a difference."""
    if not math.isfinite(mean.stderr):
        return decimal(mean.mean, sign)
    low, high = mean.interval(LEVEL, limits)
    return f"{decimal(mean.mean, sign)} [{decimal(low, sign)}, {decimal(high, sign)}]"


def listed(values: Iterable[Any]) -> str:
    """``5, 0.25, usps``."""
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)


def points_of(claim: Claim, panel: Panel) -> list[ClaimPoint]:
    """Every comparison that a claim makes on the curves of a data set (or group) under an adversary."""
    return [point for names in claim.comparisons for point in _points(claim, panel.among(names), names)]


def _points(claim: Claim, panel: Panel, names: tuple[str, ...]) -> list[ClaimPoint]:
    """The points of one comparison; what a claim of each form says is in `benchkit.suite.claims`."""
    match claim.form:
        case "breakdown":
            return _breakdown(claim, panel, names)
        case "order":
            most = claim.tolerance - claim.by
            low, high = (-most, math.inf) if panel.greater_is_better else (-math.inf, most)
            return panel.within(names, low, high, claim.tolerance == 0)
        case "between":
            return panel.within(names, claim.between[0] - claim.tolerance, claim.between[1] + claim.tolerance)
        case "value" if claim.stderr is None:
            return panel.within(names, claim.value - claim.tolerance, claim.value + claim.tolerance)
        case "value":
            return _printed(claim, panel, names)
        case "monotone":
            return _monotone(claim, panel, names)
        case "exponent":
            return _exponent(claim, panel, names)
        case _:  # alike
            return panel.within(names, -claim.tolerance, claim.tolerance)


def _printed(claim: Claim, panel: Panel, names: tuple[str, ...]) -> list[ClaimPoint]:
    """At each point, whether the mean is consistent with a value that has an error.

    Ours and theirs are independent: their variances v and w add, and Student's t has the degrees of freedom of Welch
    (1947), (v + w)^2 / (v^2 / f + w^2 / g). Papers print no g: as many repetitions as ours, g = f, are taken to be
    behind it. Where ours were looked at after each, the interval is one that holds at every look.
    """
    points, theirs = [], claim.stderr or 0.0
    for axis_value in panel.axis(*names):
        evidence = panel.at(axis_value, *names)
        ours = panel.mean(evidence)
        if ours is None:
            continue
        shifted = [value - claim.value for value in ours.sample.values]
        sample = replace(ours.sample, values=shifted, row_variance=ours.sample.row_variance + theirs**2)
        apart = panel.estimator(sample)
        assert apart is not None
        apart = replace(apart, freedom=welch(ours.stderr, theirs, ours.freedom))
        number = Number(claim.value, theirs, ours.mean, ours.stderr, *apart.interval())
        text = (
            f"{' - '.join(names)} = {decimal(ours.mean)} ± {decimal(ours.stderr)}, ours - theirs = "
            f"{with_interval(apart, UNLIMITED, '+')} at {panel.place(axis_value)}"
        )
        points.append(ClaimPoint(names, apart, 0.0, 0.0, UNLIMITED, text, evidence, number=number))
    return points


def _monotone(claim: Claim, panel: Panel, names: tuple[str, ...]) -> list[ClaimPoint]:
    """No step goes the other way by more than the tolerance; of a constant curve no two points differ by more."""
    curve, direction, slack = panel.curves.get(names[0], {}), claim.monotone, claim.tolerance
    places = [value for value in (sorted(curve) if _are_numbers(curve) else curve) if panel.values(curve[value])]
    ends = -math.inf if direction == "decreasing" else -slack, math.inf if direction == "increasing" else slack
    points = []
    for left, right in combinations(places, 2) if direction == "constant" else pairwise(places):
        text = f"{names[0]} changes by ", f" from {left} to {panel.place(right)}"
        evidence = panel.evidence(curve[right], curve[left])
        points += panel.point(names, evidence, ends, text, panel.difference_limits)
    return points


def _breakdown(claim: Claim, panel: Panel, names: tuple[str, ...]) -> list[ClaimPoint]:
    """Axis values at which the metric first passes the level, compared on shared repetitions."""
    better, worse = (_passed_at(panel, name, claim.breakdown) for name in names)
    rows = panel.rows(*names)
    ways = drawn(rows)
    whole = combined([(1.0, Measurement(better, ways)), (-1.0, Measurement(worse, ways))])
    if not whole.values:
        return []
    numbers = [value for value in panel.axis(*names) if isinstance(value, int | float)]
    length = max(numbers) - min(numbers)
    lasting = zip(names, (better, worse), strict=True)
    passed = ", ".join(f"{name} at {fmean(by_repetition(places).values()):.3g}" for name, places in lasting)
    text = f"{claim.breakdown:g} is passed by {passed}, {' - '.join(names)} = ", f" at {panel.where}"
    ends = claim.by - claim.tolerance, math.inf
    return panel.point(names, Evidence(whole, rows), ends, text, (-length, length), claim.tolerance == 0)


def _passed_at(panel: Panel, name: str, level: float) -> dict[tuple[int, str], float]:
    """The first axis value at which each repetition's metric passes the level; the last one where it never does.

    A group's data sets are averaged first. Nothing where the axis has no numbers.
    """
    curve = panel.curves.get(name, {})
    if not curve or not _are_numbers(curve):
        return {}
    sign = -1.0 if panel.greater_is_better else 1.0
    values = {axis_value: by_repetition(panel.complete(curve[axis_value])) for axis_value in sorted(curve)}
    data_set = min(panel.data_sets or {""})
    return {
        (repetition, data_set): float(
            next((place for place, means in values.items() if sign * (means[repetition] - level) > 0), max(values))
        )
        for repetition in sorted(set.intersection(*map(set, values.values())))
    }


def _exponent(claim: Claim, panel: Panel, names: tuple[str, ...]) -> list[ClaimPoint]:
    """Least-squares slope of the logarithm of the metric against that of the axis, of each repetition."""
    curve = panel.curves.get(names[0], {})
    if not _are_numbers(curve):
        return []
    logarithms: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for axis_value in sorted(curve):
        for repetition, value in by_repetition(panel.complete(curve[axis_value])).items():
            if axis_value > 0 and value > 0:
                logarithms[repetition].append((math.log(axis_value), math.log(value)))
    rows = panel.rows(*names)
    slopes = {
        (repetition, curve_name(rows[0])): float(linear_regression(*zip(*places, strict=True)).slope)
        for repetition, places in logarithms.items()
        if len(places) > 1
    }
    evidence = Evidence(Measurement(slopes, drawn(rows)), rows)
    mean = panel.mean(evidence)
    if mean is None:
        return []
    low, high = claim.exponent[0] - claim.tolerance, claim.exponent[1] + claim.tolerance
    ends = "" if not math.isfinite(mean.stderr) else " [{:.2f}, {:.2f}]".format(*mean.interval())
    text = f"{names[0]} grows with the power {mean.mean:.2f}{ends} at {panel.where}"
    return [ClaimPoint(names, mean, low, high, UNLIMITED, text, evidence)]


def _are_numbers(axis_values: Iterable[Any]) -> bool:
    return all(isinstance(axis_value, int | float) for axis_value in axis_values)


def averaged(claim: Claim, panel: Panel, by_curve: Mapping[str, Sequence[ClaimPoint]]) -> list[ClaimPoint]:
    """One comparison for each pair of algorithms, or for each pair and curve, in place of one at each point."""
    parts = dict(by_curve)
    if claim.on_average == "all":
        whole = [point for points in by_curve.values() for point in points]
        parts = {", ".join(where for where, points in by_curve.items() if points): whole}
    return [
        mean
        for pair in claim.comparisons
        for where, points in parts.items()
        for mean in _mean([point for point in points if point.names == pair], panel, where)
    ]


def _mean(points: Sequence[ClaimPoint], panel: Panel, where: str) -> list[ClaimPoint]:
    """The mean over points; every point counts alike.

    Points of one data set share its splits, so they are averaged within a repetition that has them all; data sets are
    drawn on their own, and each brings all the repetitions that it has.
    """
    if len(points) < 2:
        return list(points)
    evidence, by_draws = _together(points), _by_draws(points)
    measured = panel.mean(evidence)
    if len(by_draws) > 1 and panel.estimator is estimate:
        means = [(len(own) / len(points), panel.mean(_together(own))) for own in by_draws]
        parts = [(weight, mean) for weight, mean in means if mean is not None]
        measured = pooled(parts) if len(parts) == len(by_draws) else None
    if measured is None:
        return []
    tally = Counter(_side(point, panel.greater_is_better) for point in points)
    counts = ", ".join(f"{tally[side]} {side}" for side in ("better", "worse", "open"))
    text = (
        f"{' - '.join(points[0].names)} = {with_interval(measured, points[0].limits, '+')} on average over "
        f"{len(points)} points ({counts}) of {where}"
    )
    return [replace(points[0], measured=measured, text=text, evidence=evidence)]


def _by_draws(points: Iterable[ClaimPoint]) -> list[list[ClaimPoint]]:
    """Points whose repetitions may be the same draws, together.

    Splits are drawn by the data set's name and parameters, whatever label it has: two labels of one table, which is
    prepared in two ways, share them. Records tell the label; where parameters and number of rows are the same, or the
    number is not known, it may be one table.
    """
    groups: list[tuple[set[Any], list[ClaimPoint]]] = []
    for point in points:
        keys: set[Any] = {row["dataset"] for row in point.evidence.rows}
        keys |= {(str(row["dataset_params"]), row.get("n_rows")) for row in point.evidence.rows}
        alike = [group for group in groups if group[0] & keys]
        merged = keys.union(*(own for own, _ in alike)), [each for _, own in alike for each in own] + [point]
        groups = [group for group in groups if not group[0] & keys] + [merged]
    return [own for _, own in groups]


def _together(points: Sequence[ClaimPoint]) -> Evidence:
    """Means over points in the repetitions that all of them have, drawn as the data set was that shares most rows."""
    if len(points) == 1:
        return points[0].evidence
    sides = tuple(point.evidence.measurement for point in points)
    by_point = [by_repetition(side.values) for side in sides]
    rows = [row for point in points for row in point.evidence.rows]
    ways = drawn(rows)
    ratios = {name: 0.0 if sampling.fresh else sampling.ratio for name, sampling in ways.items()}
    name = max(sorted(ratios), key=ratios.__getitem__)
    shared = sorted(set.intersection(*map(set, by_point)))
    values = {(repetition, name): fmean(means[repetition] for means in by_point) for repetition in shared}
    return Evidence(Measurement(values, ways, sides=sides), rows)


def _side(point: ClaimPoint, greater_is_better: bool) -> str:
    """Whether the first algorithm is better or worse, by the point's own interval."""
    low, high = point.interval if point.measured.decides else (0.0, 0.0)
    if low <= 0 <= high:
        return "open"
    return "better" if (low > 0) == greater_is_better else "worse"
