"""What is decided, and what is open of a run whose repetitions go on until that is so."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.plugin.declarations import ReportTable
from benchkit.report.questions.question import RunQuestion
from benchkit.report.questions.wording import HEADER, OPEN_HEADER, TITLE, open_rows, question_rows
from benchkit.report.results import Results

_ALIGN = ("text", "text", "left", "text")


def questions(asked: Sequence[RunQuestion]) -> ReportTable:
    """A row for each question, the open ones first."""
    return ReportTable(title=TITLE, columns=HEADER, rows=question_rows(asked), align=_ALIGN)


def open_questions(asked: Sequence[tuple[Sequence[RunQuestion], Results]]) -> ReportTable | None:
    """What is not decided of several suites, a row each; None where all is."""
    rows = [row for questions, results in asked for row in open_rows(questions, results)]
    if not rows:
        return None
    return ReportTable(title="Open", columns=OPEN_HEADER, rows=rows, align=("left", "text", "left"))
