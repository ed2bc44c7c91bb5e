"""A part of the page, and what most parts are made of: tables that fold, and notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from benchkit.plugin.declarations import ReportTable
from benchkit.report.renderers.html import html_table, render


@dataclass(frozen=True)
class Section:
    """A part of the page with a heading of its own.

    Attributes
    ----------
    title : str
        Plain text; also shown in the page's navigation.
    html : str
        What stands under the heading. It must fetch nothing: the page's policy blocks every request.
    """

    title: str
    html: str

    @property
    def anchor(self) -> str:
        """Its place in the page's address."""
        return "".join(character if character.isalnum() else "-" for character in self.title.lower())


def of_table(table: ReportTable | None, title: str = "", kind: str = "", notes: Iterable[str] = ()) -> Section | None:
    """A section of one table, with its note and others below; None where there is no table."""
    if table is None:
        return None
    below = [note for note in (table.note, *notes) if note]
    body = html_table(table, kind) if table.columns else ""
    return Section(title or table.title, render("page/notes.html", body=body, notes=below))


def of_panels(
    title: str,
    tables: Sequence[ReportTable],
    *,
    opened: bool,
    kind: str = "",
    notes: Iterable[str] = (),
    columns: bool = False,
    below: Sequence[str] = (),
) -> Section | None:
    """A section of tables that fold, in columns where there is room, each with some HTML below; None without tables."""
    if not tables:
        return None
    panels = [
        {"title": table.title, "html": html_table(table, kind), "note": table.note, "below": Markup(more)}
        for table, more in zip(tables, below or [""] * len(tables), strict=True)
    ]
    body = render("page/panels.html", panels=panels, opened=opened, columns=columns)
    return Section(title, render("page/notes.html", body=body, notes=notes))
