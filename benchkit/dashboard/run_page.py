"""A run: how far it has come, what it answers, what failed, its files, and what to compare."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from benchkit.dashboard.addresses import FILES, HOME, run_address
from benchkit.dashboard.choice import choice
from benchkit.dashboard.home import EMPHASIS, answer, failed, report, trials
from benchkit.dashboard.runs import RUNNING, UNREADABLE, RunEntry
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.page.frame import framed
from benchkit.report.page.section import Section, of_panels, of_table
from benchkit.report.renderers.html import render
from benchkit.report.stored_results import load_results
from benchkit.report.tables.failures import failures
from benchkit.report.tables.means import means

_REPORT = "report.html"
_SAID = {
    _REPORT: "the report: curves, tables, tests, provenance",
    "tables.md": "its tables as Markdown",
    "summary.md": "verdicts on claims, and what went wrong",
    "points.csv": "every number of the comparison",
    "records.parquet": "a row for each trial, for pandas",
    "suite.yaml": "the suite as it was run",
    "manifest.json": "what the run was made of",
}


def run_page(out: Path, entry: RunEntry, others: Sequence[RunEntry]) -> str:
    """The page.

    Parameters
    ----------
    out : Path
        Output folder.
    entry : RunEntry
    others : sequence of RunEntry
        Further runs, to compare it with or, of a collection, its members.
    """
    sections: list[Section | None] = [Section("Run", _head(entry))]
    if entry.members:
        sections.append(of_table(_members(entry, others), "Suites", kind="claims"))
    elif entry.state != UNREADABLE:
        folder = out / entry.suite / entry.run
        results = load_results(folder)
        sections.append(of_table(_files(folder, entry), "Files", kind="claims"))
        if entry.state == RUNNING and results.rows:
            analysis = Analysis(results)
            tables = [means(analysis, grid) for grid in analysis.grids]
            sections.append(of_panels("So far", tables, opened=True, kind="means", notes=analysis.notes))
        algorithms = list(dict.fromkeys(row["algorithm"] for row in results.rows))
        sections += [_methods(entry, algorithms), _runs(entry, others), of_table(failures(results))]
    facts = [entry.suite, entry.profile, entry.when, entry.run]
    shown = [section for section in sections if section is not None]
    return framed(entry.title or entry.suite, " · ".join(fact for fact in facts if fact), shown, HOME)


def _head(entry: RunEntry) -> str:
    kind = {RUNNING: ""}.get(entry.state, EMPHASIS[entry.state].removeprefix("code "))
    tiles = [
        ("state", entry.state, kind),
        ("trials", f"{entry.done:,}" if entry.done == entry.planned else f"{entry.done:,} of {entry.planned:,}", ""),
    ]
    tiles += [(status, f"{count:,}", "" if status == "ok" else "bad") for status, count in entry.statuses.most_common()]
    told = list(entry.answers) or [answer(entry)]
    if entry.state == RUNNING:
        told = ["it goes on: this page shows what has ended, and loads itself again"]
    return render("page/tiles.html", tiles=tiles) + Markup("").join(
        Markup('<p class="answer">{}</p>').format(text if text.endswith(".") else f"{text}.") for text in told
    )


def _members(entry: RunEntry, others: Sequence[RunEntry]) -> ReportTable:
    rows = [
        [
            ReportCell(each.suite, href=run_address(each.suite, each.run), hint=each.title),
            ReportCell(each.state, emphasis=EMPHASIS[each.state]),
            trials(each),
            failed(each),
            answer(each),
            report(each),
        ]
        for each in others
        if (each.suite, each.run) in entry.members
    ]
    return ReportTable(columns=["suite", "state", "trials", "failures", "answer", "report"], rows=rows)


def _files(folder: Path, entry: RunEntry) -> ReportTable:
    # The report is made of the records where the run has not written it yet.
    there = [name for name in FILES if name == _REPORT or (folder / name).is_file()]
    rows = [[ReportCell(name, href=run_address(entry.suite, entry.run, name)), _SAID[name]] for name in there]
    return ReportTable(columns=["file", "what it holds"], rows=rows)


def _methods(entry: RunEntry, algorithms: Sequence[str]) -> Section | None:
    if len(algorithms) < 2:
        return None
    options = [(name, name) for name in algorithms]
    choices = [("a", "method", options, algorithms[0]), ("b", "against", options, algorithms[1])]
    form = choice("methods", "Compare", choices, {"run": f"{entry.suite}/{entry.run}"})
    return Section("Two methods side by side", form)


def _runs(entry: RunEntry, others: Sequence[RunEntry]) -> Section | None:
    alike = [each for each in others if each.suite == entry.suite and each.run != entry.run and each.done]
    if not alike or not entry.done:
        return None
    options = [(f"{each.suite}/{each.run}", f"{each.when}, {each.done:,} trials") for each in alike]
    form = choice("runs", "Compare", [("a", "with", options, options[0][0])], {"b": f"{entry.suite}/{entry.run}"})
    return Section("With another run", form)
