"""Printing what a run whose repetitions go on has decided, what is open, and what that may still take."""

from __future__ import annotations

import math
from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from benchkit.cli.interface.console import Console
from benchkit.report.questions.of_results import Costs
from benchkit.report.questions.question import Question
from benchkit.report.results import Results
from benchkit.session.until_decided import duration

# More rows than a person reads.
_MOST = 40


def print_questions(questions: Sequence[Question], results: Results) -> None:
    """Print every question of a run with its answer, the open ones first with what they may still take."""
    if not questions:
        return
    console = Console()
    costs = Costs(results.records)
    table = Table(title="Decided", title_justify="left", title_style="bold")
    table.add_column("question")
    table.add_column("on these rows")
    table.add_column("more to decide", justify="right")
    ordered = sorted(questions, key=lambda question: question.decided)
    for question in ordered[:_MOST]:
        table.add_row(Text(question.text), Text(question.answer), Text(_still(question, costs)))
    console.print(table)
    if len(ordered) > _MOST:
        console.print(f"and {len(ordered) - _MOST} more questions", highlight=False)
    decided = sum(question.decided for question in questions)
    still_open = sum(question.open for question in questions)
    counts = repetitions_of(results)
    console.print(
        f"{decided} of {len(questions)} questions decided on these rows, {still_open} open; "
        f"{counts}; differences are over the repetitions that both have",
        highlight=False,
        soft_wrap=True,
    )
    for line in new_rows_lines(questions):
        console.print(Text(line), soft_wrap=True)


def repetitions_of(results: Results) -> str:
    """How many repetitions the cells have: ``5 to 63 repetitions a cell``."""
    counts: dict[str, int] = {}
    for row in results.records:
        counts[row["cell"]] = counts.get(row["cell"], 0) + 1
    fewest, most = min(counts.values(), default=0), max(counts.values(), default=0)
    return f"{fewest} repetitions a cell" if fewest == most else f"{fewest} to {most} repetitions a cell"


def new_rows_lines(questions: Sequence[Question]) -> list[str]:
    """What the repetitions say on new rows, and what no number of them will."""
    lines = [f"{question.text}: {question.new_rows}" for question in questions if question.new_rows][:_MOST]
    never = list(dict.fromkeys(each for question in questions for each in question.never_on_new_rows))
    if never:
        first = "; ".join(never[:5]) + (f"; and {len(never) - 5} more" if len(never) > 5 else "")
        lines.append(f"on new rows no number of repetitions of these rows will decide: {first}")
    return lines


def _still(question: Question, costs: Costs) -> str:
    if question.decided:
        return ""
    if not question.open:
        return "none would help"
    if math.isinf(question.needed):
        return "too close for any number"
    pairs = min(part.pairs for part in question.open_parts)
    more = max(1, math.ceil(question.needed - pairs))
    return f"about {more} repetitions, {duration(costs.to_decide([question]))}"
