"""Who suffers: slices of a column x methods, each beside all other rows."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.formatting import interval_text, number, p_value
from benchkit.report.slices import Entry, Sliced
from benchkit.statistics.slices import FEWEST_GROUPS, FEWEST_ROWS

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
