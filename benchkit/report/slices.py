"""Who suffers: each method's loss on the rows that are alike in a column, beside its loss on all others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from benchkit.document.text import interval_text, number, p_value
from benchkit.errors import RequestError
from benchkit.plugin.declarations import Categories, Data, ReportCell, ReportTable
from benchkit.plugin.parameters import suggestion
from benchkit.report.comparisons import ALPHA
from benchkit.report.grid import Grid
from benchkit.report.metrics_afterwards import DataOfRun, NoDataError, check_same_rows
from benchkit.report.points import Point
from benchkit.statistics.estimate import holm
from benchkit.statistics.slices import FEWEST_GROUPS, FEWEST_ROWS, SliceMean, slice_mean

if TYPE_CHECKING:
    import pandas as pd

    from benchkit.report.analysis import Analysis


MOST_CATEGORIES = 12
"""Categories that are slices of their own; the rarer ones are one slice together."""
_FEW_NUMBERS = 6  # as many different numbers or fewer are categories
MISSING = "(missing)"
_OTHERS = " others)"


class ColumnSlice(NamedTuple):
    """Rows that are alike in a column."""

    name: str  # such as ``north``, or ``0.3 to 0.7``
    rows: np.ndarray  # of bool of shape (n_rows,)
    link: str = " = "  # what stands between the column and the name in a sentence


def column_slices(column: np.ndarray | Categories) -> list[ColumnSlice]:
    """The slices of a column, in the order of its values; rows without a value are a slice, too.

    Of few different values each is a slice; other numbers and moments are divided at their quartiles.
    """
    from benchkit.data.columns import missing_values

    values = column if isinstance(column, Categories) else np.asarray(column)
    if not isinstance(values, Categories) and values.dtype.kind not in "biufM":
        values = Categories.of(values)
    if isinstance(values, Categories):
        moments = _moments(values)
        if moments is None:
            return _of_categories(np.asarray(values.codes), [str(name) for name in values.names])
        values = moments
    missing = missing_values(values)
    different = np.unique(values[~missing])
    if len(different) <= _FEW_NUMBERS:
        codes = np.where(missing, -1, np.searchsorted(different, values))
        return _of_categories(codes, _texts(different))
    # Quartiles that are values of the column, so that moments have them, too; fewer where values repeat that much.
    known = np.sort(values[~missing])
    edges = np.unique(known[[round(share * (len(known) - 1)) for share in (0.25, 0.5, 0.75)]])
    edges = edges[edges < known[-1]]
    texts = _texts(edges)
    names = [f"at most {texts[0]}"] if texts else ["all"]
    names += [f"{low} to {high}" for low, high in pairwise(texts)]
    names += [f"above {texts[-1]}"] if texts else []
    quarter = np.searchsorted(edges, values, side="left")
    slices = [ColumnSlice(name, (quarter == number) & ~missing, " ") for number, name in enumerate(names)]
    return slices + ([ColumnSlice(MISSING, missing)] if missing.any() else [])


def _of_categories(codes: np.ndarray, names: list[str]) -> list[ColumnSlice]:
    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    often = np.argsort(-counts, kind="stable")[: MOST_CATEGORIES if len(names) > MOST_CATEGORIES else None]
    rest = np.setdiff1d(np.arange(len(names)), often)
    slices = [ColumnSlice(names[code], codes == code) for code in np.sort(often) if counts[code]]
    slices += [ColumnSlice(f"({len(rest)}{_OTHERS}", np.isin(codes, rest))] if len(rest) else []
    return slices + ([ColumnSlice(MISSING, codes < 0)] if (codes < 0).any() else [])


def _moments(column: Categories) -> np.ndarray | None:
    """Texts that are all dates, as text tables have them (2024-05-31), where they are too many for categories."""
    names = [str(name) for name in column.names]
    if len(names) <= MOST_CATEGORIES or not all(name.count("-") == 2 for name in names):
        return None
    try:
        moments: np.ndarray = np.append(np.array(names, dtype="datetime64[s]"), np.datetime64("NaT"))[column.codes]
    except ValueError:
        return None
    return moments


def _texts(values: np.ndarray) -> list[str]:
    """Values as they are shown; numbers with as many digits as tell them apart."""
    texts = list[str]()
    for digits in (4, 6, 9, 17):
        texts = [_text(value, digits) for value in values]
        if len({*texts}) == len(texts):
            break
    return texts


def _text(value: object, digits: int) -> str:
    """A value as it is shown; moments without a time of day that they do not have."""
    if isinstance(value, np.datetime64):
        day = value.astype("datetime64[D]")
        return str(day if day == value else value.astype("datetime64[s]")).replace("T", " ")
    if isinstance(value, np.bool_):
        return "yes" if value else "no"
    return f"{value:.{digits}g}" if isinstance(value, np.floating) else str(value)


class SliceError(RequestError):
    """Nothing can be told by this column; the message is one line for the user."""


@dataclass(frozen=True)
class Entry:
    """A method on a slice.

    Its p-value is after Holm's correction over all slices and methods of the table; NaN where nothing was tested.
    """

    part: ColumnSlice
    algorithm: str
    mean: SliceMean
    holm: float

    @property
    def decided(self) -> bool:
        """Whether the slice differs from the rest."""
        return self.holm < ALPHA


@dataclass(frozen=True)
class Sliced:
    """All slices of a column at one point of an axis."""

    column: str
    grid: Grid  # data set, adversary and metric
    index: int  # of the point among the grid's columns
    entries: Sequence[Entry]  # slice by slice
    best: str = ""  # the method that an answer recommends

    @property
    def where(self) -> str:
        """``breast under greedy-delete at 5``; without an adversary ``breast``."""
        return self.grid.panel_at(self.index)

    @property
    def worst(self) -> Entry | None:
        """The slice on which the recommended method, or else any, loses most against the rest: a decided one first.

        A method that looks at no row says nothing of them, and is passed over, as are rare categories together.
        """
        sign = -1.0 if self.grid.greater_is_better else 1.0
        tested = [
            each
            for each in self.entries
            if each.algorithm not in self.grid.trivial
            and not math.isnan(each.holm)
            and not each.part.name.endswith(_OTHERS)
        ]
        tested = [each for each in tested if each.algorithm == self.best] or tested
        losing = [each for each in tested if sign * each.mean.difference > 0]
        decided = [each for each in losing if each.decided]
        return max(decided or losing, key=lambda each: sign * each.mean.difference, default=None)

    @property
    def answer(self) -> str:
        """Who suffers, in one sentence."""
        worst = self.worst
        if worst is None:
            return f"{self.where}: no method loses more on a part of {self.column} that has rows enough to tell"
        mean, rows = worst.mean, f"the {worst.mean.rows} rows with {self.column}{worst.part.link}{worst.part.name}"
        text = (
            f"{self.grid.metric} of {worst.algorithm} is {number(mean.mean)} on {rows}, {number(mean.rest)} elsewhere"
        )
        if self.grid.share:
            text = f"{worst.algorithm} is {self.grid.share} {mean.mean:.0%} of {rows}, {mean.rest:.0%} elsewhere"
        sure = p_value(worst.holm)
        equals = f"p {sure[0]} {sure[1:]}" if sure.startswith("<") else f"p = {sure}"
        if not worst.decided:
            return f"{self.where}: {text}: its worst part, but not significant ({equals})"
        # Two slices are each other's rest: their differences are one.
        once = 2 if len({each.part.name for each in self.entries}) == 2 else 1
        others = sum(each.decided for each in self.entries) // once - 1
        more = f", as are {others} more of {len(self.entries) // once} differences" if others else ""
        return f"{self.where}: {text}: significant ({equals}){more}"


def slices(analysis: Analysis, column: str, plugins: tuple[str, ...] = ()) -> tuple[list[Sliced], list[str]]:
    """The slices of a column, for each data set and adversary at the start of the axis and at its end.

    Also remarks, why data sets are not among them. The column is a feature, a group of one-hot columns, one that was
    left out of the features, or the target; ``plugins`` are files that declare data sets.

    Raises
    ------
    SliceError
        There is none.
    """
    from benchkit.data.columns import column_names, find_column

    source = DataOfRun(analysis.results, plugins)
    sliced: list[Sliced] = []
    remarks: dict[str, None] = {}
    names: dict[str, None] = {}
    unchanged: set[str] = set()
    for grid in _grids(analysis):
        for place in dict.fromkeys((0, len(grid.columns) - 1)):
            if grid.axis == "budget" and grid.columns[place] == 0:  # the same under every adversary
                if grid.name in unchanged:
                    continue
                unchanged.add(grid.name)
            points = [point for point in grid.column(grid.columns[place]) if point.records]
            if not points:
                continue
            try:
                data = source.of(next(iter(points[0].records.values())))
                names |= dict.fromkeys(column_names(data))
                entries = _entries(analysis, points, data, column_slices(find_column(data, column)), grid)
                best = next(iter(analysis.standings(grid).complete), "")
                sliced.append(Sliced(column, grid, place, entries, best))
            except (NoDataError, SliceError) as error:
                remarks[str(error)] = None
            except ValueError:
                remarks[f"{grid.name} has no column {column!r}"] = None
    if not sliced and names and column not in names:
        known = list(names)
        shown = f"{', '.join(known[:12])}{', ...' if len(known) > 12 else ''}"
        raise SliceError(f"no column {column!r}; {suggestion(column, known, otherwise=f'there are {shown}')}")
    if not sliced:
        raise SliceError("; ".join(remarks) or "no trial ended ok")
    return sliced, list(remarks)


def check_sliced(analyses: Sequence[Analysis]) -> None:
    """Refuse a column that can be told nothing by in any of several suites, with what stands in the way."""
    if not any(each.slices[0] for each in analyses):
        raise SliceError("; ".join(dict.fromkeys(remark for each in analyses for remark in each.slices[1])))


def slices_frame(analyses: Sequence[Analysis]) -> pd.DataFrame:
    """The entries of the tables of `slices_table`, as a DataFrame."""
    import pandas as pd

    check_sliced(analyses)
    return pd.DataFrame(
        {
            "dataset": sliced.grid.name,
            "adversary": sliced.grid.adversary,
            "axis_value": sliced.grid.columns[sliced.index],
            "metric": sliced.grid.metric,
            "slice": entry.part.name,
            "algorithm": entry.algorithm,
            **asdict(entry.mean),
            "holm": entry.holm,
        }
        for analysis in analyses
        for sliced in analysis.slices[0]
        for entry in sliced.entries
    )


def _grids(analysis: Analysis) -> list[Grid]:
    """Of each data set those of the first metric that is a mean of rows' own losses."""
    kept_rows, grids, metrics, other = analysis.results.kept_rows, list[Grid](), dict[str, str](), ""
    for grid in analysis.all_grids:
        records = (row for value in grid.columns for point in grid.column(value) for row in point.records.values())
        for record, kept in islice(kept_rows.outcomes_of(records), 0 if grid.is_group else 1):
            other = "mean-squared-error" if kept.part.classes is None else "error"
            if kept_rows.is_mean_of_losses(grid.metric, record, kept):
                grids += [grid] * (metrics.setdefault(grid.name, grid.metric) == grid.metric)
    if not other:
        raise SliceError(f"{analysis.results.folder}: no rows were kept; run the suite again with --fresh to have them")
    if not grids:
        names = ", ".join(analysis.metrics)
        raise SliceError(f"{names}: no value of each row, so a part of the rows has none; add --metrics {other}")
    return grids


def _entries(
    analysis: Analysis, points: Sequence[Point], data: Data, parts: Sequence[ColumnSlice], grid: Grid
) -> list[Entry]:
    values, groups = {}, {}
    for point in points:
        rows_of = point.measurement.rows
        try:
            own = [] if rows_of is None else [rows_of(part) for part in sorted(point.records)]
        except LookupError:
            continue
        drawn = [each.groups for each in own if each.groups is not None]
        if any(each.n_groups for each in point.drawn.values()) and len(drawn) < len(own):
            continue  # rows of one group are not independent, and nobody knows which those are
        values[point.algorithm] = [(each.rows, each.values) for each in own]
        groups[point.algorithm] = drawn or None
        for _, kept in islice(analysis.results.kept_rows.outcomes_of(point.records.values()), 1):
            check_same_rows(data, kept.part, grid.name)
    if not values:
        raise SliceError(f"{grid.name}: no rows were kept of it; run the suite again with --fresh to have them")
    means = [
        (place, each, algorithm, mean)
        for place, each in enumerate(parts)
        for algorithm, rows in values.items()
        if (mean := slice_mean(rows, each.rows, grid.limits, groups=groups[algorithm])) is not None
    ]
    # Two slices are each other's rest, so that their tests are one: that of the first stands for both.
    shared = len({place for place, *_ in means}) == 2
    tested = {
        (shared or place, algorithm): mean.p for place, _, algorithm, mean in reversed(means) if not math.isnan(mean.p)
    }
    adjusted = dict(zip(tested, holm(list(tested.values())), strict=True))
    return [
        Entry(part, algorithm, mean, math.nan if math.isnan(mean.p) else adjusted[shared or place, algorithm])
        for place, part, algorithm, mean in means
    ]


def slices_note(sliced: Sequence[Sliced]) -> str:
    """What is to be said under tables of slices."""
    notes = []
    for grouped in sorted({entry.mean.groups is not None for each in sliced for entry in each.entries}):
        unit, also = ("groups", ", groups: what the split draws as a whole") if grouped else ("rows", "")
        fewest = f"{FEWEST_ROWS} rows{f' or {FEWEST_GROUPS} groups' if grouped else ''}"
        notes.append(
            f"rows: different test rows of the slice{also}; intervals (95 %) and p speak of new {unit}, and count each "
            "once; p after Holm's correction over all slices and methods of a table, * below 0.05; fewer than "
            f"{fewest} are shown and not tested"
        )
    return ". ".join(notes)


def slices_table(sliced: Sliced) -> ReportTable:
    """A row for each slice and method."""
    metric = sliced.grid.metric
    of_groups = any(each.mean.groups is not None for each in sliced.entries)
    counted = ["rows", "groups"] if of_groups else ["rows"]
    rows = []
    for entry in sliced.entries:
        mean, has_rest = entry.mean, not math.isnan(entry.mean.rest)
        tested = ReportCell("-")
        if not math.isnan(entry.holm):
            kind, mark = ("significant", "*") if entry.decided else ("", "")
            tested = ReportCell(p_value(entry.holm), entry.holm, kind, mark=mark)
        groups = ReportCell("-" if mean.groups is None else str(mean.groups), mean.groups)
        rows.append(
            [
                entry.part.name,
                entry.algorithm,
                ReportCell(str(mean.rows), mean.rows),
                *[groups] * of_groups,
                ReportCell(number(mean.mean), mean.mean),
                interval_text(mean.low, mean.high),
                ReportCell(number(mean.rest), mean.rest) if has_rest else ReportCell("-"),
                ReportCell(f"{mean.difference:+.3f}", mean.difference) if has_rest else ReportCell("-"),
                tested,
            ]
        )
    return ReportTable(
        title=f"{metric} on {sliced.where} by {sliced.column}",
        columns=[sliced.column, "method", *counted, metric, "95 % interval", "elsewhere", "difference", "p Holm"],
        rows=rows,
        align=("left", "left", *["right"] * (5 + len(counted))),
    )
