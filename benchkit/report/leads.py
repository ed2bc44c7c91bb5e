"""Who leads over the axis: by how much, whether that is decided, who is as good, and who is left out and why."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean

from benchkit.journal import Record
from benchkit.report.grid import Grid, numeric_columns, robustness, trapezoid_weights
from benchkit.report.points import Bar, Point, bar_of, by_repetition, combined, mean_on
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
    bar : Bar or None
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
    bar: Bar | None = None
    bar_mean: float = math.nan
    best_is_no_better: bool = False


def lead(
    grid: Grid,
    scope: Scope,
    records: Mapping[str, Sequence[Record]] | None = None,
) -> Lead | None:
    """Who leads over the axis; None below two algorithms that are complete on shared repetitions.

    Parameters
    ----------
    grid : Grid
    scope : {"rows", "splits"}
    records : mapping of cell to sequence of record, optional
        Those without a value say why a method is left out.
    """
    curves = over_axis(grid)
    most = max((len(values) for values, _ in curves.values()), default=0)
    complete = {
        name: curve
        for name, curve in curves.items()
        if by_repetition(curve[0])
        and (len(curve[0]) == most or not any(point.failed or point.valueless for point in grid.rows[name].values()))
    }
    if len(complete) < 2:
        return None
    sign = 1.0 if grid.greater_is_better else -1.0
    shared = set.intersection(*(set(values) for values, _ in complete.values()))
    order = sorted(complete, key=lambda name: -sign * mean_on(complete[name][0], shared))
    best = order[0]
    gains: dict[str, Estimate] = {}
    for other in order[1:]:
        terms = [*along_the_axis(grid, best, sign), *along_the_axis(grid, other, -sign)]
        if (gain := combined(terms, scope)) is not None:
            gains[other] = gain
    if not gains:
        return None
    second = min(gains, key=lambda name: gains[name].mean)
    undecided = {name: gain for name, gain in gains.items() if not (gain.decides and gain.interval(LEVEL)[0] > 0)}
    open_ones = list(undecided.values())
    known_worse = min((gain.mean for name, gain in gains.items() if name not in undecided), default=math.inf)
    as_good = tuple(sorted(undecided, key=lambda name: undecided[name].mean))
    never = any(out_of_reach(gain, APART) for gain in open_ones)
    at_first = grid.column(grid.columns[0])
    bar = bar_of(point for point in at_first if point.algorithm in complete)
    bar_mean = math.nan if bar is None else fmean(by_repetition(complete[bar.name][0]).values())
    return Lead(
        grid=grid,
        best=best,
        second=second,
        mean=fmean(by_repetition(complete[best][0]).values()),
        ahead=gains[second],
        decided=not open_ones,
        out_of_reach=never,
        as_good=as_good,
        unsteady=tuple(name for name in as_good if undecided[name].mean > known_worse),
        worse=tuple(sorted((each for each in gains if each not in undecided), key=lambda name: gains[name].mean)),
        left_out={name: _why(grid, name, records or {}) for name in grid.rows if name not in complete},
        tested=_tested(gains[second], complete[best][1]),
        bar=bar,
        bar_mean=bar_mean,
        best_is_no_better=bar is not None and (best == bar.name or round(gains[bar.name].mean, 12) <= 0),
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
