"""The sections that plugins declare."""

from __future__ import annotations

from html import escape

from benchkit.report.analysis import Analysis
from benchkit.report.page.section import Section, table


def declared(analysis: Analysis) -> list[Section]:
    """Every declared section that has something to say of this run."""
    found = []
    for title, section in analysis.results.sections():
        rows = [["-" if entry is None else str(entry) for entry in row] for row in section.rows]
        shown = table(list(section.columns), rows) if section.columns else ""
        found.append(Section(title, shown + (f"<p>{escape(section.note)}</p>" if section.note else "")))
    return found
