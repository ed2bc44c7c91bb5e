"""Printing a collection's results: a line for each suite, and one table of verdicts over all."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from rich.text import Text

from benchkit.cli.interface.console import Console
from benchkit.report.questions import open_table, questions_of, tally
from benchkit.report.renderers.terminal import terminal_tables
from benchkit.report.results import Results
from benchkit.report.tables import FOR_TERMINALS, claims


def print_line(results: Results) -> None:
    """Print how a suite's trials ended, and where to read on."""
    statuses = ", ".join(f"{count} {status}" for status, count in results.statuses.most_common())
    ran = f"{results.ran} run, {results.reused} reused, {results.seconds:.0f} s" if results.seconds else "all reused"
    line = Text(f"{results.suite}: {statuses} ({ran}); benchkit report {results.folder}")
    Console().print(line, highlight=False, soft_wrap=True)


def print_verdicts(results: Results) -> None:
    """Print every claim of a collection with its verdict, and what went wrong."""
    console = Console()
    judged = [(each.suite, verdict) for each in results.suites for verdict in each.verdicts()]
    counts = Counter(verdict.outcome for _, verdict in judged)
    table = claims([verdict for _, verdict in judged], FOR_TERMINALS, suites=[suite for suite, _ in judged])
    if table is not None:
        for part in terminal_tables(replace(table, title=results.title or results.suite), console.width):
            part.show_lines = True
            console.print(part, highlight=False)
    for each in results.suites:
        for count, problem in each.problems():
            console.print(Text(f"{each.suite}: {count} x {problem}"), soft_wrap=True)
    for each in results.suites:
        for failure in each.inconsistencies():
            console.print(Text(f"{each.suite}: consistency check: {failure}", style="bold red"), soft_wrap=True)
    asked = [(questions, each) for each in results.suites if each.until_decided and (questions := questions_of(each))]
    for questions, each in asked:
        console.print(Text(f"{each.suite}: {tally(questions, each)}"))
    if (left := open_table(asked)) is not None:
        for part in terminal_tables(left, console.width):
            console.print(part, highlight=False)
    told = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) or "none"
    console.print(f"claims: {told}; files in {results.folder}", highlight=False, soft_wrap=True)
