"""The pages of the site, each from the suites that it speaks of."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from statistics import median
from typing import Any

from benchkit.plugin.declarations import ReportCell as Cell
from benchkit.published.machine import in_probes
from benchkit.published.sections import spread_text
from benchkit.published.site.addresses import data_address, method_address, paper_address
from benchkit.published.site.panels import Panel
from benchkit.published.site.pieces import Row, details, table
from benchkit.published.site.shell import page_name, shell, site_asset
from benchkit.published.site.shown import Shown, families
from benchkit.published.site.tables import NOTE, STANDING_HEADER, family_table, panel_table, standing_cells
from benchkit.published.stored import Stored
from benchkit.report.claims.verdict import CLAIMS_NOTE, Verdict
from benchkit.report.formatting import number
from benchkit.report.page.section import Section
from benchkit.report.tables.claims import claims
from benchkit.session.speed import is_probe

_OPEN_PANELS = 6
_OPEN_ROWS = 12
_MANY = {"version of the code": "versions of the code"}
_OF_CLAIMS = ("verdict", "claim", "source", "paper", "expected", "measured")
_PAPER = re.compile(r"[A-Za-z]+\d{2,4}\b")

Linker = Callable[[str], str]


def suite_list(suites: Sequence[Shown]) -> str:
    """All published suites with what came of their claims."""
    rows: list[Row] = []
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
            ]
        )
    listed = Section("Suites", table(["suite", "name", "trials", "methods", "claims"], rows, "left"))
    return shell("Suites", f"{len(suites)} published suites", [listed], here="suites.html")


def method_pages(suites: Sequence[Shown], stored: Stored) -> dict[str, str]:
    """The list of methods, and a page for each registered one."""
    pages = {}
    rows: list[Row] = []
    by_name: dict[str, list[tuple[str, Mapping[str, Any]]]] = defaultdict(list)
    for key, contribution in stored.index["contributions"].items():
        for name in dict.fromkeys(method["entry"]["name"] for method in contribution["methods"].values()):
            by_name[name].append((key, contribution))
    for name, contributions in sorted(by_name.items()):
        address = method_address(name)
        sections = [*_method_results(name, suites), _published(contributions, stored), _entries(name, contributions)]
        labels = sorted({each["method"] for _, each in contributions})
        suites_told = ", ".join(sorted({each["suite"] for _, each in contributions}))
        lead = f"Called {', '.join(labels)}; published for {suites_told}"
        pages[address] = shell(name, lead, sections, here=address)
        count = sum(each["rows"] for _, each in contributions)
        by = ", ".join(sorted({each["by"] for _, each in contributions if each["by"]})) or "-"
        rows.append([Cell(name, href=address), Cell(", ".join(labels)), Cell(f"{count:,}", count), Cell(by)])
    listed = Section("Methods", table(["method", "labels", "rows", "published by"], rows, "left"))
    return {"methods.html": shell("Methods", f"{len(rows)} methods", [listed], here="methods.html"), **pages}


def _method_results(name: str, suites: Sequence[Shown]) -> list[Section]:
    by_suite: dict[str, list[Row]] = {}
    for shown in suites:
        for panel in shown.panels:
            for each in panel.standings:
                if shown.methods.get(each.method) == name:
                    where = Cell(panel.grid.title, href=f"../{shown.address}")
                    row: Row = [where, each.method, *standing_cells(panel, each)]
                    by_suite.setdefault(shown.name, []).append(row)
    if not by_suite:
        return []
    few = sum(map(len, by_suite.values())) <= _OPEN_ROWS
    header = ["where", "label", *STANDING_HEADER]
    html = "".join(
        details(f"{suite}: {_counted(len(rows), 'panel')}", table(header, rows, "where"), few)
        for suite, rows in by_suite.items()
    )
    return [Section("Where it stands", f'{html}<p class="note">{escape(NOTE)}</p>')]


def _folded(what: str, header: Sequence[str], rows: Sequence[Row]) -> str:
    """A table that is open where it is short."""
    return details(_counted(len(rows), what), table(header, rows, "left"), len(rows) <= _OPEN_ROWS)


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what if count == 1 else _MANY.get(what, what + 's')}"


def _published(contributions: Iterable[tuple[str, Mapping[str, Any]]], stored: Stored) -> Section:
    """Where the rows come from: who, when, with which code, on which machine, and how long a fit took."""
    rows: list[Row] = []
    # Many suites are published by one code on one machine, which is said once.
    made: dict[tuple[str, str, str], list[str]] = defaultdict(list)
    for key, each in contributions:
        seconds = [
            float(row["fit_seconds"])
            for row in stored.rows(each["file"])
            if row["contribution"] == key and row["status"] == "ok" and row.get("fit_seconds") is not None
        ]
        middle = median(seconds) if seconds else None
        probe = each.get("probe")
        relative = spread_text(in_probes(middle, probe)) if middle is not None and is_probe(probe) else "-"
        commit = (each["commit"] or "-")[:10] + (" with changes" if each["uncommitted_changes"] else "")
        versions = ", ".join(f"{name} {version}" for name, version in each["versions"].items())
        code = f"benchkit {each['benchkit']}, Python {each['python']}, {versions}; commit {commit}"
        suite = f"{each['suite']} ({each['profile']})"
        made[str(each["machine"].get("cpu") or "-"), each["licence"], code].append(suite)
        rows.append(
            [
                Cell(suite),
                Cell(str(each["rows"]), each["rows"]),
                each["published"],
                each["by"] or "-",
                Cell("-" if middle is None else number(middle), middle),
                relative,
                "; ".join(each["warnings"]) or "-",
            ]
        )
    header = ["suite", "rows", "published", "by", "median fit seconds", "in probes [low, high]", "warnings"]
    codes: list[Row] = [[*facts, ", ".join(dict.fromkeys(names))] for facts, names in made.items()]
    html = _folded("published part", header, rows)
    codes_told = _folded("version of the code", ["processor", "licence", "code", "suites"], codes)
    note = (
        '<p class="note">A probe is the geometric mean of three small measurements on the same machine (a matrix '
        "product, a pass over memory, a loop in Python): fits of different machines compare by it, within the ends "
        "that are given.</p>"
    )
    return Section("Published", html + note + codes_told)


def _entries(name: str, contributions: Iterable[tuple[str, Mapping[str, Any]]]) -> Section:
    """What suites say of the method, and which values tuning chose."""
    rows: dict[str, Row] = {}
    for _, each in contributions:
        for method in each["methods"].values():
            entry = method["entry"]
            if entry["name"] == name:
                chosen = "; ".join(
                    f"{parameter}: " + ", ".join(f"{value} ({count})" for value, count in values.items())
                    for parameter, values in each["tuned"].items()
                )
                text = json.dumps(entry["params"]), json.dumps(entry["tune"])
                rows[f"{each['suite']} {each['method']} {text}"] = [
                    Cell(f"{each['suite']} ({each['profile']})"),
                    each["method"],
                    *text,
                    chosen or "-",
                ]
    header = ["suite", "label", "parameters", "tuning", "chosen (how often)"]
    return Section("Parameters", _folded("setting", header, list(rows.values())))


def data_pages(suites: Sequence[Shown], stored: Stored) -> dict[str, str]:
    """The list of data sets, and a page for each."""
    pages = {}
    rows: list[Row] = []
    names = sorted({design["asked"]["dataset"]["name"] for design in stored.index["designs"].values()})
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
        pages[address] = shell(name, f"{count} panels of published suites", sections, here=address)
        rows.append([Cell(name, href=address), Cell(str(count), count)])
    listed = Section("Data sets", table(["data set", "panels"], rows, "left"))
    return {"data.html": shell("Data sets", f"{len(rows)} data sets", [listed], here="data.html"), **pages}


def _designs(name: str, stored: Stored) -> Section:
    """How its rows were split and prepared, and the content of its files."""
    rows: dict[str, Row] = {}
    for design in stored.index["designs"].values():
        asked = design["asked"]
        if asked["dataset"]["name"] == name:
            texts = [json.dumps(asked["dataset"]["params"]), str(asked["seed"]), json.dumps(asked["split"])]
            texts += [json.dumps(asked["preprocess"]), json.dumps(asked["feature_values"])[:200]]
            texts += [", ".join(f"{file} {content[:16]}" for file, content in design.get("files", {}).items()) or "-"]
            texts += [design["code"]["data"]]
            rows[" ".join(texts)] = texts
    header = ["parameters", "seed", "split", "preprocessing", "feature values", "files (SHA-256)", "content"]
    return Section("How it was used", table(header, rows.values(), "left"))


def paper_pages(suites: Sequence[Shown]) -> dict[str, str]:
    """The list of papers whose claims were judged, and a page for each."""
    by_paper: dict[str, list[tuple[Shown, Verdict]]] = defaultdict(list)
    for shown in suites:
        for verdict in shown.analysis.verdicts:
            by_paper[paper_of(verdict)].append((shown, verdict))
    pages = {}
    rows: list[Row] = []
    for paper, verdicts in sorted(by_paper.items()):
        address = paper_address(paper)
        counts = Counter(verdict.outcome for _, verdict in verdicts)
        told = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
        judged = claims([verdict for _, verdict in verdicts], _OF_CLAIMS)
        assert judged is not None
        where = [Cell(shown.name, href=f"../{shown.address}") for shown, _ in verdicts]
        body = [[*row, suite] for row, suite in zip(judged.cells, where, strict=True)]
        html = table([*judged.columns, "suite"], body, "claims") + f'<p class="note">{escape(CLAIMS_NOTE)}</p>'
        pages[address] = shell(paper, f"{len(verdicts)} claims: {told}", [Section("Claims", html)], here=address)
        rows.append([Cell(paper, href=address), Cell(str(len(verdicts)), len(verdicts)), Cell(told)])
    listed = Section("Papers", table(["paper", "claims", "verdicts"], rows, "left"))
    return {"papers.html": shell("Papers", "Claims beside what was measured", [listed], here="papers.html"), **pages}


def paper_of(verdict: Verdict) -> str:
    """The paper that a claim's source names: ``DSX10`` of ``DSX10 4.2``; otherwise the source itself.

    Controls, which no paper claims, have a page of their own.
    """
    if verdict.control:
        return "Controls"
    match = _PAPER.match(verdict.source.strip())
    return match[0] if match else verdict.source.partition(",")[0].strip() or "No source"


def search(suites: Sequence[Shown], pages: Iterable[str], stored: Stored) -> str:
    """Every page by name, and what stands on it; the words stay in the address."""
    entries: list[list[str]] = [[shown.title, shown.address, "suite", shown.name] for shown in suites]
    for contribution in stored.index["contributions"].values():
        for method in contribution["methods"].values():
            name = method["entry"]["name"]
            entries.append([name, method_address(name), "method", contribution["method"]])
    for design in stored.index["designs"].values():
        name = design["asked"]["dataset"]["name"]
        entries.append([name, data_address(name), "data set", ""])
    for shown in suites:
        for verdict in shown.analysis.verdicts:
            address = paper_address(paper_of(verdict))
            entries.append([verdict.claim, address, f"claim, {verdict.outcome}", verdict.source])
    known = set(pages)
    unique = [entry for entry in {json.dumps(entry): entry for entry in entries}.values() if entry[1] in known]
    text = json.dumps(unique).replace("<", "\\u003c")
    html = (
        '<div class="search"><label for="words">Words</label><input id="words" type="search" autocomplete="off">'
        '<span id="count" role="status"></span></div><ul id="hits"></ul>'
        '<noscript><p class="caution">Searching needs JavaScript; the menu lists the same pages.</p></noscript>'
        f'<script type="application/json" id="entries">{text}</script>'
    )
    lead = "Suites, methods, data sets and claims; the key / leads to the field"
    return shell("Search", lead, [Section("Search", html)], here="search.html", script=site_asset("search.js"))


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
        _rechecks(index["rechecks"]),
    ]
    if index["conflicts"]:
        listed = "".join(f"<li>{escape(each['text'])}</li>" for each in index["conflicts"])
        sections.append(Section("Rows that disagree", f"<p>All of them are kept.</p><ul>{listed}</ul>"))
    sections.append(Section("Files", table(["file", "rows", "bytes", "SHA-256"], files, "left")))
    columns: list[Row] = [[name, meaning] for name, meaning in index["columns"].items()]
    sections.append(Section("Columns", table(["column", "meaning"], columns, "left")))
    return shell("About these results", "Where they come from, and how they were checked", sections, here="about.html")


def _rechecks(rechecks: Sequence[Mapping[str, Any]]) -> Section:
    if not rechecks:
        return Section("Checked by running again", "<p>No part was run again yet (<code>benchkit recheck</code>).</p>")
    header = ["date", "rows run again", "agree", "differ", "could not be run", "consistency check", "what differs"]
    rows: list[Row] = []
    for each in rechecks:
        told = [str(each.get(key, "-")) for key in ("date", "rows", "agree", "differ", "not_run", "audit_failures")]
        rows.append([*told, "; ".join(map(str, each.get("differences") or ())) or "-"])
    return Section("Checked by running again", table(header, rows, "left"))
