"""Points arranged as people compare them: algorithms x axis, per metric, dataset and adversary."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any

from benchkit.journal.place import Place, off_axis
from benchkit.report.formatting import are_shares, heading
from benchkit.report.shown_params import shown_params_among
from benchkit.report.statistics.points import Point, best_of, lacking_nothing, on_axis
from benchkit.suite.names import dataset_name


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
    is_group: bool = False
    shown_params: Mapping[str, Any] | None = None
    axis_words: str = ""
    situation: str = ""
    share: str = ""

    @property
    def name(self) -> str:
        """Dataset with its parameters; of one that the suite gave a label, with those that tell it from its like."""
        return dataset_name(self.dataset, self.dataset_params if self.shown_params is None else self.shown_params)

    @property
    def limits(self) -> tuple[float, float]:
        """Values that the metric can have."""
        return next(point.limits for row in self.rows.values() for point in row.values())

    @property
    def limits_of_differences(self) -> tuple[float, float]:
        """Values that a difference of two methods can have."""
        low, high = self.limits
        return low - high, high - low

    @property
    def axis_title(self) -> str:
        """What the axis counts, in words: ``features deleted``."""
        if self.axis_words:
            return self.axis_words
        return self.axis.partition(".")[2].replace("_", " ") or self.axis

    def at(self, heading: str) -> str:
        """A place on the axis, or a range of it: ``2 features deleted``, ``budget 2``."""
        words = self.axis_words
        if not words:
            return f"{self.axis_title} {heading}"
        if words.endswith("(total cost)"):
            return f"a total cost of {heading}"
        if heading == "1" and words.startswith("features "):
            return f"1 feature {words.removeprefix('features ')}"
        for part in ("share of ", "fraction of "):
            if words.startswith(part):
                return f"{heading} of the {words.removeprefix(part)}"
        return f"{heading} {words}"

    @property
    def panel(self) -> str:
        """``breast under greedy-delete``."""
        return self.name + (f" under {self.adversary}" if self.adversary != "none" else "")

    @property
    def title(self) -> str:
        """``error on breast under greedy-delete``."""
        return f"{self.metric} on {self.panel}"

    @cached_property
    def headings(self) -> list[str]:
        """Column headings along the axis."""
        return [heading(on_axis(self.column(value)), (), self.has_shares) for value in self.columns]

    @cached_property
    def places(self) -> dict[str, float]:
        """Where each column stands on the axis: numbers where they are, names in a row."""
        values = [on_axis(self.column(value)) for value in self.columns]
        largest = sys.float_info.max  # a damaged file may hold a whole number beyond it
        numeric = all(isinstance(value, int | float) and -largest <= value <= largest for value in values)
        return {
            str(column): float(value) if numeric else float(index)
            for index, (column, value) in enumerate(zip(self.columns, values, strict=True))
        }

    @cached_property
    def has_shares(self) -> bool:
        """Whether budgets are shares of the features: then every one is a percentage, 0 too."""
        return any(are_shares(self.column(value)) for value in self.columns)

    def column(self, value: Any) -> list[Point]:
        """Points of all algorithms at an axis value."""
        return [row[str(value)] for row in self.rows.values() if str(value) in row]

    def is_best(self, point: Point) -> bool:
        """Whether a point has the best mean of its column, and lacks nothing that others have."""
        if point.mean is None or point.mean != self.best.get(str(point.axis_value)):
            return False
        return point in lacking_nothing(self.column(point.axis_value))


def arrange(points: Iterable[Point], greater_is_better: Mapping[str, bool]) -> list[Grid]:
    """Grids in the order in which their first points come."""
    arranged: dict[tuple[str, Place], list[Point]] = {}
    for point in points:
        arranged.setdefault((point.metric, point.place.curve), []).append(point)
    return [_grid(points, greater_is_better[metric]) for (metric, _), points in arranged.items()]


def name_for_readers(
    grids: Sequence[Grid],
    labels: Collection[str],
    axis_titles: Mapping[str, str],
    situations: Mapping[str, str],
    shares: Mapping[str, str],
) -> list[Grid]:
    """Grids with names as short as they may be; axes, what happens and what is measured in words.

    Parameters
    ----------
    grids : sequence of Grid
    labels : collection of str
        Datasets that the suite gave a label: of their parameters only those are shown that differ under one label.
    axis_titles, situations : mapping of adversary to str
    shares : mapping of metric to str
    """
    shown_params = shown_params_among([(grid.dataset, grid.dataset_params) for grid in grids], labels)
    return [
        replace(
            grid,
            shown_params=shown_params(grid.dataset, grid.dataset_params),
            axis_words=axis_titles.get(grid.adversary, "") if grid.axis == "budget" else "",
            situation=situations.get(grid.adversary, ""),
            share=shares.get(grid.metric, ""),
        )
        for grid in grids
    ]


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
    columned: dict[str, list[Point]] = {}
    for point in points:
        column = str(point.axis_value)
        rows.setdefault(point.algorithm, {})[column] = point
        columned.setdefault(column, []).append(point)
    best = {}
    for column, here in columned.items():
        chosen = best_of(here, greater_is_better)
        if chosen is not None and chosen.mean is not None:
            best[column] = chosen.mean
    return Grid(
        dataset=first.dataset,
        dataset_params=off_axis(first.dataset_params, first.axis),
        group=first.group,
        adversary=first.adversary,
        axis=first.axis,
        metric=first.metric,
        greater_is_better=greater_is_better,
        columns=columns,
        rows=rows,
        best=best,
        is_group=first.of_group,
    )
