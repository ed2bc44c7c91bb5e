"""Who suffers: slices of a column x methods, each beside all other rows."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.formatting import interval_text, number, p_value
from benchkit.report.slices import Entry, Sliced
from benchkit.statistics.slices import FEWEST_ROWS

NOTE = (
    "rows: different test rows of the slice, which count once however often they were tested; intervals (95 %) and p "
    "speak of new rows; p after Holm's correction over all slices and methods of a table, * below 0.05; "
    f"fewer than {FEWEST_ROWS} rows are shown and not tested"
)


def slices_table(sliced: Sliced) -> ReportTable:
    """A row for each slice and method."""
    metric = sliced.grid.metric
    return ReportTable(
        title=f"{metric} on {sliced.where} by {sliced.column}",
        columns=[sliced.column, "method", "rows", metric, "95 % interval", "elsewhere", "difference", "p Holm"],
        rows=[_row(each) for each in sliced.entries],
        align=("left", "left", *["right"] * 6),
    )


def _row(entry: Entry) -> list[str | ReportCell]:
    mean = entry.mean
    has_rest = mean.rest == mean.rest
    return [
        entry.slice,
        entry.algorithm,
        ReportCell(str(mean.rows), mean.rows),
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
