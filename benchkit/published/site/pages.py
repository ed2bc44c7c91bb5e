"""The pages of the site, each from the suites that it speaks of."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from html import escape

from benchkit.plugin.declarations import ReportCell as Cell
from benchkit.plugin.manager import registry
from benchkit.published.site.addresses import data_address, method_address
from benchkit.published.site.checked import rechecked_trials, size_mark
from benchkit.published.site.facts_list import facts_list
from benchkit.published.site.pieces import Row, table
from benchkit.published.site.shell import shell
from benchkit.published.site.shown import Shown
from benchkit.published.site.tables import panel_table
from benchkit.published.stored import Stored
from benchkit.report.page.section import Section


def suite_list(suites: Sequence[Shown], stored: Stored) -> str:
    """All published suites with what came of their claims."""
    rows: list[Row] = []
    again = rechecked_trials(stored)
    for shown in suites:
        verdicts = Counter(verdict.outcome for verdict in shown.analysis.verdicts)
        told = ", ".join(f"{count} {outcome}" for outcome, count in verdicts.items()) or "-"
        records = shown.analysis.results.rows
        rows.append(
            [
                Cell(shown.title, href=shown.address),
                Cell(shown.name),
                Cell(f"{len(records):,}", len(records)),
                Cell(str(len(shown.analysis.algorithms)), len(shown.analysis.algorithms)),
                Cell(told),
                Cell(f"{(count := sum(row['trial'] in again for row in records))}", count),
                size_mark(shown.profile),
            ]
        )
    listed = Section(
        "Suites", table(["suite", "name", "trials", "methods", "claims", "run again", "size"], rows, "left")
    )
    return shell("Suites", f"{len(suites)} published suites", [listed], here="suites.html")


def data_pages(suites: Sequence[Shown], stored: Stored) -> dict[str, str]:
    """The list of data sets, and a page for each."""
    pages = {}
    rows: list[Row] = []
    names = sorted({design["question"]["dataset"]["name"] for design in stored.index["designs"].values()})
    for name in names:
        address = data_address(name)
        sections = []
        count = 0
        for shown in suites:
            panels = [panel for panel in shown.panels if name in shown.data.get(panel.grid.dataset, ())]
            count += len(panels)
            for panel in panels:
                html = panel_table(panel, lambda label, shown=shown: f"../{method_address(shown.methods[label])}")  # type: ignore[misc]
                link = f'<p><a href="../{escape(shown.address)}">{escape(shown.title)}</a></p>'
                sections.append(Section(f"{shown.name}: {panel.grid.title}", link + html))
        sections.append(_designs(name, stored))
        summary, facts = _facts(name)
        sections.insert(0, Section("What it is", facts_list(facts)))
        pages[address] = shell(name, summary or f"{count} panels of published suites", sections, here=address)
        rows.append([Cell(name, href=address), summary, Cell(str(count), count)])
    listed = Section("Data sets", table(["data set", "what it is", "panels"], rows, "left"))
    return {"data.html": shell("Data sets", f"{len(rows)} data sets", [listed], here="data.html"), **pages}


def _facts(name: str) -> tuple[str, dict[str, str]]:
    """One line on a data set, and what its declaration tells."""
    known = registry()
    if name not in known.datasets:
        return "", {"plugin": "not installed here"}
    declared = known.datasets[name]
    return declared.summary, {
        "rows x columns": declared.shape,
        "classes or target": declared.classes,
        "source": declared.source,
        "reference": declared.reference,
        "licence": declared.licence,
        "plugin": known.datasets.origin[name],
    }


def _designs(name: str, stored: Stored) -> Section:
    """How its rows were split and prepared, and the content of its files."""
    rows: dict[str, Row] = {}
    for design in stored.index["designs"].values():
        asked = design["question"]
        if asked["dataset"]["name"] == name:
            texts = [json.dumps(asked["dataset"]["params"]), str(asked["seed"]), json.dumps(asked["split"])]
            texts += [json.dumps(asked["preprocess"]), json.dumps(asked["feature_values"])[:200]]
            texts += [", ".join(f"{file} {content[:16]}" for file, content in design.get("files", {}).items()) or "-"]
            texts += [design["code"]["data"]]
            rows[" ".join(texts)] = texts
    header = ["parameters", "seed", "split", "preprocessing", "feature values", "files (SHA-256)", "content"]
    return Section("How it was used", table(header, rows.values(), "left"))


def about(stored: Stored) -> str:
    """What the files hold, what was run again, and which rows disagree."""
    index = stored.index
    files: list[Row] = [
        [
            file["path"],
            Cell(f"{file['rows']:,}", file["rows"]),
            Cell(f"{file['bytes']:,}", file["bytes"]),
            file["sha256"][:16],
        ]
        for file in index["files"]
    ]
    sections = [
        Section(
            "Use these rows",
            '<pre tabindex="0"><code>benchkit run SUITE --plugin my_method.py --against DIR_OR_ADDRESS</code></pre>'
            "<p>runs your method alone, and lets these rows stand beside it: splits and corruption never depend on the "
            "method, so they stay paired.</p>",
        ),
    ]
    if index["conflicts"]:
        listed = "".join(f"<li>{escape(each['text'])}</li>" for each in index["conflicts"])
        sections.append(Section("Rows that disagree", f"<p>All of them are kept.</p><ul>{listed}</ul>"))
    sections.append(Section("Files", table(["file", "rows", "bytes", "SHA-256"], files, "left")))
    columns: list[Row] = [[name, meaning] for name, meaning in index["columns"].items()]
    sections.append(Section("Columns", table(["column", "meaning"], columns, "left")))
    return shell("About these results", "Where they come from, and how they were checked", sections, here="about.html")
