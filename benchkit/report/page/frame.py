"""What stands around the sections of a page, whatever they say: one file that fetches nothing."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files

from benchkit.report.page.section import Section
from benchkit.report.renderers.html import render

# Nothing but the file itself: the browser refuses every request that a section might try.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def framed(title: str, facts: str, sections: Sequence[Section], home: str = "") -> str:
    """A whole page: a title, one line of facts under it, sections; on a site, the address of its first page."""
    return str(
        render(
            "page/document.html",
            title=title,
            facts=facts,
            home=home,
            sections=sections,
            policy=POLICY,
            css=asset("page.css"),
            script=asset("page.js"),
        )
    )


def asset(name: str) -> str:
    """A file of the page's style or script."""
    return files("benchkit.report.page").joinpath(name).read_text(encoding="utf-8")
