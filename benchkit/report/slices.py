"""Who suffers: each method's loss on the rows that are alike in a column, beside its loss on all others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.errors import RequestError
from benchkit.journal import JournalError, Record
from benchkit.plugin.declarations import NotApplicableError
from benchkit.plugin.nearest_name import Suggestion
from benchkit.report.data_of_run import DataOfRun, NoDataError, check_same_rows
from benchkit.report.formatting import number, p_value
from benchkit.report.grid import Grid
from benchkit.report.statistics.chance import YARDSTICKS
from benchkit.report.statistics.column_slices import ColumnSlice, column_slices
from benchkit.report.statistics.comparisons import ALPHA
from benchkit.report.statistics.kept_rows import is_mean_of_losses
from benchkit.report.statistics.points import Point
from benchkit.statistics.holm import holm
from benchkit.statistics.slices import SliceMean, slice_mean

if TYPE_CHECKING:
    from benchkit.plugin.declarations import Data
    from benchkit.report.analysis import Analysis
    from benchkit.trial.outcomes import RowOutcomes


class SliceError(RequestError):
    """Nothing can be told by this column; the message is one line for the user."""


@dataclass(frozen=True)
class Entry:
    """A method on a slice.

    Attributes
    ----------
    slice : str
    phrase : str
        Which rows these are: ``region = north``.
    algorithm : str
    mean : SliceMean
    holm : float
        Its p-value after Holm's correction over all slices and methods of the table; NaN where nothing was tested.
    """

    slice: str
    phrase: str
    algorithm: str
    mean: SliceMean
    holm: float

    @property
    def decided(self) -> bool:
        """Whether the slice differs from the rest."""
        return self.holm < ALPHA


@dataclass(frozen=True)
class Sliced:
    """All slices of a column at one point of an axis.

    Attributes
    ----------
    column : str
    grid : Grid
        Data set, adversary and metric.
    heading : str
        Of the point on the axis.
    value : object
        The point.
    entries : sequence of Entry
        Slice by slice.
    """

    column: str
    grid: Grid
    heading: str
    value: Any
    entries: Sequence[Entry]

    @property
    def where(self) -> str:
        """``breast under greedy-delete at 5``; without an adversary ``breast``."""
        along = "" if len(self.grid.columns) == 1 else f" at {self.heading}"
        return f"{self.grid.panel}{along}"

    @property
    def worst(self) -> Entry | None:
        """The slice and method that lose most against the rest: of those that are decided, where any is.

        A method that looks at no row says nothing of them, and is passed over.
        """
        sign = -1.0 if self.grid.greater_is_better else 1.0
        tested = [each for each in self.entries if each.algorithm not in YARDSTICKS and not math.isnan(each.holm)]
        losing = [each for each in tested if sign * each.mean.difference > 0]
        decided = [each for each in losing if each.decided]
        return max(decided or losing, key=lambda each: sign * each.mean.difference, default=None)

    @property
    def answer(self) -> str:
        """Who suffers, in one sentence."""
        worst = self.worst
        if worst is None:
            return f"{self.where}: no method loses more on a part of {self.column} that has rows enough to tell"
        told = _told(self.grid.metric, worst)
        if not worst.decided:
            return f"{self.where}: {told}, more than on any other part: not decided (p = {p_value(worst.holm)})"
        # Two slices are each other's rest: their differences are one.
        once = 2 if len({each.slice for each in self.entries}) == 2 else 1
        others = sum(each.decided for each in self.entries) // once - 1
        more = f"; {others} more of {len(self.entries) // once} differences are" if others else ""
        sure = p_value(worst.holm)
        equals = f"< {sure[1:]}" if sure.startswith("<") else f"= {sure}"
        return f"{self.where}: {told}: decided (p {equals}){more}"


def _told(metric: str, entry: Entry) -> str:
    mean, rows = entry.mean, f"the {entry.mean.rows} rows with {entry.phrase}"
    if metric == "error":
        return f"{entry.algorithm} is wrong on {mean.mean:.0%} of {rows}, {mean.rest:.0%} elsewhere"
    return f"{metric} of {entry.algorithm} is {number(mean.mean)} on {rows}, {number(mean.rest)} elsewhere"


def slices(analysis: Analysis, column: str, plugins: tuple[str, ...] = ()) -> tuple[list[Sliced], list[str]]:
    """The slices of a column, for each data set and adversary at the start of the axis and at its end.

    Parameters
    ----------
    analysis : Analysis
    column : str
        A feature, a group of one-hot columns, a column that was left out of the features, or the target.
    plugins : tuple of str, default=()
        Plugin files that declare data sets.

    Returns
    -------
    found : list of Sliced
    remarks : list of str
        Why data sets are not among them.

    Raises
    ------
    SliceError
        There is none.
    """
    source = DataOfRun(analysis.results, plugins)
    found: list[Sliced] = []
    remarks: list[str] = []
    known: dict[str, tuple[Data, list[ColumnSlice]] | None] = {}
    names: list[str] = []
    for grid in _grids(analysis):
        for place in dict.fromkeys((0, len(grid.columns) - 1)):
            points = [each for each in grid.column(grid.columns[place]) if each.records]
            if not points:
                continue
            record = next(iter(points[0].records.values()))
            name = str([record["dataset"], record["dataset_params"]])
            try:
                if name not in known:
                    known[name] = None
                    data = source.of(record)
                    names += _names(data)
                    known[name] = data, _slices_of(data, column, grid.name)
                loaded = known[name]
                if loaded is not None:
                    entries = _entries(analysis, column, points, *loaded, grid)
                    found.append(Sliced(column, grid, grid.headings[place], grid.columns[place], entries))
            except (NoDataError, SliceError) as error:
                remarks.append(str(error))
    remarks = list(dict.fromkeys(remarks))
    if not found:
        known_names = list(dict.fromkeys(names))
        if known_names and column not in known_names:
            shown = f"{', '.join(known_names[:12])}{', ...' if len(known_names) > 12 else ''}"
            raise SliceError(f"no column {column!r}; {Suggestion(column, known_names, otherwise=f'there are {shown}')}")
        raise SliceError("; ".join(remarks) or "no trial ended ok")
    return found, remarks


def check_sliced(analyses: Sequence[Analysis]) -> None:
    """Refuse a column that can be told nothing by in any of several suites.

    Raises
    ------
    SliceError
        With what stands in the way.
    """
    if not any(each.slices[0] for each in analyses):
        raise SliceError("; ".join(dict.fromkeys(remark for each in analyses for remark in each.slices[1])))


def _grids(analysis: Analysis) -> list[Grid]:
    """Of the first metric that is a mean of rows' own losses."""
    record, kept = _some_rows(analysis)
    columns, known = analysis.results.kept_rows.columns, analysis.results.kept_rows.metrics
    means = [
        name
        for name in analysis.metrics
        if (metric := known.get(name)) and metric.row_values and is_mean_of_losses(metric, kept, record, columns)
    ]
    if not means:
        other = "mean-squared-error" if kept.part.classes is None else "error"
        names = ", ".join(analysis.metrics)
        raise SliceError(f"{names}: no mean of losses, which parts of the rows have, too; add --metrics {other}")
    return [grid for grid in analysis.all_grids if grid.metric == means[0] and not grid.is_group]


def _some_rows(analysis: Analysis) -> tuple[Record, RowOutcomes]:
    """The first trial of which rows are kept, and these."""
    outcomes = analysis.results.kept_rows.outcomes
    for record in analysis.records:
        try:
            kept = outcomes.of(record)
        except JournalError:  # its folder of rows is gone, as those of other trials need not be
            continue
        if kept is not None:
            return record, kept
    raise SliceError(f"{analysis.results.folder}: no rows were kept; run the suite again with --fresh to have them")


def _names(data: Data) -> list[str]:
    from benchkit.data.columns import column_names

    return column_names(data)


def _slices_of(data: Data, column: str, name: str) -> list[ColumnSlice]:
    from benchkit.data.columns import find_column

    try:
        return column_slices(find_column(data, column))
    except ValueError:
        raise SliceError(f"{name} has no column {column!r}") from None


def _entries(
    analysis: Analysis, column: str, points: Sequence[Point], data: Data, parts: Sequence[ColumnSlice], grid: Grid
) -> list[Entry]:
    kept = analysis.results.kept_rows
    metric = kept.metrics[grid.metric]
    values, groups = {}, {}
    for point in points:
        try:
            own = [kept.values(record, metric) for record in _records(point)]
            drawn = [each.groups for each in own if each.groups is not None]
            if any(each.n_groups for each in point.drawn.values()) and len(drawn) < len(own):
                continue  # rows of one group are not independent, and nobody knows which those are
            values[point.algorithm] = [(each.rows, each.values) for each in own]
            groups[point.algorithm] = drawn or None
            first = kept.outcomes.of(next(iter(_records(point))))
        except (JournalError, KeyError, NotApplicableError):
            continue
        if first is not None:
            check_same_rows(data, first.part, grid.name)
    if not values:
        raise SliceError(f"{grid.name}: no rows were kept of it; run the suite again with --fresh to have them")
    means = [
        (each.name, f"{column}{each.link}{each.name}", algorithm, mean)
        for each in parts
        for algorithm, rows in values.items()
        if (mean := slice_mean(rows, each.rows, grid.limits, groups=groups[algorithm])) is not None
    ]
    return [Entry(*each, p) for each, p in zip(means, _corrected(means), strict=True)]


def _records(point: Point) -> list[Record]:
    return [point.records[part] for part in sorted(point.records)]


def _corrected(means: Sequence[tuple[str, str, str, SliceMean]]) -> list[float]:
    """Holm's p-values; two slices are each other's rest, so that their tests are one."""
    of_slices = list(dict.fromkeys(name for name, *_ in means))
    pvalues = [mean.p for *_, mean in means]
    tested = [place for place, p in enumerate(pvalues) if not math.isnan(p)]
    if len(of_slices) == 2:
        tested = [place for place in tested if means[place][0] == of_slices[0]]
    adjusted = dict(zip(tested, holm([pvalues[place] for place in tested]), strict=True))
    if len(of_slices) == 2:
        of_first = {means[place][2]: p for place, p in adjusted.items()}
        return [math.nan if math.isnan(mean.p) else of_first[algorithm] for *_, algorithm, mean in means]
    return [adjusted.get(place, math.nan) for place in range(len(means))]
