"""A table as HTML, and the templates that pages are made from: whatever a template shows is escaped."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, FunctionLoader, StrictUndefined
from markupsafe import Markup, escape

from benchkit.plugin.declarations import ReportTable
from benchkit.report.neutral import printable


def html_table(table: ReportTable, kind: str = "") -> Markup:
    """A table of some class of the page's style: its header sorts it when clicked, a row's first cell names the row."""
    return render("renderers/table.html", table=table, kind=kind)


def render(template: str, **values: Any) -> Markup:
    """What a template below ``benchkit/report`` makes of some values."""
    return Markup(_environment().get_template(template).render(**values))


@cache
def _environment() -> Environment:
    made = Environment(
        autoescape=True,
        finalize=_neutral,
        keep_trailing_newline=False,
        loader=FunctionLoader(lambda name: files("benchkit.report").joinpath(name).read_text(encoding="utf-8")),
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=StrictUndefined,
    )
    made.filters["breakable"] = _breakable
    return made


def _neutral(value: Any) -> Any:
    """Text without control characters: a page may be printed to a terminal."""
    return value if isinstance(value, Markup) else printable(str(value))


def _breakable(name: str) -> Markup:
    """A long name may break at its underscores, as it may at hyphens, and nowhere else."""
    return escape(printable(name)).replace("_", Markup("_<wbr>"))
