"""How methods stand over the axis: who is complete and best, by how much, who is as good, who is left out and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from benchkit.journal import Record
from benchkit.report.grid import Grid, numeric_columns, robustness, trapezoid_weights
from benchkit.report.points import Point, TrivialBaseline, by_repetition, combined, mean_on, trivial_of
from benchkit.statistics.estimate import APART, LEVEL, Estimate, out_of_reach
from benchkit.statistics.sampling import ROWS, Sampling, Scope, Values


@dataclass(frozen=True)
class Tested:
    """How many rows were tested, of how many.

    Attributes
    ----------
    count, whole : int
        Of rows, or of groups where whole groups are drawn.
    unit : str
        ``rows`` or ``groups``.
    exact : bool
        Whether the rows were kept, or follow from the split; else the count is the one that is expected.
    """

    count: int
    whole: int
    unit: str
    exact: bool


@dataclass(frozen=True)
class Lead:
    """The best algorithm of a grid over the axis.

    Attributes
    ----------
    grid : Grid
    best, second : str
    mean : float
        Of the best, over the axis.
    ahead : Estimate
        By how much it is better than the second.
    decided : bool
        Whether it is better than every other: all 95 % intervals of the differences lie above zero. No correction is
        needed, as all must (intersection-union).
    out_of_reach : bool
        Whether no number of repetitions of these rows will decide.
    as_good : tuple of str
        Those that it is not known to be better than, the best of them first.
    unsteady : tuple of str
        Of these, those whose mean is worse than that of a method which is known to be worse: their differences vary so
        much that nothing is known, which is no reason to call them as good.
    worse : tuple of str
        Those that it is known to be better than, the best of them first.
    left_out : mapping of str to str
        Methods without a value everywhere, and why.
    tested : Tested or None
        Rows that were tested, where repetitions share those of one data set.
    bar : TrivialBaseline or None
        The method that looks at no feature, where there is one.
    bar_mean : float
        Its mean over the axis.
    best_is_no_better : bool
        Whether the best is no better than that.
    """

    grid: Grid
    best: str
    second: str
    mean: float
    ahead: Estimate
    decided: bool
    out_of_reach: bool
    as_good: tuple[str, ...] = ()
    unsteady: tuple[str, ...] = ()
    worse: tuple[str, ...] = ()
    left_out: Mapping[str, str] = field(default_factory=dict)
    tested: Tested | None = None
    bar: TrivialBaseline | None = None
    bar_mean: float = math.nan
    best_is_no_better: bool = False


@dataclass(frozen=True)
class Standings:
    """How the methods of a grid stand over its axis, by their means.

    Attributes
    ----------
    grid : Grid
    curves : mapping of str to (values, mapping of data set to Sampling)
        Of the methods that have a mean over the axis, its value by repetition and data set.
    complete : tuple of str
        Those whose means may be compared, the best first: they have as many values as any, or none of their trials
        failed. Whoever fails on the hard repetitions would look good on the rest.
    means : mapping of str to float
        Of every method with a mean, over its own repetitions.
    leaders : tuple of str
        The best, and those that have the same mean on the repetitions that all complete ones share.
    baseline : TrivialBaseline or None
        The method among the complete ones that looks at no feature.
    """

    grid: Grid
    curves: Mapping[str, tuple[Values, Mapping[str, Sampling]]]
    complete: tuple[str, ...]
    means: Mapping[str, float]
    leaders: tuple[str, ...]
    baseline: TrivialBaseline | None

    def lead(self, scope: Scope, records: Mapping[str, Sequence[Record]] | None = None) -> Lead | None:
        """Who leads, by how much, and whether that is decided; None below two complete methods.

        Parameters
        ----------
        scope : {"rows", "splits"}
        records : mapping of cell to sequence of record, optional
            Those without a value say why a method is left out.
        """
        grid = self.grid
        if len(self.complete) < 2:
            return None
        sign = 1.0 if grid.greater_is_better else -1.0
        best, *others = self.complete
        gains: dict[str, Estimate] = {}
        for other in others:
            terms = [*along_the_axis(grid, best, sign), *along_the_axis(grid, other, -sign)]
            if (gain := combined(terms, scope)) is not None:
                gains[other] = gain
        if not gains:
            return None
        by_gain = sorted(gains, key=lambda name: gains[name].mean)
        worse = tuple(name for name in by_gain if gains[name].decides and gains[name].interval(LEVEL)[0] > 0)
        as_good = tuple(name for name in by_gain if name not in worse)
        least_worse = min((gains[name].mean for name in worse), default=math.inf)
        trivial, second = self.baseline, by_gain[0]
        return Lead(
            grid=grid,
            best=best,
            second=second,
            mean=self.means[best],
            ahead=gains[second],
            decided=not as_good,
            out_of_reach=any(out_of_reach(gains[name], APART) for name in as_good),
            as_good=as_good,
            unsteady=tuple(name for name in as_good if gains[name].mean > least_worse),
            worse=worse,
            left_out={name: _why(grid, name, records or {}) for name in grid.rows if name not in self.complete},
            tested=_tested(gains[second], self.curves[best][1]),
            bar=trivial,
            bar_mean=math.nan if trivial is None else self.means[trivial.name],
            best_is_no_better=trivial is not None
            and (best == trivial.name or round(gains[trivial.name].mean, 12) <= 0),
        )


def standings(grid: Grid) -> Standings:
    """Who is complete over the axis of a grid, who is best, and who looks at no feature."""
    curves = {name: curve for name, curve in over_axis(grid).items() if by_repetition(curve[0])}
    most = max((len(values) for values, _ in curves.values()), default=0)
    complete = {
        name: values
        for name, (values, _) in curves.items()
        if len(values) == most or not any(point.failed or point.valueless for point in grid.rows[name].values())
    }
    shared = set.intersection(*(set(values) for values in complete.values())) if complete else set()
    sign = -1.0 if grid.greater_is_better else 1.0
    on_shared = {name: sign * mean_on(values, shared) for name, values in complete.items()}
    order = sorted(complete, key=on_shared.__getitem__)
    return Standings(
        grid=grid,
        curves=curves,
        complete=tuple(order),
        means={name: fmean(by_repetition(values).values()) for name, (values, _) in curves.items()},
        leaders=tuple(name for name in order if round(on_shared[name] - on_shared[order[0]], 12) == 0),
        baseline=trivial_of(point for point in grid.column(grid.columns[0]) if point.algorithm in complete),
    )


def _tested(gain: Estimate, drawn: Mapping[str, Sampling]) -> Tested | None:
    """Rows behind a difference, where all repetitions draw from one data set, or have its test part."""
    ways = [way for way in drawn.values() if way.known and not way.fresh]
    if len(drawn) != 1 or not ways:
        return None
    (way,) = ways
    expected = round(way.distinct_rows(gain.n, ROWS))
    whole = expected if way.given else way.n_groups or way.n_rows or 0
    count = expected if gain.rows is None else gain.rows.units
    exact = gain.rows is not None or way.given or way.folds is not None or gain.n == 1
    return Tested(count, whole, "rows" if way.n_groups is None else "groups", exact)


def _why(grid: Grid, algorithm: str, records: Mapping[str, Sequence[Record]]) -> str:
    """Where a method has no value in every repetition, and the reason that its trials give most often."""
    row = grid.rows[algorithm]
    most = {value: max((len(p.parts) for p in grid.column(value)), default=0) for value in map(str, grid.columns)}
    lacking = [
        (value, heading)
        for value, heading in zip(map(str, grid.columns), grid.headings, strict=True)
        if value not in row or row[value].failed or len(row[value].parts) < most[value]
    ]
    valueless = [
        record
        for value, _ in lacking
        for cell in sorted(row[value].cells if value in row else ())
        for record in records.get(cell, ())
        if record["metrics"].get(grid.metric) is None
    ]
    where = f" at {grid.at(', '.join(heading for _, heading in lacking))}" if len(grid.columns) > 1 else ""
    if not valueless:  # as published rows of another profile, which stop earlier
        return f"it has {'fewer' if all(value in row for value, _ in lacking) else 'no'} trials{where}"
    told = Counter(_reason(record, grid.metric) for record in valueless).most_common(1)
    return f"{len(valueless)} of its trials have no {grid.metric}{where}{f' ({told[0][0]})' if told else ''}"


def _reason(record: Record, metric: str) -> str:
    if record["status"] != "ok":
        return str(record["error"] or record["status"])
    return str((record.get("no_value") or {}).get(metric, "no value"))


def over_axis(grid: Grid) -> dict[str, tuple[Values, Mapping[str, Sampling]]]:
    """Each algorithm's mean over the axis by repetition and data set: areas where the axis has numbers.

    Parameters
    ----------
    grid : Grid

    Returns
    -------
    dict of str to (mapping of (repetition, data set) to float, mapping of data set to Sampling)
    """
    curves = robustness(grid)
    if curves:
        return {curve.algorithm: (curve.areas, curve.drawn) for curve in curves}
    means: dict[str, tuple[Values, Mapping[str, Sampling]]] = {}
    for name, row in grid.rows.items():
        if len(row) == len(grid.columns):
            points = list(row.values())
            shared = set(points[0].parts).intersection(*(point.parts for point in points))
            values = {part: fmean(point.parts[part] for point in points) for part in sorted(shared)}
            means[name] = values, points[0].drawn
    return means


def along_the_axis(grid: Grid, algorithm: str, times: float = 1.0) -> list[tuple[float, Point]]:
    """What each point of a complete curve weighs in its mean over the axis, as in `over_axis`; times a number."""
    row = grid.rows[algorithm]
    columns = numeric_columns(grid)
    places = [grid.places[str(value)] for value in columns]
    if columns and places[0] < places[-1]:
        weights = trapezoid_weights(places)
        return [(times * weight, row[str(at)]) for at, weight in zip(columns, weights, strict=True)]
    return [(times / len(row), point) for point in row.values()]
