"""Which columns the adversaries took: bars for each column, beside each other along the axis."""

from __future__ import annotations

from benchkit.report.analysis import Analysis
from benchkit.report.page.section import Section
from benchkit.report.renderers.html import render
from benchkit.report.taken_columns import NOTE, share_text

TAKEN = "Columns that were changed"
_MOST_PANELS = 12
_MOST_COLUMNS = 15
_OPEN = 4


def taken(analysis: Analysis) -> Section | None:
    """Bars of the columns that were changed most; None where nothing is known to have been changed."""
    found = analysis.taken
    if not found:
        return None
    panels = []
    for each in found[:_MOST_PANELS]:
        shown = list(each.shares.items())[:_MOST_COLUMNS]
        said = []
        if rest := list(each.shares.values())[_MOST_COLUMNS:]:
            said.append(f"{len(rest)} more columns were changed, each in at most {share_text(max(map(max, rest)))}")
        if each.untouched:
            said.append(f"{each.untouched} were never changed")
        panels.append(
            {
                "title": each.grid.panel,
                "axis": each.grid.axis_title,
                "headings": each.headings,
                "rows": [(name, [(share, share_text(share)) for share in shares]) for name, shares in shown],
                "said": "; ".join(said),
            }
        )
    notes = [f"{NOTE[0].upper()}{NOTE[1:]}. All of it as a table: benchkit report RUN --details"]
    if len(found) > _MOST_PANELS:
        notes.append(f"The first {_MOST_PANELS} of {len(found)} data sets and adversaries")
    body = render("page/taken.html", panels=panels, opened=len(panels) <= _OPEN)
    return Section(TAKEN, render("page/notes.html", body=body, notes=notes))
