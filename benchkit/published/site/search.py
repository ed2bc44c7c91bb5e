"""Search over everything that has a page, by names, authors, claims and what things are for."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from benchkit.plugin.manager import registry
from benchkit.published.site.addresses import adversary_address, data_address, method_address
from benchkit.published.site.shell import shell, site_asset
from benchkit.published.site.shown import Shown
from benchkit.published.stored import Stored
from benchkit.report.page.section import Section


def search(suites: Sequence[Shown], pages: Collection[str], stored: Stored) -> str:
    """Every page by name, and what stands on it; the words stay in the address."""
    known = registry()
    entries: list[list[str]] = []
    for shown in suites:
        source = str(shown.manifest.get("suite_as_run", {}).get("source", ""))
        entries.append([shown.title, shown.address, "suite", f"{shown.name} {source}"])
        entries += [
            [verdict.claim, shown.address, f"claim, {verdict.outcome}", f"{verdict.source} {source}"]
            for verdict in shown.analysis.verdicts
        ]
    for contribution in stored.index["contributions"].values():
        for method in contribution["methods"].values():
            name = method["question"]["name"]
            said = ""
            if name in known.algorithms:
                said = f"{known.algorithms[name].summary} {known.algorithms[name].reference}"
            entries.append(
                [name, method_address(name), "method", f"{contribution['method']} {contribution['by']} {said}"]
            )
    for design in stored.index["designs"].values():
        name = design["question"]["dataset"]["name"]
        said = f"{known.datasets[name].summary} {known.datasets[name].reference}" if name in known.datasets else ""
        entries.append([name, data_address(name), "data set", said])
        adversary = (design["question"]["adversary"] or {}).get("name")
        if adversary:
            told = known.adversaries.get(adversary)
            said = f"{told.summary} {told.reference}" if told is not None else ""
            entries.append([adversary, adversary_address(adversary), "adversary", said])
    entries += [[page.partition("/")[2], page, "paper", ""] for page in pages if page.startswith("paper/")]
    known_pages = set(pages)
    unique = [entry for entry in {json.dumps(entry): entry for entry in entries}.values() if entry[1] in known_pages]
    text = json.dumps(unique, separators=(",", ":")).replace("<", "\\u003c")
    html = (
        '<div class="search"><label for="words">Words</label><input id="words" type="search" autocomplete="off">'
        '<span id="count" role="status"></span></div><ul id="hits"></ul>'
        '<noscript><p class="caution">Searching needs JavaScript; the menu lists the same pages.</p></noscript>'
        f'<script type="application/json" id="entries">{text}</script>'
    )
    lead = "Suites, methods, data sets, adversaries, authors and claims; the key / leads to the field"
    return shell("Search", lead, [Section("Search", html)], here="search.html", script=site_asset("search.js"))
