"""Points arranged as people compare them: algorithms x axis, per metric, dataset and adversary."""

import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from numbers import Real
from types import MappingProxyType
from typing import Any

from benchkit.errors import JournalError
from benchkit.journal.rows import Outcomes
from benchkit.report.points import Place, Point, best_of, lacking_nothing, off_axis
from benchkit.suite.names import dataset_name

ShownParams = Callable[[Point], Mapping[str, Any]]
"""Of a point the parameters of its data set to show."""


def shown_params_among(points: Collection[Point], labels: Collection[str], along_axis: bool = False) -> ShownParams:
    """Show all parameters, but under a label of the suite those alone that tell data sets apart.

    The points are of all data sets that are named beside each other; the parameter that an axis runs over is shown
    where its points stand ``along_axis`` beside each other, too.
    """

    def params(point: Point) -> Mapping[str, Any]:
        return point.dataset_params if along_axis else off_axis(point.dataset_params, point.axis)

    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for point in points:
        for key, value in params(point).items():
            values[point.dataset, key].add(str(value))
    return lambda point: {
        key: value
        for key, value in params(point).items()
        if point.dataset not in labels or len(values[point.dataset, key]) > 1
    }


@dataclass(frozen=True)
class Grid:
    """Algorithms x axis of one metric, dataset and adversary."""

    dataset: str
    group: str | None
    adversary: str
    axis: str
    metric: str
    greater_is_better: bool
    columns: Sequence[Any]
    rows: Mapping[str, Mapping[str, Point]]
    is_group: bool = False
    shown_params: Mapping[str, Any] = field(default_factory=dict)
    axis_words: str = ""
    situation: str = ""
    share: str = ""

    @property
    def name(self) -> str:
        """Dataset with its parameters; of one that the suite gave a label, with those that tell it from its like."""
        return dataset_name(self.dataset, self.shown_params)

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
        return self.axis_words or self.axis.partition(".")[2].replace("_", " ") or self.axis

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

    def panel_at(self, index: int) -> str:
        """``breast under greedy-delete at 5``; without the place where the axis has one."""
        return f"{self.panel} at {self.headings[index]}" if len(self.columns) > 1 else self.panel

    @property
    def title(self) -> str:
        """``error on breast under greedy-delete``."""
        return f"{self.metric} on {self.panel}"

    @cached_property
    def _values(self) -> list[Any]:
        """What the columns stand for on the axis: a share of the features is what can be taken of them."""
        taken = [[point.taken for point in self.column(value) if point.taken is not None] for value in self.columns]
        return [shares[0] if shares else value for shares, value in zip(taken, self.columns, strict=True)]

    @cached_property
    def has_shares(self) -> bool:
        """Whether budgets are shares of the features: then every one is a percentage, 0 too."""
        every = (point for row in self.rows.values() for point in row.values())
        return any(point.axis == "budget" and point.budget not in (None, point.axis_value) for point in every)

    @cached_property
    def headings(self) -> list[str]:
        """Column headings along the axis."""
        texts = ["-" if value is None else str(value) for value in self._values]
        times, unit, digits = (100, "%", ".3g") if self.has_shares else (1, "", "g")
        return [
            f"{times * value:{digits}}{unit}" if isinstance(value, float) else text
            for value, text in zip(self._values, texts, strict=True)
        ]

    @cached_property
    def places(self) -> dict[str, float]:
        """Where each column stands on the axis: numbers where they are, names in a row."""
        largest = sys.float_info.max  # a damaged file may hold a whole number beyond it
        numeric = all(isinstance(value, int | float) and -largest <= value <= largest for value in self._values)
        return {
            str(column): float(value) if numeric else float(index)
            for index, (column, value) in enumerate(zip(self.columns, self._values, strict=True))
        }

    @cached_property
    def numbers(self) -> list[float]:
        """The values of the axis in order; none where it has a single one, or one that is no number."""
        numbers = [value for value in self.columns if isinstance(value, int | float) and not isinstance(value, bool)]
        return sorted(numbers) if len(numbers) >= 2 and len(numbers) == len(self.columns) else []

    def column(self, value: Any) -> list[Point]:
        """Points of all algorithms at an axis value."""
        return [row[str(value)] for row in self.rows.values() if str(value) in row]

    @cached_property
    def trivial(self) -> dict[str, str]:
        """The methods that look at no feature, and what they do, in words."""
        points = {name: next(iter(row.values())) for name, row in self.rows.items()}
        return {name: point.trivial for name, point in points.items() if point.trivial}

    @cached_property
    def skipped(self) -> list[str]:
        """The methods of which every trial was skipped, as they do not take the data."""
        statuses = {
            name: {record["status"] for point in row.values() for record in point.rows}
            for name, row in self.rows.items()
        }
        return [name for name, seen in statuses.items() if seen == {"skipped"}]

    @cached_property
    def _best(self) -> set[int]:
        """Points with the best mean of their column that lack nothing that others have; none where all are equal."""
        best = set()
        for column in map(self.column, self.columns):
            first = best_of(column, self.greater_is_better)
            if first is not None and (len(column) == 1 or len({point.mean for point in column} - {None}) > 1):
                best |= {id(point) for point in lacking_nothing(column) if point.mean == first.mean}
        return best

    def is_best(self, point: Point) -> bool:
        """Whether a point is the best of its column, or one of several."""
        return id(point) in self._best


def arrange(
    points: Iterable[Point],
    greater_is_better: Mapping[str, bool],
    labels: Collection[str] = (),
    axis_titles: Mapping[str, str] = MappingProxyType({}),
    situations: Mapping[str, str] = MappingProxyType({}),
    shares: Mapping[str, str] = MappingProxyType({}),
) -> list[Grid]:
    """Grids in the order in which their first points come.

    Names are as short as may be by the labels of the suite; axes, what happens and what is measured are in words.
    """
    arranged: dict[tuple[str, Place], list[Point]] = defaultdict(list)
    for point in points:
        arranged[point.metric, point.place.curve].append(point)
    shown_params = shown_params_among([members[0] for members in arranged.values()], labels)
    grids = []
    for (metric, _), members in arranged.items():
        first = members[0]
        columns = list({str(point.axis_value): point.axis_value for point in members}.values())
        if all(isinstance(column, Real) for column in columns):
            columns.sort()
        rows: dict[str, dict[str, Point]] = defaultdict(dict)
        for point in members:
            rows[point.algorithm][str(point.axis_value)] = point
        grids.append(
            Grid(
                dataset=first.dataset,
                group=first.group,
                adversary=first.adversary,
                axis=first.axis,
                metric=metric,
                greater_is_better=greater_is_better[metric],
                columns=columns,
                rows=dict(rows),
                is_group=first.of_group,
                shown_params=shown_params(first),
                axis_words=axis_titles.get(first.adversary, "") if first.axis == "budget" else "",
                situation=situations.get(first.adversary, ""),
                share=shares.get(metric, ""),
            )
        )
    return grids


def changed_nothing(grid: Grid, outcomes: Outcomes) -> bool:
    """Whether an adversary left every value of a grid's data as it was, whatever its budget.

    It did where every method has the same values at all budgets, unless what was kept of the rows tells of a change:
    methods that answer one class to every row have the same values whatever happens. A method that is told the budget
    may differ although nothing was changed: of those, what was kept of the rows decides.
    """
    if grid.axis != "budget" or grid.adversary == "none" or not grid.numbers or grid.numbers[-1] <= 0:
        return False
    learned = [row for name, row in grid.rows.items() if name not in grid.trivial and len(row) == len(grid.columns)]
    moved = [row for row in learned if any(a.parts != b.parts for a, b in pairwise(row.values()))]
    largest = str(grid.numbers[-1])
    if not moved:
        known = any(any(_changes(row[largest], outcomes)) for row in learned)
        return not known and any(point.parts for row in learned for point in row.values())
    if len(moved) == len(learned):
        return False
    changes = [_changes(row[largest], outcomes) for row in moved]
    return all(changed and all(each is False for each in changed) for changed in changes)


def changed_at_budget_0(grid: Grid, outcomes: Outcomes) -> bool:
    """Whether an adversary changed values for a budget of 0, as the rows of one method tell."""
    points = grid.column(grid.numbers[0]) if grid.axis == "budget" and grid.numbers[:1] == [0] else []
    return any(any(_changes(point, outcomes)) for point in points[:1])


def _changes(point: Point, outcomes: Outcomes) -> list[bool | None]:
    """Of each trial whether a value was changed; None where that is not known."""
    try:
        kept = [outcomes.of(record) for record in point.records.values()]
    except JournalError:
        return []
    return [None if rows is None or rows.changed is None else bool(rows.changed.any()) for rows in kept]
