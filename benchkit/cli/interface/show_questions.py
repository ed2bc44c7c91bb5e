"""Printing what a run whose repetitions go on has decided, what is open."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from benchkit.cli.interface.console import Console
from benchkit.report.questions.question import RunQuestion
from benchkit.report.questions.wording import question_lines, tally
from benchkit.report.renderers.terminal import terminal_tables
from benchkit.report.results import Results
from benchkit.report.tables.questions import open_questions
from benchkit.report.tables.questions import questions as question_table


def print_questions(questions: Sequence[RunQuestion], results: Results) -> None:
    """Print every question of a run with its answer, the open ones first."""
    console = Console()
    for part in terminal_tables(question_table(questions), console.width):
        console.print(part, highlight=False)
    for line in question_lines(questions, results):
        console.print(Text(line), soft_wrap=True)


def print_open(asked: Sequence[tuple[Sequence[RunQuestion], Results]]) -> None:
    """Print how much of each suite of a collection is decided, and one table of what is open."""
    console = Console()
    for questions, results in asked:
        console.print(Text(f"{results.suite}: {tally(questions, results)}"))
    table = open_questions(asked)
    if table is not None:
        for part in terminal_tables(table, console.width):
            console.print(part, highlight=False)
