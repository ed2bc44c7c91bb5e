"""Columns x points of the axis: in what share of the test rows an adversary changed them."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.taken_columns import NOTE, Taken


def taken_tables(analysis: Analysis) -> list[ReportTable]:
    """For each data set and adversary a row for each column that was changed anywhere."""
    return [_table(taken) for taken in analysis.taken]


def _table(taken: Taken) -> ReportTable:
    never = f"{taken.untouched} further columns were never changed; " if taken.untouched else ""
    return ReportTable(
        title=f"columns changed on {taken.grid.panel}",
        columns=[f"column, by {taken.grid.axis_title}", *taken.headings],
        rows=[[name, *(_share(share) for share in shares)] for name, shares in taken.shares.items()],
        align=("left", *["right"] * len(taken.headings)),
        note=f"{never}{NOTE}",
    )


def _share(share: float) -> ReportCell:
    return ReportCell(share_text(share), share)


def share_text(share: float) -> str:
    """A share as a percentage; one that is not zero never as 0 %."""
    return "0%" if share == 0 else "<1%" if share < 0.005 else f"{share:.0%}"
