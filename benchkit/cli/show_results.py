"""Printing a run's results: tables, claims, what went wrong, where the files are."""

from __future__ import annotations

from rich.console import Console
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from benchkit.report.results import Results
from benchkit.report.tables import rich_tables


def print_results(results: Results, tracked: bool = False) -> None:
    """Print to standard output."""
    console = Console()
    console.print()
    for table in rich_tables(results, console.width):
        console.print(table)
    if any(point.stderr is not None for point in results.points()):
        console.print("mean ± standard error over repetitions; best of each column in bold", style="dim")
    _print_sections(results, console)
    _print_claims(results, console)
    _print_problems(results, console)
    _print_summary(results, console, tracked)


def _print_sections(results: Results, console: Console) -> None:
    for title, section in results.sections():
        if section.columns:
            table = Table(title=title, title_justify="left", title_style="bold")
            for column in section.columns:
                table.add_column(column)
            for row in section.rows:
                table.add_row(*("-" if entry is None else Text(str(entry)) for entry in row))
            console.print(table)
        if section.note:
            console.print(Text(section.note, style="dim"))


def _print_claims(results: Results, console: Console) -> None:
    verdicts = results.verdicts()
    if not verdicts:
        return
    table = Table(title="Claims", title_justify="left", title_style="bold", show_edge=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("claim and evidence")
    colours = {"holds": "green", "fails": "bold red", "not run": "yellow"}
    for verdict in verdicts:
        source = f" ({verdict.source})" if verdict.source else ""
        text = Text(f"{verdict.claim}{source}\n")
        text.append(verdict.evidence, style="dim")
        table.add_row(Text(verdict.outcome, style=colours[verdict.outcome]), text)
    console.print(table)


def _print_problems(results: Results, console: Console, most: int = 20) -> None:
    problems = results.problems()
    if not problems:
        return
    console.print("\nTrials that did not end ok", style="bold")
    for count, text in problems[:most]:
        console.print(f"  {count} x {escape(text)}", soft_wrap=True, highlight=False)
    if len(problems) > most:
        console.print(f"  and {len(problems) - most} more kinds")


def _print_summary(results: Results, console: Console, tracked: bool) -> None:
    statuses = ", ".join(f"{count} {status}" for status, count in results.statuses.most_common())
    ran = f"{results.ran} trials run, {results.reused} reused, in {results.seconds:.1f} s" if results.seconds else ""
    planned = f"{len(results.records)} of {results.planned} trials" if results.planned else ""
    console.print(f"\n{ran or planned}: {statuses}", highlight=False)
    console.print(f"files in {results.folder}", highlight=False, soft_wrap=True)
    if tracked:
        out = results.folder.parent.parent
        option = "" if str(out) == "runs" else f" --out {out}"
        console.print(f"dashboard: benchkit ui{option}", highlight=False, soft_wrap=True)
