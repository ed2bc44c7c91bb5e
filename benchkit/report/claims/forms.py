"""Forms of claims: how each is worded, and the points that it is judged by, each with the values behind it."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, pairwise
from statistics import fmean, linear_regression
from typing import Any, NamedTuple

from benchkit.document.text import ROUNDING
from benchkit.report.points import Point, by_repetition
from benchkit.statistics.estimate import LEVEL, UNLIMITED, Estimate, Range, estimate, pooled, welch
from benchkit.statistics.measurement import Measurement, combination, combined
from benchkit.statistics.sampling import SPLITS, Drawn, Sample, complete_repetitions
from benchkit.suite.claims import Claim
from benchkit.trial.record import Record

Estimator = Callable[[Sample], Estimate | None]
# Means of the same numbers in another order differ in their last bits.
_ROUNDING = 1e-12


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
    measurement: Measurement  # what the estimate is of
    rows: Sequence[Record]  # the records behind it
    strict: bool = False  # whether the ends themselves do not fulfil the claim
    number: Number | None = None  # a printed number with its error: supported as long as nothing speaks against it

    @property
    def interval(self) -> Range:
        """Two-sided 95 % interval within what can be measured."""
        return self.measured.interval(LEVEL, self.limits)

    @property
    def settled_by_ties(self) -> bool:
        """Whether all values are 0 and fulfil the claim, in so many repetitions that no other value is expected."""
        return self.slack >= 0 and self.measured.ties()

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
        rounding = _ROUNDING * max(abs(end) for end in (low, high, self.low, self.high) if math.isfinite(end))
        return low >= self.low - rounding and high <= self.high + rounding

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
    """Points of one data set (or group) under one adversary, and what they are judged by."""

    where: str  # data set and adversary, for people
    curves: Mapping[str, Mapping[Any, Point]]  # by algorithm and axis value
    greater_is_better: bool
    limits: Range  # values that the metric can have
    estimator: Estimator  # `sequential_estimate` where repetitions were run until the claim was decided

    @property
    def difference_limits(self) -> Range:
        """Values that a difference of two of the metric's values can have."""
        width = self.limits[1] - self.limits[0]
        return -width, width

    def points(self, *names: str) -> list[Point]:
        """All points of some algorithms."""
        return [point for name in names for point in self.curves.get(name, {}).values()]

    def axis(self, *names: str) -> list[Any]:
        """Axis values that any of the algorithms has."""
        return list(dict.fromkeys(value for name in names for value in self.curves.get(name, {})))

    def place(self, value: Any) -> str:
        """Data set, adversary and point on the axis, where there is one."""
        return self.where if value is None else f"{self.where} {listed([value])}"

    def among(self, names: Sequence[str]) -> Panel:
        """The algorithms in repetitions with every data set that all of them have, each somewhere on the axis."""
        parts = [{part for point in self.points(name) for _, part in point.parts} for name in names]
        shared = frozenset.intersection(*map(frozenset, parts))

        def whole(point: Point) -> Point:
            values = complete_repetitions(point.parts, shared)
            return replace(point, measurement=replace(point.measurement, values=values))

        curves = {name: {value: whole(point) for value, point in self.curves.get(name, {}).items()} for name in names}
        return replace(self, curves=curves)


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


def expected(claim: Claim, metric: str) -> str:
    """What a claim comes to, for people: ``lp in [0.19, 0.27]``."""
    names, slack = ", ".join(claim.algorithms), claim.tolerance
    within, by = f" within {slack:g}" if slack else "", f" by {claim.by:g}" if claim.by else ""
    average = {"all": " on average", "curve": " on average along each curve", None: ""}[claim.on_average]
    match claim.form:
        case "breakdown":
            at_least = f"{by} at least" if by else ""
            return f"{metric} passes {claim.breakdown:g} later from right to left{at_least}: {names}{within}"
        case "order":
            better = f"better{by}" if by or not slack else "no worse"
            return f"{metric} {better}{average} from left to right: {names}{within}"
        case "alike":
            return f"{metric} alike{average}: {names}{within}"
        case "between":
            return f"{names} in [{claim.between[0] - slack:g}, {claim.between[1] + slack:g}]"
        case "value":
            around = f" ± {slack if claim.stderr is None else claim.stderr:g}" if claim.stderr != 0 else ""
            return f"{' - '.join(claim.algorithms)} = {claim.value:g}{around}"
        case "monotone":
            return f"{metric} of {names} {claim.monotone} along the axis{within}"
        case _:
            low, high = claim.exponent
            return f"{metric} of {names} grows with a power of the axis in [{low:g}, {high:g}]"


def _ends(claim: Claim, greater_is_better: bool) -> Range:
    """Where what a claim of each form measures must lie."""
    slack = claim.tolerance
    match claim.form:
        case "breakdown":
            return claim.by - slack, math.inf
        case "order":
            return (claim.by - slack, math.inf) if greater_is_better else (-math.inf, slack - claim.by)
        case "alike":
            return -slack, slack
        case "monotone":
            direction = claim.monotone
            return -math.inf if direction == "decreasing" else -slack, math.inf if direction == "increasing" else slack
        case "value":
            return claim.value - slack, claim.value + slack
        case form:
            low, high = claim.between if form == "between" else claim.exponent
            return low - slack, high + slack


class Quantity(NamedTuple):
    """What a claim speaks of at a place: a mean, a difference, a slope."""

    measurement: Measurement
    points: Sequence[Point]
    text: tuple[str, str]  # what stands before its mean and after it
    limits: Range  # what can be measured


def points_of(claim: Claim, panel: Panel) -> list[ClaimPoint]:
    """Every comparison that a claim makes on the curves of a data set (or group) under an adversary."""
    made = []
    for names in claim.comparisons:
        for quantity in _QUANTITIES.get(claim.form, _means)(claim, panel.among(names), names):
            mean = combination([(1.0, quantity.measurement)], SPLITS, panel.estimator)
            if mean is not None:
                made.append(_point(claim, panel, names, quantity, mean))
    return made


def _point(claim: Claim, panel: Panel, names: tuple[str, ...], quantity: Quantity, mean: Estimate) -> ClaimPoint:
    measurement, points, (before, after), limits = quantity
    rows = [row for point in points for row in point.rows]
    if claim.stderr is not None:
        apart = _apart(mean, claim.value, claim.stderr, panel.estimator)
        shown = f"{decimal(mean.mean)} ± {decimal(mean.stderr)}, ours - theirs = {with_interval(apart, UNLIMITED, '+')}"
        number = Number(claim.value, claim.stderr, mean.mean, mean.stderr, *apart.interval())
        text = f"{before}{shown}{after}"
        return ClaimPoint(names, apart, 0.0, 0.0, UNLIMITED, text, measurement, rows, number=number)
    low, high = _ends(claim, panel.greater_is_better)
    if claim.form == "exponent":
        shown = f"{mean.mean:.2f}" + (
            " [{:.2f}, {:.2f}]".format(*mean.interval()) if math.isfinite(mean.stderr) else ""
        )
    elif claim.form not in ("between", "value") or len(names) > 1:
        shown = with_interval(mean, limits, "+")
    else:
        shown = with_interval(mean, limits)
        # An end that no value can pass is none: an error of 0 does not lie close to the lower end of [0, 0.005].
        low, high = -math.inf if low <= limits[0] else low, math.inf if high >= limits[1] else high
    strict = claim.form in ("order", "breakdown") and "tolerance" not in claim.model_fields_set
    return ClaimPoint(names, mean, low, high, limits, f"{before}{shown}{after}", measurement, rows, strict)


def _apart(ours: Estimate, value: float, error: float, estimator: Estimator) -> Estimate:
    """By how much our mean is apart from a printed value that has an error.

    Ours and theirs are independent: their variances v and w add, and Student's t has the degrees of freedom of Welch
    (1947), (v + w)^2 / (v^2 / f + w^2 / g). Papers print no g: as many repetitions as ours, g = f, are taken to be
    behind it. Where ours were looked at after each, the interval is one that holds at every look.
    """
    shifted = [ours_of_repetition - value for ours_of_repetition in ours.sample.values]
    apart = estimator(replace(ours.sample, values=shifted, row_variance=ours.sample.row_variance + error**2))
    assert apart is not None
    return replace(apart, freedom=welch(ours.stderr, error, ours.freedom))


def _means(claim: Claim, panel: Panel, names: tuple[str, ...]) -> Iterator[Quantity]:
    """An algorithm's mean, or the difference of two, at each point that both have."""
    limits = panel.limits if len(names) == 1 else panel.difference_limits
    for value in panel.axis(*names):
        points = [panel.curves[name][value] for name in names if value in panel.curves[name]]
        if len(points) == len(names):
            yield Quantity(
                _difference(*points), points, (f"{' - '.join(names)} = ", f" at {panel.place(value)}"), limits
            )


def _difference(*points: Point) -> Measurement:
    """A point's values; of two first minus second on what both have."""
    return combined([(sign, point.measurement) for sign, point in zip((1.0, -1.0), points, strict=False)])


def _steps(claim: Claim, panel: Panel, names: tuple[str, ...]) -> Iterator[Quantity]:
    """From each point of a curve to the next; of a constant curve, where no two may differ, from each to all later."""
    curve = {value: point for value, point in panel.curves[names[0]].items() if point.mean is not None}
    places = sorted(curve) if _are_numbers(panel.curves[names[0]]) else list(curve)
    for left, right in combinations(places, 2) if claim.monotone == "constant" else pairwise(places):
        points = curve[right], curve[left]
        text = f"{names[0]} changes by ", f" from {left} to {panel.place(right)}"
        yield Quantity(_difference(*points), points, text, panel.difference_limits)


def _lasting(claim: Claim, panel: Panel, names: tuple[str, ...]) -> Iterator[Quantity]:
    """Axis values at which the metric first passes the level, compared on shared repetitions."""
    # Where one has no value neither is looked at: who runs further would seem to last longer.
    axis = [value for value in panel.axis(*names) if all(_has_values(panel.curves[name], value) for name in names)]
    points = panel.points(*names)
    better, worse = (Measurement(_passed_at(panel, name, axis, claim.breakdown), _drawn(points)) for name in names)
    whole = combined([(1.0, better), (-1.0, worse)])
    if not whole.values:
        return
    length = max(axis) - min(axis)
    lasting = zip(names, (better, worse), strict=True)
    passed = ", ".join(f"{name} at {fmean(by_repetition(side.values).values()):.3g}" for name, side in lasting)
    text = f"{claim.breakdown:g} is passed, or the axis ends, by {passed}, {' - '.join(names)} = ", f" at {panel.where}"
    yield Quantity(whole, points, text, (-length, length))


def _has_values(curve: Mapping[Any, Point], value: Any) -> bool:
    return isinstance(value, int | float) and value in curve and bool(curve[value].values)


def _passed_at(panel: Panel, name: str, axis: Sequence[float], level: float) -> dict[tuple[int, str], float]:
    """The first axis value at which each repetition's metric passes the level; the last one where it never does.

    A group's data sets are averaged first. Nothing where the axis has no numbers.
    """
    curve = panel.curves[name]
    if not axis:
        return {}
    sign = -1.0 if panel.greater_is_better else 1.0
    values = {axis_value: curve[axis_value].values for axis_value in sorted(axis)}
    data_set = min((part for point in curve.values() for _, part in point.parts), default="")
    return {
        (repetition, data_set): float(
            next((place for place, means in values.items() if sign * (means[repetition] - level) > 0), max(values))
        )
        for repetition in sorted(set.intersection(*map(set, values.values())))
    }


def _slope(claim: Claim, panel: Panel, names: tuple[str, ...]) -> Iterator[Quantity]:
    """Least-squares slope of the logarithm of the metric against that of the axis, of each repetition."""
    curve = panel.curves[names[0]]
    if not curve or not _are_numbers(curve):
        return
    logarithms: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for axis_value in sorted(curve):
        for repetition, value in curve[axis_value].values.items():
            if axis_value > 0 and value > 0:
                logarithms[repetition].append((math.log(axis_value), math.log(value)))
    points = list(curve.values())
    slopes = {
        (repetition, next(iter(points[0].drawn))): float(linear_regression(*zip(*places, strict=True)).slope)
        for repetition, places in logarithms.items()
        if len(places) > 1
    }
    text = f"{names[0]} grows with the power ", f" at {panel.where}"
    yield Quantity(Measurement(slopes, _drawn(points)), points, text, UNLIMITED)


_QUANTITIES = {"breakdown": _lasting, "monotone": _steps, "exponent": _slope}
"""What claims of a form speak of, where it is no mean and no difference at a point."""


def _drawn(points: Sequence[Point | Measurement]) -> Drawn:
    """How the rows of each data set were drawn, of several points by the first."""
    return {name: way for point in reversed(points) for name, way in point.drawn.items()}


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
    whole, draws = _together(points), _by_draws(points)
    measured = combination([(1.0, whole)], SPLITS, panel.estimator)
    if len(draws) > 1 and panel.estimator is estimate:
        means = [(len(own) / len(points), combination([(1.0, _together(own))], SPLITS)) for own in draws]
        parts = [(weight, mean) for weight, mean in means if mean is not None]
        measured = pooled(parts) if len(parts) == len(draws) else None
    if measured is None:
        return []
    tally = Counter(_side(point, panel.greater_is_better) for point in points)
    counts = ", ".join(f"{tally[side]} {side}" for side in ("better", "worse", "open"))
    text = (
        f"{' - '.join(points[0].names)} = {with_interval(measured, points[0].limits, '+')} on average over "
        f"{len(points)} points ({counts}) of {where}"
    )
    rows = [row for point in points for row in point.rows]
    return [replace(points[0], measured=measured, text=text, measurement=whole, rows=rows)]


def _by_draws(points: Iterable[ClaimPoint]) -> list[list[ClaimPoint]]:
    """Points whose repetitions may be the same draws, together.

    Splits are drawn by the data set's name and parameters, whatever label it has: two labels of one table, which is
    prepared in two ways, share them. Records tell the label; where parameters and number of rows are the same, or the
    number is not known, it may be one table.
    """
    groups: list[tuple[set[Any], list[ClaimPoint]]] = []
    for point in points:
        keys: set[Any] = {row["dataset"] for row in point.rows}
        keys |= {(str(row["dataset_params"]), row.get("n_rows")) for row in point.rows}
        alike = [group for group in groups if group[0] & keys]
        merged = keys.union(*(own for own, _ in alike)), [each for _, own in alike for each in own] + [point]
        groups = [group for group in groups if not group[0] & keys] + [merged]
    return [own for _, own in groups]


def _together(points: Sequence[ClaimPoint]) -> Measurement:
    """Means over points in the repetitions that all of them have, drawn as the data set was that shares most rows."""
    if len(points) == 1:
        return points[0].measurement
    sides = tuple(point.measurement for point in points)
    by_point = [by_repetition(side.values) for side in sides]
    ways = _drawn(sides)
    name = max(sorted(ways), key=lambda name: 0.0 if ways[name].fresh else ways[name].ratio)
    shared = sorted(set.intersection(*map(set, by_point)))
    values = {(repetition, name): fmean(means[repetition] for means in by_point) for repetition in shared}
    return Measurement(values, ways, sides=sides)


def _side(point: ClaimPoint, greater_is_better: bool) -> str:
    """Whether the first algorithm is better or worse, by the point's own interval."""
    low, high = point.interval if point.measured.decides else (0.0, 0.0)
    if low <= 0 <= high:
        return "open"
    return "better" if (low > 0) == greater_is_better else "worse"
