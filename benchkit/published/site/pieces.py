"""The pieces that the pages of the site are made of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.renderers.html import html_table

Row = Sequence[ReportCell | str]


def table(header: Sequence[str], rows: Iterable[Row], kind: str = "") -> str:
    """A table whose header sorts it when clicked; the first cell of a row names it."""
    return str(html_table(ReportTable(columns=header, rows=list(rows)), kind))


def details(summary: str, html: str, opened: bool = False) -> str:
    """What can be folded away."""
    return f"<details{' open' if opened else ''}><summary>{escape(summary)}</summary>{html}</details>"
