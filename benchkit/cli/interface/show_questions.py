"""Printing what a run whose repetitions go on has decided, what is open, and what that may still take."""

from __future__ import annotations

from collections.abc import Sequence

from rich.text import Text

from benchkit.cli.interface.console import Console
from benchkit.report.questions.question import Question
from benchkit.report.questions.wording import open_lines, question_lines, tally
from benchkit.report.renderers.terminal import terminal_tables
from benchkit.report.results import Results
from benchkit.report.tables.questions import questions as question_table


def print_questions(questions: Sequence[Question], results: Results) -> None:
    """Print every question of a run with its answer, the open ones first with what they may still take."""
    console = Console()
    for part in terminal_tables(question_table(questions, results), console.width):
        console.print(part, highlight=False)
    for line in question_lines(questions, results):
        console.print(Text(line), soft_wrap=True)


def print_open(questions: Sequence[Question], results: Results) -> None:
    """Print what is open of one suite of a collection."""
    console = Console()
    console.print(Text(f"{results.suite}: {tally(questions, results)}"), soft_wrap=True)
    for line in open_lines(questions, results):
        console.print(Text(f"  {line}"), soft_wrap=True)
