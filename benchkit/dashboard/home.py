"""The first page: every run of the folder, the newest first."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.dashboard.addresses import FILES, run_address
from benchkit.dashboard.choice import choice
from benchkit.dashboard.runs import ENDED, RUNNING, STOPPED, UNREADABLE, RunEntry
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.page.frame import framed
from benchkit.report.page.section import Section, of_table
from benchkit.report.renderers.html import html_table, render

EMPHASIS = {ENDED: "code good", RUNNING: "code open", STOPPED: "code bad", UNREADABLE: "code bad"}
_MOST_RUNS = 500


def home(folder: str, entries: Sequence[RunEntry], suite: str = "", mlflow: str = "") -> str:
    """The page.

    Parameters
    ----------
    folder : str
        What the output folder is called.
    entries : sequence of RunEntry
        The newest first.
    suite : str, default=""
        Only the runs of this one.
    mlflow : str, default=""
        Where the pages of the tracker are; empty where none is installed.
    """
    chosen = [entry for entry in entries if suite in ("", entry.suite)]
    sections = [Section("Runs", _runs(chosen, entries, suite)), _compare(chosen), _failures(chosen)]
    if mlflow:
        link = ReportTable(columns=["where", "what"], rows=[[ReportCell("MLflow", href=mlflow), _MLFLOW]])
        sections.append(of_table(link, "MLflow", kind="claims"))
    facts = f"{folder} · read only, on this machine alone"
    return framed("Runs of this folder", facts, [section for section in sections if section is not None])


_MLFLOW = "the same runs on MLflow's pages; starting them takes up to half a minute"


def _runs(chosen: Sequence[RunEntry], entries: Sequence[RunEntry], suite: str) -> str:
    failed = sum(entry.failed for entry in chosen if not entry.members)
    running = sum(entry.state == RUNNING for entry in chosen)
    tiles = [("runs" if len(chosen) != 1 else "run", f"{len(chosen):,}", "")]
    tiles += [("running", str(running), "good")] if running else []
    tiles += [("failed trials", f"{failed:,}", "bad")] if failed else []
    suites = sorted({entry.suite for entry in entries})
    options = [("", "all"), *((name, name) for name in suites)]
    chooser = choice("", "Show", [("suite", "suite", options, suite)]) if len(suites) > 1 else ""
    parts = [render("page/tiles.html", tiles=tiles), chooser, html_table(_table(chosen), "claims")]
    if len(chosen) > _MOST_RUNS:
        notes = [f"The newest {_MOST_RUNS} of {len(chosen):,} runs; choose a suite to see its older ones"]
        parts.append(render("page/notes.html", body="", notes=notes))
    return "".join(parts)


def _table(chosen: Sequence[RunEntry]) -> ReportTable:
    rows = [
        [
            ReportCell(entry.suite, href=run_address(entry.suite, entry.run), hint=entry.title),
            ReportCell(entry.when, hint=entry.run, emphasis="code"),
            ReportCell(entry.state, emphasis=EMPHASIS[entry.state]),
            trials(entry),
            failed(entry),
            answer(entry),
            report(entry),
        ]
        for entry in chosen[:_MOST_RUNS]
    ]
    return ReportTable(columns=["suite", "when", "state", "trials", "failures", "answer", "report"], rows=rows)


def trials(entry: RunEntry) -> ReportCell:
    """How many ended, of how many."""
    told = f"{entry.done:,}" if entry.done == entry.planned else f"{entry.done:,} of {entry.planned:,}"
    return ReportCell(f"{told} trials", entry.done)  # with its unit: on a phone no heading stands above it


def failed(entry: RunEntry) -> ReportCell:
    """How many did not end well."""
    told = f"{entry.failed:,} failed" if entry.failed else "none failed"
    return ReportCell(told, entry.failed, emphasis="failed" if entry.failed else "")


def answer(entry: RunEntry) -> str:
    """The first line of what a run answers, or why it has none."""
    if entry.answers:
        more = len(entry.answers) - 1
        return entry.answers[0] + (f" (and {more} more)" if more else "")
    if entry.members:
        return f"a run of {len(entry.members)} suites"
    told = {RUNNING: "not yet", STOPPED: "none: it was stopped before its end"}
    return entry.wrong or told.get(entry.state, "no line was written: its report has the numbers")


def report(entry: RunEntry) -> ReportCell:
    """A link to the run's own page."""
    if entry.members or entry.state == UNREADABLE:
        return ReportCell("-")
    return ReportCell("open", href=run_address(entry.suite, entry.run, next(iter(FILES))))


def _compare(chosen: Sequence[RunEntry]) -> Section | None:
    """A choice of two runs: of the newest, and one of the same suite before it."""
    comparable = [entry for entry in chosen if entry.state != UNREADABLE and entry.done][:_MOST_RUNS]
    if len(comparable) < 2:
        return None
    options = [
        (f"{entry.suite}/{entry.run}", f"{entry.suite}, {entry.when}, {entry.done:,} trials") for entry in comparable
    ]
    newest = comparable[0]
    first = next((each for each in comparable[1:] if each.suite == newest.suite), comparable[1])
    form = choice(
        "runs",
        "Compare",
        [
            ("a", "first", options, f"{first.suite}/{first.run}"),
            ("b", "against it", options, f"{newest.suite}/{newest.run}"),
        ],
    )
    return Section("Two runs side by side", form)


def _failures(chosen: Sequence[RunEntry]) -> Section | None:
    """Runs with trials that failed, by how they ended."""
    rows = [
        [
            ReportCell(entry.suite, href=f"{run_address(entry.suite, entry.run)}#trials-that-did-not-end-ok"),
            entry.when,
            ReportCell(f"{entry.failed:,}", entry.failed),
            ", ".join(f"{count:,} {status}" for status, count in entry.statuses.most_common() if status != "ok"),
        ]
        for entry in chosen[:_MOST_RUNS]
        if entry.failed and not entry.members
    ]
    if not rows:
        return None
    return of_table(ReportTable(columns=["suite", "when", "trials", "how they ended"], rows=rows), "Failures", "claims")
