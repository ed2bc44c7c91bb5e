"""Printing what a run whose repetitions go on has decided, what is open, and what that may still take."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from benchkit.cli.interface.console import Console
from benchkit.report.questions.question import Question
from benchkit.report.questions.wording import HEADER, TITLE, open_lines, question_lines, question_rows, tally
from benchkit.report.results import Results


def print_questions(questions: Sequence[Question], results: Results) -> None:
    """Print every question of a run with its answer, the open ones first with what they may still take."""
    console = Console()
    table = Table(title=TITLE, title_justify="left", title_style="bold")
    for place, name in enumerate(HEADER):
        table.add_column(name, justify="right" if place == 2 else "left")
    for row in question_rows(questions, results):
        table.add_row(*map(Text, row))
    console.print(table)
    for line in question_lines(questions, results):
        console.print(Text(line), soft_wrap=True)


def print_open(questions: Sequence[Question], results: Results) -> None:
    """Print what is open of one suite of a collection."""
    console = Console()
    console.print(Text(f"{results.suite}: {tally(questions, results)}"), soft_wrap=True)
    for line in open_lines(questions, results):
        console.print(Text(f"  {line}"), soft_wrap=True)
