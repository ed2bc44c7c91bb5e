"""Printing a run's results: tables, claims, what went wrong, where the files are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from rich.text import Text

from benchkit.cli.interface.console import Console
from benchkit.plugin.declarations import ReportTable
from benchkit.report.analysis import BEST_IN_BOLD, Analysis
from benchkit.report.failures import TITLE
from benchkit.report.questions import question_table, tally
from benchkit.report.renderers.terminal import BEST, terminal_tables
from benchkit.report.results import Results
from benchkit.report.tables import FOR_TERMINALS, claims, differences, in_short, means, ranks, robustness
from benchkit.report.taken_columns import taken_tables
from benchkit.report.tuning_cost import tuning


def print_results(
    analysis: Analysis, *, full: bool = False, tracked: bool = False, reference: Path | None = None
) -> None:
    """Print to standard output: the answer with one table, and where there is more.

    Parameters
    ----------
    analysis : Analysis
    full : bool, default=False
        Before that every table with its notes and cautions, robustness in numbers, ranks over datasets, every
        difference with its tests, tuning, changed columns, and claims with their evidence.
    tracked : bool, default=False
        Say how to open the dashboard.
    reference : Path, optional
        What the reader named it by, such as a bundle; the suite's folder by default.
    """
    console = Console()
    console.print()
    bold = console.is_terminal and not console.no_color

    def show(table: ReportTable | None, before: str = "") -> None:
        if table is not None:
            for part in terminal_tables(table, console.width, bold, before):
                console.print(part, highlight=False)

    if full:
        _print_details(analysis, console, show)
    if analysis.questions:
        show(question_table(analysis.questions))
        console.print(Text(tally(analysis.questions, analysis.results)), soft_wrap=True)
    _print_problems(analysis.results, console)
    for answer in analysis.answers:
        console.print(Text(answer, style="bold"))
    for table in in_short(analysis):
        show(replace(table, note=""))
        console.print(f"{table.note}; {BEST_IN_BOLD if bold else BEST}", style="dim", highlight=False)
    if not full:
        _print_claims(analysis, console)
    _print_summary(analysis.results, console, tracked)
    if not full:
        _print_more(analysis, console, reference or analysis.results.folder.parent)


def _print_details(analysis: Analysis, console: Console, show: Callable[..., None]) -> None:
    """Everything but the answer."""
    bold = console.is_terminal and not console.no_color
    for grid in analysis.grids:
        show(means(analysis, grid))
    for note in analysis.notes if bold else analysis.notes_with(BEST):
        console.print(note, style="dim", highlight=False)
    for table in _with_notes_once(robustness(analysis, grid) for grid in analysis.grids):
        show(table, "Robustness: ")
    for table in _with_notes_once(ranks(analysis)):
        show(table)
    for grid in analysis.grids:
        show(differences(analysis, grid), f"Against {analysis.settings.baseline}: ")
    for table in _with_notes_once(tuning(analysis)):
        show(table, "Tuning on ")
    for table in _with_notes_once(taken_tables(analysis)):
        show(table)
    for title, section in analysis.results.sections():
        if section.columns:
            show(replace(section, title=title, note=""))
        if section.note:
            console.print(Text(section.note, style="dim"))
    show(claims(analysis.verdicts, FOR_TERMINALS, analysis.claims_note))
    for line in analysis.answers_in_numbers:
        console.print(Text(line, style="dim"))


def _with_notes_once(tables: Iterable[ReportTable | None]) -> list[ReportTable]:
    """Tables, of which neighbours that say the same below say it below the last."""
    shown = [table for table in tables if table is not None]
    said_below = {place for place, (table, other) in enumerate(pairwise(shown)) if table.note == other.note}
    return [replace(table, note="") if place in said_below else table for place, table in enumerate(shown)]


def _print_claims(analysis: Analysis, console: Console, most: int = 6) -> None:
    """A line for each claim of a suite with few; how many stand of one with many."""
    if not analysis.verdicts:
        return
    if len(analysis.verdicts) <= most:
        for verdict in analysis.verdicts:
            console.print(Text(f"claim {verdict.outcome}: {verdict.claim}"), highlight=False)
        return
    counts = Counter(verdict.outcome for verdict in analysis.verdicts)
    console.print(f"claims: {', '.join(f'{count} {outcome}' for outcome, count in counts.most_common())}")


def _print_more(analysis: Analysis, console: Console, reference: Path) -> None:
    """Where the rest is, and what it holds."""
    count = len(analysis.cautions)
    held = ["every table", "tests", *(title for title, _ in analysis.results.sections())]
    held += ["what claims rest on"] if analysis.verdicts else []
    held += [f"{count} caution{'' if count == 1 else 's'}"] if count else []
    text = f"more: benchkit report {reference} --details ({', '.join(held)})"
    console.print(text, highlight=False, markup=False, soft_wrap=True)


def _print_problems(results: Results, console: Console, most: int = 20) -> None:
    problems = results.problems()
    if not problems:
        return
    console.print(f"\n{TITLE}", style="bold")
    for count, text in problems[:most]:
        console.print(f"  {count} x {text}", soft_wrap=True, highlight=False)
    if len(problems) > most:
        console.print(f"  and {len(problems) - most} more kinds")


def _print_summary(results: Results, console: Console, tracked: bool) -> None:
    own = Counter(row["status"] for row in results.own_rows)
    statuses = ", ".join(f"{count} {status}" for status, count in own.most_common()) or "none"
    if beside := len(results.rows) - len(results.own_rows):
        statuses += f"; {beside} published rows beside them"
    ran = f"{results.ran} trials run, {results.reused} reused, in {results.seconds:.1f} s" if results.seconds else ""
    planned = f"{len(results.own_rows)} of {results.planned} trials" if results.planned else ""
    console.print(f"\n{ran or planned}: {statuses}", highlight=False)
    console.print(f"files in {results.folder}", highlight=False, soft_wrap=True)
    page = results.folder / "report.html"
    if page.exists():
        console.print(f"report: {page}", highlight=False, soft_wrap=True)
    if tracked:
        out = results.folder.parent.parent
        option = "" if str(out) == "runs" else f" --out {out}"
        console.print(f"curves in MLflow: benchkit ui{option}", highlight=False, soft_wrap=True)
