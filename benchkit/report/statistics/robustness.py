"""Robustness in numbers: what a whole curve says in one."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from benchkit.report.grid import Grid
from benchkit.report.statistics.points import Point, by_repetition
from benchkit.statistics.sampling import Sampling, Values
from benchkit.statistics.student_t import mean_and_error


@dataclass(frozen=True)
class Robustness:
    """One algorithm's curve on one dataset under one adversary.

    Attributes
    ----------
    area : float or None
        Area under the curve over the length of the axis: the metric's mean along the axis (trapezoidal rule).
    area_stderr : float or None
        Its standard error over repetitions that are complete along the axis.
    areas : mapping of (repetition, data set) to float
        Of those that are complete along the axis; a group has several data sets.
    drawn : mapping of data set to Sampling
    breakdown : float or None
        Where the curve of means first passes the level, between two points by the straight line; infinite where it
        does not within the axis.
    level : float
    worst_rank : float or None
        The worst rank among the algorithms at any point of the axis.
    """

    algorithm: str
    area: float | None
    area_stderr: float | None
    areas: Values
    drawn: Mapping[str, Sampling]
    breakdown: float | None
    level: float
    worst_rank: float | None


def robustness(grid: Grid) -> list[Robustness]:
    """Area, breakdown point and worst rank of each algorithm of a grid whose axis is numeric.

    Parameters
    ----------
    grid : Grid

    Returns
    -------
    list of Robustness
        The level of the breakdown point is half-way between the best and the worst mean of the grid.
    """
    columns = numeric_columns(grid)
    places = [grid.places[str(value)] for value in columns]
    if not columns or places[0] == places[-1]:
        return []
    means = [point.mean for row in grid.rows.values() for point in row.values() if point.mean is not None]
    if not means:
        return []
    level = (min(means) + max(means)) / 2
    ranks = worst_ranks(grid)
    curves = []
    for algorithm, row in grid.rows.items():
        points = [row.get(str(value)) for value in columns]
        areas = _areas(points, places)
        area, error = mean_and_error(list(by_repetition(areas).values()))
        curves.append(
            Robustness(
                algorithm=algorithm,
                area=area,
                area_stderr=error,
                areas=areas,
                drawn={name: way for point in row.values() for name, way in point.drawn.items()},
                breakdown=_breakdown(points, places, level, grid.greater_is_better),
                level=level,
                worst_rank=ranks.get(algorithm),
            )
        )
    return curves


def numeric_columns(grid: Grid) -> list[float]:
    """The values of a grid's axis in order; none where it has a single one, or one that is no number."""
    numbers = [value for value in grid.columns if isinstance(value, int | float) and not isinstance(value, bool)]
    return sorted(numbers) if len(numbers) >= 2 and len(numbers) == len(grid.columns) else []


def best_area(curves: Sequence[Robustness], greater_is_better: bool) -> float | None:
    """The best area, among curves that are complete in as many repetitions and data sets as any."""
    most = max((len(curve.areas) for curve in curves), default=0)
    areas = [curve.area for curve in curves if curve.area is not None and len(curve.areas) == most]
    return (max if greater_is_better else min)(areas, default=None)


def trapezoid(at: Sequence[float], values: Sequence[float]) -> float:
    """Mean height of the piecewise linear curve through (at, value)."""
    curve = pairwise(zip(at, values, strict=True))
    total = sum((right[0] - left[0]) * (left[1] + right[1]) / 2 for left, right in curve)
    return total / (at[-1] - at[0])


def trapezoid_weights(at: Sequence[float]) -> list[float]:
    """What each height weighs in `trapezoid`."""
    ends = [at[0], *at, at[-1]]
    return [(ends[place + 2] - ends[place]) / 2 / (at[-1] - at[0]) for place in range(len(at))]


def worst_ranks(grid: Grid) -> dict[str, float]:
    """Worst rank of each algorithm over the columns of a grid; ties share their mean rank.

    One that has no mean where others have one has no worst rank: its rank there is not known.
    """
    worst: dict[str, float] = {}
    lacking: set[str] = set()
    for value in grid.columns:
        means = {name: row[str(value)].mean for name, row in grid.rows.items() if str(value) in row}
        known = {name: -mean if grid.greater_is_better else mean for name, mean in means.items() if mean is not None}
        lacking |= grid.rows.keys() - known.keys() if known else set()
        for name, mean in known.items():
            better = sum(other < mean for other in known.values())
            tied = sum(other == mean for other in known.values())
            worst[name] = max(worst.get(name, 0.0), better + (tied + 1) / 2)
    return {name: rank for name, rank in worst.items() if name not in lacking}


def _areas(points: Sequence[Point | None], columns: Sequence[float]) -> dict[tuple[int, str], float]:
    """Area of each repetition and data set that has a value at every point."""
    known = [point.parts for point in points if point is not None]
    if len(known) < len(columns):
        return {}
    shared = set(known[0]).intersection(*known[1:])
    return {part: trapezoid(columns, [values[part] for values in known]) for part in sorted(shared)}


def _breakdown(
    points: Sequence[Point | None], columns: Sequence[float], level: float, greater_is_better: bool
) -> float | None:
    """First axis value where the means pass the level; None where a mean is missing before that."""
    sign = -1.0 if greater_is_better else 1.0
    before: tuple[float, float] | None = None
    for column, point in zip(columns, points, strict=True):
        if point is None or point.mean is None:
            return None
        height = sign * (point.mean - level)
        if height > 0:
            if before is None:
                return column
            share = -before[1] / (height - before[1])
            return before[0] + share * (column - before[0])
        before = (column, height)
    return math.inf
