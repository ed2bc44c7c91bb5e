"""A page for each method: what it is, where it is strong and weak, and where its rows come from."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from statistics import median
from typing import Any
from urllib.parse import urlencode

from benchkit.plugin.declarations import ReportCell as Cell
from benchkit.plugin.manager import registry
from benchkit.published.machine import in_probes
from benchkit.published.reproduced import published_profile
from benchkit.published.sections import spread_text
from benchkit.published.site.addresses import method_address
from benchkit.published.site.cases import Case
from benchkit.published.site.facts_list import facts_list
from benchkit.published.site.pieces import Row, details, table
from benchkit.published.site.shell import shell
from benchkit.published.site.shown import Shown
from benchkit.published.site.small_curve import small_curve
from benchkit.published.site.tables import NOTE, STANDING_HEADER, standing_cells
from benchkit.published.stored import Stored
from benchkit.report.formatting import number
from benchkit.report.page.section import Section
from benchkit.report.statistics.chance import YARDSTICKS
from benchkit.report.tables.claims import claims
from benchkit.session.speed import is_probe

_OPEN_ROWS = 12
_CARDS = 3
_MANY = {"version of the code": "versions of the code"}


def method_pages(suites: Sequence[Shown], stored: Stored, cases: Sequence[Case] = ()) -> dict[str, str]:
    """The list of methods as cards, and a page for each registered one."""
    pages = {}
    cards = []
    largest = [shown for shown in suites if shown.profile == published_profile(stored, shown.suite)]
    by_name: dict[str, list[tuple[str, Mapping[str, Any]]]] = defaultdict(list)
    for key, contribution in stored.index["contributions"].items():
        for name in dict.fromkeys(method["question"]["name"] for method in contribution["methods"].values()):
            by_name[name].append((key, contribution))
    for name, contributions in sorted(by_name.items()):
        address = method_address(name)
        summary, facts = _facts(name, contributions)
        beside = (
            f'<p><a href="../versus.html#{escape(urlencode({"a": name}))}">Head to head with another method</a></p>'
        )
        sections = [
            Section("What it is", facts_list(facts) + beside),
            *_strong_and_weak(name, cases),
            *_claims_about(name, largest),
            *_method_results(name, suites),
            _published(contributions, stored),
            _entries(name, contributions),
        ]
        labels = sorted({each["method"] for _, each in contributions})
        pages[address] = shell(name, summary or f"Called {', '.join(labels)}", sections, here=address)
        count = sum(each["rows"] for _, each in contributions)
        said = [summary, facts.get("source", ""), f"{count:,} rows; published by {facts['published by']}"]
        told = "".join(f"<p>{escape(text)}</p>" for text in said if text)
        cards.append(f'<div class="card"><h3><a href="{escape(address)}">{escape(name)}</a></h3>{told}</div>')
    two = '<p>Any two of them side by side: <a href="versus.html">head to head</a>.</p>'
    listed = Section("Methods", f'{two}<div class="cards">{"".join(cards)}</div>')
    return {"methods.html": shell("Methods", f"{len(cards)} methods", [listed], here="methods.html"), **pages}


def _facts(name: str, contributions: Sequence[tuple[str, Mapping[str, Any]]]) -> tuple[str, dict[str, str]]:
    """One line on a method, and what is known of it by name."""
    known = registry()
    by = ", ".join(sorted({each["by"] for _, each in contributions if each["by"]})) or "nobody who gave a name"
    suites = ", ".join(sorted({each["suite"] for _, each in contributions}))
    labels = ", ".join(sorted({each["method"] for _, each in contributions}))
    published = {"called": labels, "suites": suites, "published by": by}
    if name not in known.algorithms:
        return "", {"plugin": "not installed here", **published}
    declared = known.algorithms[name]
    target = getattr(declared.make, "target", declared.make)
    made = target if isinstance(target, str) else f"{target.__module__}:{target.__qualname__}"
    plugin = known.algorithms.origin[name]
    return declared.summary, {
        "source": declared.reference,
        "formula": declared.formula,
        "code": made.replace(":", "."),
        "plugin": plugin,
        **published,
    }


def _strong_and_weak(name: str, cases: Sequence[Case]) -> list[Section]:
    """Cards of the cases where most others are shown to be worse, and of those where most are shown to be better."""
    ranked: list[tuple[int, int, int, str]] = []
    for place, case in enumerate(cases):
        mine = {label for label, registered in case.shown.methods.items() if registered == name}
        for answer in case.answers:
            if answer.method in mine:
                own = [gap for gap in case.gaps if answer.method in (gap.first, gap.second)]
                told = Counter(gap.told if gap.first == answer.method else -gap.told for gap in own)
                wins, losses = told[1], told[-1]
                ranked.append((wins, losses, place, answer.method))
    sections = []
    strongest = sorted(ranked, key=lambda each: (-each[0], each[1], each[2]))
    weakest = sorted(ranked, key=lambda each: (-each[1], each[0], each[2]))
    for title, best in (("Strongest", strongest), ("Weakest", weakest)):
        cards: list[str] = []
        seen: set[int] = set()
        for wins, losses, place, label in best:
            case = cases[place]
            if not (wins if best is strongest else losses) or id(case.grid) in seen or len(cards) == _CARDS:
                continue
            seen.add(id(case.grid))
            others = len(case.answers) - 1
            called = "" if label == name else f"{label}, "
            said = f"{called}{case.where}: shown to be better than {wins} of {others}, worse than {losses}"
            cards.append(
                f'<div class="card"><h3><a href="../{escape(case.shown.address)}">{escape(case.grid.panel)}</a></h3>'
                f"{small_curve(case.grid, label)}<p>{escape(said)}</p></div>"
            )
        if cards:
            note = '<p class="note">The line is this method, as the suite calls it; grey are the others.</p>'
            sections.append(Section(title, f'<div class="cards">{"".join(cards)}</div>{note}'))
    return sections


def _claims_about(name: str, suites: Sequence[Shown]) -> list[Section]:
    """What is claimed of a method by suites, and what came of it: claims that compare it, or whose words name it.

    Parameters
    ----------
    name : str
    suites : sequence of Shown
        Each once, at the largest size that is published.
    """
    rows: list[Row] = []
    outcomes: Counter[str] = Counter()
    named = re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.IGNORECASE)
    for shown in suites:
        found = [
            verdict
            for claim, verdict in zip(shown.analysis.results.expectations, shown.analysis.verdicts, strict=True)
            if any(shown.methods.get(label) == name for label in claim.algorithms)
            or (name not in YARDSTICKS and named.search(verdict.claim))  # "constant" and "mean" are words of their own
        ]
        judged = claims(found, ("verdict", "claim", "source", "expected with paper", "measured"))
        if judged is not None:
            outcomes.update(each.outcome for each in found)
            rows += [[*row, Cell(shown.name, href=f"../{shown.address}")] for row in judged.rows]
    if not rows:
        return []
    told = ", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common())
    header = ["verdict", "claim", "source", "expected", "measured", "suite"]
    html = details(
        f"{_counted(len(rows), 'claim')}: {told}", table(header, rows, "claims left"), len(rows) <= _OPEN_ROWS
    )
    return [Section("What is claimed of it", html)]


def _method_results(name: str, suites: Sequence[Shown]) -> list[Section]:
    by_suite: dict[str, list[Row]] = {}
    for shown in suites:
        for panel in shown.panels:
            for each in panel.standings:
                if shown.methods.get(each.method) == name:
                    where = Cell(panel.grid.title, href=f"../{shown.address}")
                    row: Row = [where, each.method, *standing_cells(shown, panel, each)]
                    name_of = shown.name + (", reduced size" if shown.is_reduced else "")
                    by_suite.setdefault(name_of, []).append(row)
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
            spent
            for row in stored.rows(each["file"])
            if row["contribution"] == key and row["status"] == "ok" and (spent := row.get("fit_seconds")) is not None
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
            entry = method["question"]
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
