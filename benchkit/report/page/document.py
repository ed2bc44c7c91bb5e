"""The whole page, from sections."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from importlib.resources import files
from pathlib import Path
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.page.curves import curves
from benchkit.report.page.provenance import audit, failures, provenance, suite_as_run
from benchkit.report.page.section import Section
from benchkit.report.page.summary import claims, ranks, robustness, summary
from benchkit.report.page.tables import differences, means

# Nothing but the file itself: the browser refuses every request that a section might try.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"


def sections(analysis: Analysis, manifest: Mapping[str, Any]) -> list[Section]:
    """The page's own sections, in order."""
    found = [
        summary(analysis, manifest),
        claims(analysis),
        curves(analysis),
        means(analysis),
        robustness(analysis),
        ranks(analysis),
        differences(analysis),
        failures(analysis),
        audit(analysis),
    ]
    return [section for section in found if section is not None]


def page(analysis: Analysis, manifest: Mapping[str, Any], more: Sequence[Section] = ()) -> str:
    """The report as HTML.

    Parameters
    ----------
    analysis : Analysis
    manifest : mapping
        The run's.
    more : sequence of Section, optional
        Sections of others, shown before the provenance.
    """
    shown = [*sections(analysis, manifest), *more, provenance(manifest), suite_as_run(manifest)]
    results = analysis.results
    title = results.title or results.suite
    known = [results.suite, manifest.get("profile"), manifest.get("started"), manifest.get("run")]
    facts = escape(" · ".join(str(fact) for fact in known if fact))
    links = "".join(f'<a href="#{section.anchor}">{escape(section.title)}</a>' for section in shown)
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
            f"<title>{escape(title)} - benchkit</title>",
            f"<style>{_asset('page.css')}</style></head><body>",
            f"<header><h1>{escape(title)}</h1><p>{facts}</p></header>",
            f"<nav>{links}</nav><main>",
            *_bodies(shown),
            f"</main><script>{_asset('page.js')}</script></body></html>",
        ]
    )


def write_page(analysis: Analysis, manifest: Mapping[str, Any], path: Path, more: Sequence[Section] = ()) -> None:
    """Write the report as one HTML file."""
    path.write_text(page(analysis, manifest, more), encoding="utf-8")


def _bodies(shown: Iterable[Section]) -> Iterable[str]:
    for section in shown:
        yield f'<section id="{section.anchor}"><h2>{escape(section.title)}</h2>{section.html}</section>'


def _asset(name: str) -> str:
    return files("benchkit.report.page").joinpath(name).read_text(encoding="utf-8")
