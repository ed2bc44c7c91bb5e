"""How methods stand over an axis: who is complete, best, decided better, as good, worse, and left out."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from statistics import fmean
from textwrap import shorten

from benchkit.report.grid import Grid
from benchkit.report.points import Point, by_repetition, complete, mean_on
from benchkit.statistics.estimate import APART, LEVEL, Estimate, mean_and_error, out_of_reach, p_equivalent
from benchkit.statistics.measurement import Measurement, combination, combined
from benchkit.statistics.sampling import ROWS, Scope, rounded
from benchkit.trial.record import Record

_LONGEST_REASON = 110
FAR = 1000  # times the loss of a method that looks at no feature: least squares on columns that depend on each other


@dataclass(frozen=True)
class Curve:
    """One method over the axis of a grid.

    The mean over the axis is the area under the curve over the length of the axis (trapezoidal rule) where the axis has
    numbers.
    """

    over_axis: Measurement  # the mean by repetition and data set, of those that are complete along the axis
    mean: float | None
    stderr: float | None


@dataclass(frozen=True, eq=False)
class Standings:
    """How the methods of a grid stand over its axis.

    Complete are those whose means may be compared, the best first: they have as many values as any, or none of their
    trials failed. Whoever fails on the hard repetitions would look good on the rest.
    """

    grid: Grid
    scope: Scope  # where differences are to hold
    curves: Mapping[str, Curve]  # of all methods
    complete: tuple[str, ...]
    leaders: tuple[str, ...]  # the best, and who has the same mean on the repetitions that all complete ones share
    margin: float | None = None  # of practical equivalence
    is_loss: bool = False  # the metric, of rows: seconds are none

    @cached_property
    def means(self) -> Mapping[str, float]:
        """Of every method with a mean over the axis, over its own repetitions."""
        return {name: curve.mean for name, curve in self.curves.items() if curve.mean is not None}

    @cached_property
    def by_mean(self) -> list[str]:
        """All methods: the complete ones, best first, then those whose means leave some out, then those without one."""
        sign = -1.0 if self.grid.greater_is_better else 1.0

        def place(name: str) -> tuple[bool, bool, float]:
            return name not in self.complete, name not in self.means, sign * self.means.get(name, 0.0)

        return sorted(self.grid.rows, key=place)

    @property
    def best(self) -> str:
        """The best of the complete methods."""
        return self.complete[0]

    @property
    def baseline(self) -> str | None:
        """The method that looks at no feature, among the best and those that share a repetition with it."""
        compared = (self.best, *self.gains)
        return next((name for name in self.grid.rows if name in self.grid.trivial and name in compared), None)

    @cached_property
    def gains(self) -> Mapping[str, Estimate]:
        """By how much the best is better than each other complete method, the smallest gain first."""
        return self.gains_of(self.best)

    def gains_of(self, name: str) -> Mapping[str, Estimate]:
        """By how much one method is better than each other complete one, the smallest gain first."""
        sign = 1.0 if self.grid.greater_is_better else -1.0
        gains = {}
        for other in self.complete:
            terms = [*along_the_axis(self.grid, name, sign), *along_the_axis(self.grid, other, -sign)]
            gain = combination(terms, self.scope) if other != name else None
            if gain is not None:
                gains[other] = gain
        return dict(sorted(gains.items(), key=lambda each: each[1].mean))

    def interval(self, name: str) -> tuple[float, float] | None:
        """95 % interval of a method's mean over the axis, in the scope; None where nothing can be said."""
        terms = along_the_axis(self.grid, name)
        mean = combination(terms, self.scope) if terms else None
        return None if mean is None or not math.isfinite(mean.stderr) else mean.interval(LEVEL, self.grid.limits)

    def repetitions(self, name: str) -> tuple[int, int]:
        """In how many repetitions a method has a value at every place of the axis, and in how many any method has."""
        counts = {other: len(by_repetition(curve.over_axis.values)) for other, curve in self.curves.items()}
        return counts[name], max(counts.values())

    @property
    def ahead(self) -> Estimate:
        """By how much the best is better than the next."""
        return next(iter(self.gains.values()))

    @cached_property
    def broken(self) -> tuple[str, ...]:
        """Those whose loss is far beyond that of the method that looks at no feature: no interval tells of them."""
        level = self.means.get(self.baseline or "", 0.0) if self.is_loss else 0.0
        return tuple(name for name in self.gains if self.means[name] > FAR * level > 0)

    @cached_property
    def worse(self) -> tuple[str, ...]:
        """Those that the best is known to be better than: the 95 % interval of the difference lies above zero.

        No correction is needed to call the best decided, as all must be (intersection-union).
        """
        gains = {name: gain for name, gain in self.gains.items() if name not in self.broken}
        return tuple(name for name, gain in gains.items() if gain.decides and gain.interval(LEVEL)[0] > 0)

    @cached_property
    def as_good(self) -> tuple[str, ...]:
        """Those that the best is not known to be better than."""
        return tuple(name for name in self.gains if name not in (*self.worse, *self.broken))

    @cached_property
    def equivalent(self) -> tuple[str, ...]:
        """Of these, those that are known to be within the margin, by two one-sided tests."""
        return tuple(name for name in self.as_good if self.is_equivalent(self.gains[name]))

    def is_equivalent(self, gain: Estimate) -> bool:
        """Whether a difference is known to lie within the margin."""
        return self.margin is not None and p_equivalent(gain, self.margin) < 1 - LEVEL

    def better_at(self, value: object) -> list[str]:
        """The methods that are better at a place than one that looks at no feature, the best first.

        Significantly so, where there are repetitions enough for a test.
        """
        sign = -1.0 if self.grid.greater_is_better else 1.0
        with_mean = [(sign * point.mean, point) for point in self.grid.column(value) if point.mean is not None]
        here = [point for _, point in sorted(with_mean, key=lambda pair: pair[0])]
        trivial = trivial_of(here)
        return [
            point.algorithm
            for point in here
            if trivial is None or (not point.trivial and _passes(point, trivial, sign, self.scope))
        ]

    def out_of_reach(self, gains: Iterable[Estimate]) -> bool:
        """Whether no number of repetitions of these rows will decide some differences."""
        given = any(way.given for curve in self.curves.values() for way in curve.over_axis.drawn.values())
        return any(out_of_reach(gain, APART) for gain in gains if gain.rows is not None or not given)

    @cached_property
    def tied(self) -> tuple[str, ...]:
        """Methods that look at features and whose every value is that of the best."""
        values = {
            name: {value: point.values for value, point in self.grid.rows[name].items()}
            for name in (self.best, *self.as_good)
        }
        return tuple(
            name for name in self.as_good if name not in self.grid.trivial and values[name] == values[self.best]
        )

    @cached_property
    def baseline_is_beaten(self) -> bool:
        """Whether any method is known to be better than the one that looks at no feature, the best or another."""
        ahead = self.gains_of(self.baseline).values() if self.baseline is not None else ()
        return any(gain.decides and gain.interval(LEVEL)[1] < 0 for gain in ahead)

    @property
    def best_is_no_better(self) -> bool:
        """Whether the best is no better than the method that looks at no feature."""
        if self.baseline is None:
            return False
        return self.best == self.baseline or self.gains[self.baseline].mean <= 0

    @cached_property
    def left_out(self) -> Mapping[str, str]:
        """Methods without a value everywhere, and why."""
        return {name: self._why(name) for name in self.grid.rows if name not in self.complete}

    def _why(self, algorithm: str) -> str:
        """Where a method has no value in every repetition, and the reason that its trials give most often."""
        grid, row = self.grid, self.grid.rows[algorithm]
        lacking = {}
        for value, heading in zip(grid.columns, grid.headings, strict=True):
            point, most = row.get(str(value)), max(len(other.parts) for other in grid.column(value))
            if point is None or point.failed or len(point.parts) < max(most, 1):
                lacking[heading] = point
        reasons: Counter[tuple[str, str]] = Counter(
            _outcome(record, grid.metric)
            for point in lacking.values()
            for record in (point.rows if point is not None else ())
            if record["metrics"].get(grid.metric) is None
        )
        where = f" at {grid.at(', '.join(lacking))}" if 1 <= len(lacking) < len(grid.columns) else ""
        if not reasons:  # as published rows of another profile, which stop earlier
            return f"it has fewer trials{where}" if all(lacking.values()) else f"it was not run{where}"
        [((outcome, reason), count)] = reasons.most_common(1)
        mostly = f"{count} of these: " if count < reasons.total() else ""
        shown = shorten(reason, _LONGEST_REASON, placeholder=" ...")
        some = f"{reasons.total()} of " if reasons.total() < sum(len(point.rows) for point in row.values()) else ""
        return f"{some}its trials {outcome}{where} ({mostly}{shown})"


def _outcome(record: Record, metric: str) -> tuple[str, str]:
    """What became of a trial without a value, and why."""
    if record["status"] == "ok":
        absent = record.get("published") and metric not in record["metrics"]
        unknown = "they were published without it" if absent else "no value"
        return f"have no {metric}", str((record.get("no_value") or {}).get(metric, unknown))
    if record["status"] == "skipped":
        return "were skipped", str(record["error"])
    kind, error = record["error_type"] or record["status"], record["error"]  # of which published rows have no text
    return "did not end ok", f"{kind}: {error}" if error else str(kind)


def trivial_of(here: Iterable[Point]) -> Point | None:
    """The first point with a mean whose method looks at no feature: every method has to pass it."""
    return next((point for point in here if point.trivial and point.mean is not None), None)


def _passes(point: Point, trivial: Point, sign: float, scope: Scope) -> bool:
    """Whether a point is significantly better; untested, by the means that tables show or by those that both share.

    Where the two disagree, because trials failed, nothing is held against it.
    """
    shared = sorted(point.parts.keys() & trivial.parts.keys())
    if not shared or point.mean is None or trivial.mean is None:
        return True
    losses = fmean(point.parts[part] - trivial.parts[part] for part in shared), point.mean - trivial.mean
    better = [sign * loss < 0 for loss in losses]
    gain = combination([(-sign, point.measurement), (sign, trivial.measurement)], scope)
    if all(better) and gain is not None and gain.decides:
        return gain.interval(LEVEL)[0] > 0
    return any(better)


def standings(grid: Grid, scope: Scope = ROWS, margin: float | None = None, is_loss: bool = False) -> Standings:
    """How the methods of a grid stand over its axis."""
    curves = {}
    for name in grid.rows:
        terms = along_the_axis(grid, name)
        over_axis = combined(terms) if terms else Measurement({}, {})
        mean, error = mean_and_error(list(by_repetition(over_axis.values).values()))
        curves[name] = Curve(over_axis, mean, error)
    with_mean = {name: curve.over_axis.values for name, curve in curves.items() if curve.mean is not None}
    flawless = [
        name for name, row in grid.rows.items() if not any(point.failed or point.valueless for point in row.values())
    ]
    comparable = {name: with_mean[name] for name in complete(with_mean, flawless)}
    shared = set.intersection(*(set(values) for values in comparable.values())) if comparable else set()
    sign = -1.0 if grid.greater_is_better else 1.0
    on_shared = {name: sign * mean_on(values, shared) for name, values in comparable.items()}
    order = sorted(comparable, key=on_shared.__getitem__)
    size = max(map(abs, on_shared.values()), default=0.0)
    leaders = tuple(name for name in order if rounded(on_shared[name] - on_shared[order[0]], size) == 0)
    return Standings(grid, scope, curves, tuple(order), leaders, margin, is_loss)


def along_the_axis(grid: Grid, algorithm: str, times: float = 1.0) -> list[tuple[float, Measurement]]:
    """What each point of a complete curve weighs in its mean over the axis, times a number; nothing of a shorter one.

    By the trapezoidal rule where the axis has numbers, else all alike.
    """
    row = grid.rows[algorithm]
    if len(row) < len(grid.columns):
        return []
    measured = [row[str(value)].measurement for value in grid.numbers or grid.columns]
    at = [grid.places[str(value)] for value in grid.numbers]
    if not at or at[0] == at[-1]:
        return [(times / len(measured), measurement) for measurement in measured]
    ends = [at[0], *at, at[-1]]
    widths = [(ends[place + 2] - ends[place]) / 2 / (at[-1] - at[0]) for place in range(len(at))]
    return [(times * width, measurement) for width, measurement in zip(widths, measured, strict=True)]
