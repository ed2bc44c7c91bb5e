"""The whole page, from sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.neutral import printable
from benchkit.report.page.curves import curves
from benchkit.report.page.provenance import failures, provenance, suite_as_run
from benchkit.report.page.section import Section, table
from benchkit.report.page.summary import claims, questions, ranks, robustness, summary
from benchkit.report.page.tables import differences, means
from benchkit.report.page.tuning import tuning

# Nothing but the file itself: the browser refuses every request that a section might try.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def sections(analysis: Analysis, manifest: Mapping[str, Any]) -> list[Section]:
    """The page's own sections, in order."""
    candidates = [
        summary(analysis, manifest),
        claims(analysis),
        questions(analysis),
        curves(analysis),
        means(analysis),
        robustness(analysis),
        ranks(analysis),
        differences(analysis),
        tuning(analysis),
        failures(analysis),
        *_declared(analysis),
    ]
    return [section for section in candidates if section is not None]


def _declared(analysis: Analysis) -> list[Section]:
    """Every section that plugins declare and that has something to say of this run."""
    shown = []
    for title, section in analysis.results.sections():
        rows = [["-" if entry is None else str(entry) for entry in row] for row in section.rows]
        body = table(list(section.columns), rows) if section.columns else ""
        shown.append(Section(title, body + (f"<p>{escape(section.note)}</p>" if section.note else "")))
    return shown


def page(analysis: Analysis, manifest: Mapping[str, Any], home: str = "") -> str:
    """The report as HTML.

    Parameters
    ----------
    analysis : Analysis
    manifest : mapping
        The run's.
    home : str, default=""
        Address of the site that the page belongs to.
    """
    shown = [*sections(analysis, manifest), provenance(manifest), suite_as_run(manifest)]
    results = analysis.results
    title = results.title or results.suite
    known = [results.suite, manifest.get("profile"), manifest.get("started"), manifest.get("run")]
    facts = escape(" · ".join(str(fact) for fact in known if fact))
    links = f'<a href="{escape(home)}">All results</a>' if home else ""
    links += "".join(f'<a href="#{section.anchor}">{escape(section.title)}</a>' for section in shown)
    text = "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
            f"<title>{escape(title)} - benchkit</title>",
            f"<style>{asset('page.css')}</style></head><body>",
            f"<header><h1>{escape(title)}</h1><p>{facts}</p></header>",
            f"<nav>{links}</nav><main>",
            *_bodies(shown),
            f"</main><script>{asset('page.js')}</script></body></html>",
        ]
    )
    return printable(text)


def write_page(analysis: Analysis, manifest: Mapping[str, Any], path: Path) -> None:
    """Write the report as one HTML file."""
    path.write_text(page(analysis, manifest), encoding="utf-8")


def _bodies(shown: Iterable[Section]) -> Iterable[str]:
    for section in shown:
        yield f'<section id="{section.anchor}"><h2>{escape(section.title)}</h2>{section.html}</section>'


def asset(name: str) -> str:
    """A file of the page's style or script."""
    return files("benchkit.report.page").joinpath(name).read_text(encoding="utf-8")
