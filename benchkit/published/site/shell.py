"""The frame of every page of the site, in the style of a run's report; nothing is fetched from anywhere."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from benchkit.report.page.frame import POLICY, asset
from benchkit.report.page.section import Section
from benchkit.suite.names import digest

_ENTRIES = (
    ("index.html", "What should I use?"),
    ("suites.html", "Suites"),
    ("methods.html", "Methods"),
    ("versus.html", "Head to head"),
    ("data.html", "Data sets"),
    ("adversaries.html", "Adversaries"),
    ("papers.html", "Papers"),
    ("changes.html", "What changed"),
    ("checked.html", "Run again"),
    ("search.html", "Search"),
    ("about.html", "About"),
)


def shell(title: str, lead: str, sections: Sequence[Section], *, here: str, script: str = "") -> str:
    """A page of the site.

    Parameters
    ----------
    title : str
    lead : str
        One line under the title.
    sections : sequence of Section
    here : str
        The page's address within the site, such as ``method/lp.html``.
    script : str, default=""
        What the page runs besides sorting its tables.
    """
    up = "../" * here.count("/")
    links = "".join(
        f'<a href="{up}{address}"{_current(address, here)}>{escape(name)}</a>' for address, name in _ENTRIES
    )
    bodies = "".join(
        f'<section id="{escape(section.anchor)}"><h2>{escape(section.title)}</h2>{section.html}</section>'
        for section in sections
    )
    code = asset("page.js") + site_asset("tables.js") + script
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,">',
            f"<title>{escape(title)} - benchkit results</title>",
            f"<style>{asset('page.css')}{site_asset('site.css')}</style></head><body>",
            '<a class="skip" href="#content">Skip to the content</a>',
            f"<header><h1>{escape(title)}</h1><p>{escape(lead)}</p></header>",
            f'<nav aria-label="Site">{links}</nav><main id="content">{bodies}</main>',
            f"<script>{code}</script></body></html>",
        ]
    )


def site_asset(name: str) -> str:
    """A file of the site's own style or script."""
    return files("benchkit.published.site").joinpath(name).read_text(encoding="utf-8")


def page_name(name: str) -> str:
    """A file's name for something that may be called anything; it stays the same as long as the name does."""
    plain = "".join(letter if letter.isascii() and (letter.isalnum() or letter in "._-") else "-" for letter in name)
    plain = plain.strip("._-")[:80]
    return f"{plain}.html" if plain and plain == name else f"{plain or 'page'}-{digest(name, 8)}.html"


def _current(address: str, here: str) -> str:
    return ' aria-current="page"' if address == here else ""
