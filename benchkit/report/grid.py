"""Points arranged as people compare them: algorithms x axis, per metric, dataset and adversary."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Real
from typing import Any

from benchkit.report.formatting import heading
from benchkit.report.statistics import Point, best_of
from benchkit.suite.plan import dataset_name


@dataclass(frozen=True)
class Grid:
    """Algorithms x axis of one metric, dataset and adversary."""

    dataset: str
    dataset_params: Mapping[str, Any]
    group: str | None
    adversary: str
    axis: str
    metric: str
    greater_is_better: bool
    columns: Sequence[Any]
    rows: Mapping[str, Mapping[str, Point]]
    best: Mapping[str, float]

    @property
    def name(self) -> str:
        """Dataset with its parameters."""
        return dataset_name(self.dataset, self.dataset_params)

    @property
    def title(self) -> str:
        """``error on breast under greedy-delete``."""
        return f"{self.metric} on {self.name}" + (f" under {self.adversary}" if self.adversary != "none" else "")

    @property
    def is_group(self) -> bool:
        """Whether it holds the means of a group."""
        return self.group is not None and self.dataset == self.group and not self.dataset_params

    @cached_property
    def headings(self) -> list[str]:
        """Column headings along the axis."""
        return [heading(value, self.column(value)) for value in self.columns]

    def column(self, value: Any) -> list[Point]:
        """Points of all algorithms at an axis value."""
        return [row[str(value)] for row in self.rows.values() if str(value) in row]

    def is_best(self, point: Point) -> bool:
        """Whether a point has the best mean of its column, over as many repetitions as any."""
        if point.mean is None or point.mean != self.best.get(str(point.axis_value)):
            return False
        return len(point.values) == max(len(other.values) for other in self.column(point.axis_value))


def arrange(points: Iterable[Point], greater_is_better: Mapping[str, bool]) -> list[Grid]:
    """Grids in the order in which their first points come."""
    arranged: dict[tuple[str, ...], list[Point]] = {}
    for point in points:
        params = json.dumps(dict(point.dataset_params), sort_keys=True, default=str)
        # Along a parameter of the dataset every point has parameters of its own.
        if point.axis.startswith("dataset."):
            name = point.axis.partition(".")[2]
            rest = {key: value for key, value in point.dataset_params.items() if key != name}
            params = json.dumps(rest, sort_keys=True, default=str)
        arranged.setdefault((point.metric, point.dataset, params, point.adversary), []).append(point)
    return [_grid(points, greater_is_better[metric]) for (metric, _, _, _), points in arranged.items()]


def without_members(grids: Sequence[Grid]) -> list[Grid]:
    """Grids without the members of a group, for which their mean stands."""
    groups = {grid.group for grid in grids if grid.is_group}
    return [grid for grid in grids if grid.is_group or grid.group not in groups]


def _grid(points: Sequence[Point], greater_is_better: bool) -> Grid:
    first = points[0]
    columns = list({str(point.axis_value): point.axis_value for point in points}.values())
    if all(isinstance(column, Real) for column in columns):
        columns.sort()
    rows: dict[str, dict[str, Point]] = {}
    places: dict[str, list[Point]] = {}
    for point in points:
        column = str(point.axis_value)
        rows.setdefault(point.algorithm, {})[column] = point
        places.setdefault(column, []).append(point)
    best = {}
    for column, here in places.items():
        chosen = best_of(here, greater_is_better)
        if chosen is not None and chosen.mean is not None:
            best[column] = chosen.mean
    params = dict(first.dataset_params)
    if first.axis.startswith("dataset."):
        params.pop(first.axis.partition(".")[2], None)
    return Grid(
        dataset=first.dataset,
        dataset_params=params,
        group=first.group,
        adversary=first.adversary,
        axis=first.axis,
        metric=first.metric,
        greater_is_better=greater_is_better,
        columns=columns,
        rows=rows,
        best=best,
    )
