"""Who suffers: each method's loss on the rows that are alike in a column, beside its loss on all others."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from benchkit.document.text import interval_text, number, p_value
from benchkit.errors import RequestError
from benchkit.journal import Record
from benchkit.plugin.declarations import Categories, ReportCell, ReportTable
from benchkit.plugin.nearest_name import Suggestion
from benchkit.report.comparisons import ALPHA
from benchkit.report.grid import Grid
from benchkit.report.metrics_afterwards import DataOfRun, NoDataError, check_same_rows
from benchkit.report.points import TRIVIAL_METHODS, Point
from benchkit.statistics.many_tests import holm
from benchkit.statistics.slices import FEWEST_GROUPS, FEWEST_ROWS, SliceMean, slice_mean

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from benchkit.plugin.declarations import Data
    from benchkit.report.analysis import Analysis
    from benchkit.trial.rows import RowOutcomes


MOST_CATEGORIES = 12
"""Categories that are slices of their own; the rarer ones are one slice together."""
_FEW_NUMBERS = 6  # as many different numbers or fewer are categories
MISSING = "(missing)"


class ColumnSlice(NamedTuple):
    """Rows that are alike in a column.

    Attributes
    ----------
    name : str
        Such as ``north``, or ``0.3 to 0.7``.
    rows : ndarray of bool of shape (n_rows,)
    link : str, default=" = "
        What stands between the column and the name in a sentence.
    """

    name: str
    rows: np.ndarray
    link: str = " = "


def column_slices(column: np.ndarray | Categories) -> list[ColumnSlice]:
    """The slices of a column, in the order of its values; rows without a value are a slice, too.

    Parameters
    ----------
    column : ndarray or Categories of shape (n_rows,)
        Of few different values each is a slice; other numbers and moments are divided at their quartiles.
    """
    import numpy as np

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
        return _of_categories(codes, [_text(value) for value in different])
    return _quarters(values, missing)


def _of_categories(codes: np.ndarray, names: list[str]) -> list[ColumnSlice]:
    import numpy as np

    counts = np.bincount(codes[codes >= 0], minlength=len(names))
    often = sorted(np.argsort(-counts, kind="stable")[:MOST_CATEGORIES].tolist())
    if len(names) <= MOST_CATEGORIES:
        often = list(range(len(names)))
    slices = [ColumnSlice(names[place], codes == place) for place in often if counts[place]]
    others = [place for place in range(len(names)) if place not in set(often)]
    if others:
        slices.append(ColumnSlice(f"({len(others)} others)", np.isin(codes, others)))
    return slices + ([ColumnSlice(MISSING, codes < 0)] if (codes < 0).any() else [])


def _moments(column: Categories) -> np.ndarray | None:
    """Texts that are all dates, as text tables have them (2024-05-31), where they are too many for categories."""
    import numpy as np

    names = [str(name) for name in column.names]
    if len(names) <= MOST_CATEGORIES or not all(name.count("-") == 2 for name in names):
        return None
    try:
        moments = np.append(np.array(names, dtype="datetime64[s]"), np.datetime64("NaT"))
    except ValueError:
        return None
    found: np.ndarray = moments[column.codes]
    return found


def _quarters(values: np.ndarray, missing: np.ndarray) -> list[ColumnSlice]:
    """Up to four slices of about as many rows each, none where values repeat that much."""
    import numpy as np

    known = np.sort(values[~missing])
    # Quartiles that are values of the column, so that moments have them, too.
    edges = np.unique(known[[round(share * (len(known) - 1)) for share in (0.25, 0.5, 0.75)]])
    edges = edges[edges < known[-1]]
    place = np.searchsorted(edges, values, side="left")
    texts = [_text(edge) for edge in edges]
    names = [f"at most {texts[0]}"] if texts else ["all"]
    names += [f"{low} to {high}" for low, high in pairwise(texts)]
    names += [f"above {texts[-1]}"] if texts else []
    slices = [ColumnSlice(name, (place == each) & ~missing, " ") for each, name in enumerate(names)]
    return slices + ([ColumnSlice(MISSING, missing)] if missing.any() else [])


def _text(value: object) -> str:
    """A value as it is told; moments without a time of day that they do not have."""
    import numpy as np

    if isinstance(value, np.datetime64):
        day = value.astype("datetime64[D]")
        return str(day if day == value else value.astype("datetime64[s]")).replace("T", " ")
    if isinstance(value, np.bool_):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, np.floating) else str(value)


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
        tested = [each for each in self.entries if each.algorithm not in TRIVIAL_METHODS and not math.isnan(each.holm)]
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
    from benchkit.data.columns import column_names

    source = DataOfRun.of_run(analysis.results, plugins)
    found: list[Sliced] = []
    remarks: list[str] = []
    names: list[str] = []
    for grid in _grids(analysis):
        for place in dict.fromkeys((0, len(grid.columns) - 1)):
            points = [each for each in grid.column(grid.columns[place]) if each.records]
            if not points:
                continue
            try:
                data = source.of(next(iter(points[0].records.values())))
                names += column_names(data)
                entries = _entries(analysis, column, points, data, _slices_of(data, column, grid.name), grid)
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


def slices_frame(analyses: Sequence[Analysis]) -> pd.DataFrame:
    """The entries of the tables of `slices_table`, as a DataFrame."""
    import pandas as pd

    check_sliced(analyses)
    return pd.DataFrame(
        {
            "dataset": sliced.grid.name,
            "adversary": sliced.grid.adversary,
            "axis_value": sliced.value,
            "metric": sliced.grid.metric,
            "slice": entry.slice,
            "algorithm": entry.algorithm,
            **asdict(entry.mean),
            "holm": entry.holm,
        }
        for analysis in analyses
        for sliced in analysis.slices[0]
        for entry in sliced.entries
    )


def _grids(analysis: Analysis) -> list[Grid]:
    """Of the first metric that is a mean of rows' own losses."""
    record, kept = _some_rows(analysis)
    means = [name for name in analysis.metrics if analysis.results.kept_rows.is_mean_of_losses(name, record, kept)]
    if not means:
        other = "mean-squared-error" if kept.part.classes is None else "error"
        names = ", ".join(analysis.metrics)
        raise SliceError(f"{names}: no mean of losses, which parts of the rows have, too; add --metrics {other}")
    return [grid for grid in analysis.all_grids if grid.metric == means[0] and not grid.is_group]


def _some_rows(analysis: Analysis) -> tuple[Record, RowOutcomes]:
    """The first trial of which rows are kept, and these."""
    for record, kept in analysis.results.kept_rows.outcomes_of(analysis.records):
        return record, kept
    raise SliceError(f"{analysis.results.folder}: no rows were kept; run the suite again with --fresh to have them")


def _slices_of(data: Data, column: str, name: str) -> list[ColumnSlice]:
    from benchkit.data.columns import find_column

    try:
        return column_slices(find_column(data, column))
    except ValueError:
        raise SliceError(f"{name} has no column {column!r}") from None


def _entries(
    analysis: Analysis, column: str, points: Sequence[Point], data: Data, parts: Sequence[ColumnSlice], grid: Grid
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
        (each.name, f"{column}{each.link}{each.name}", algorithm, mean)
        for each in parts
        for algorithm, rows in values.items()
        if (mean := slice_mean(rows, each.rows, grid.limits, groups=groups[algorithm])) is not None
    ]
    return [Entry(*each, p) for each, p in zip(means, _corrected(means), strict=True)]


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


_HOLM = "p after Holm's correction over all slices and methods of a table, * below 0.05"
NOTE = (
    "rows: different test rows of the slice, which count once however often they were tested; intervals (95 %) and p "
    f"speak of new rows; {_HOLM}; fewer than {FEWEST_ROWS} rows are shown and not tested"
)
NOTE_OF_GROUPS = (
    "rows: different test rows of the slice, groups: what the split draws as a whole, which they are of; intervals "
    f"(95 %) and p speak of new groups, and count each once; {_HOLM}; fewer than {FEWEST_ROWS} rows or "
    f"{FEWEST_GROUPS} groups are shown and not tested"
)


def slices_note(sliced: Sequence[Sliced]) -> str:
    """What is to be said under tables of slices."""
    grouped = {entry.mean.groups is not None for each in sliced for entry in each.entries}
    return ". ".join([NOTE] * (False in grouped) + [NOTE_OF_GROUPS] * (True in grouped))


def slices_table(sliced: Sliced) -> ReportTable:
    """A row for each slice and method."""
    metric = sliced.grid.metric
    of_groups = any(each.mean.groups is not None for each in sliced.entries)
    counted = ["rows", "groups"] if of_groups else ["rows"]
    return ReportTable(
        title=f"{metric} on {sliced.where} by {sliced.column}",
        columns=[sliced.column, "method", *counted, metric, "95 % interval", "elsewhere", "difference", "p Holm"],
        rows=[_row(each, of_groups) for each in sliced.entries],
        align=("left", "left", *["right"] * (5 + len(counted))),
    )


def _row(entry: Entry, of_groups: bool) -> list[str | ReportCell]:
    mean = entry.mean
    has_rest = mean.rest == mean.rest
    return [
        entry.slice,
        entry.algorithm,
        ReportCell(str(mean.rows), mean.rows),
        *([ReportCell("-" if mean.groups is None else str(mean.groups), mean.groups)] if of_groups else []),
        ReportCell(number(mean.mean), mean.mean),
        interval_text(mean.low, mean.high),
        ReportCell(number(mean.rest), mean.rest) if has_rest else ReportCell("-"),
        ReportCell(f"{mean.difference:+.3f}", mean.difference) if has_rest else ReportCell("-"),
        _tested(entry),
    ]


def _tested(entry: Entry) -> ReportCell:
    if entry.holm != entry.holm:
        return ReportCell("-")
    kind, mark = ("significant", "*") if entry.decided else ("", "")
    return ReportCell(p_value(entry.holm), entry.holm, kind, mark=mark)
