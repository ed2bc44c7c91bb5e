"""What is decided, and what is open of a run whose repetitions go on until that is so."""

from __future__ import annotations

from collections.abc import Sequence

from benchkit.plugin.declarations import ReportTable
from benchkit.report.questions.question import Question
from benchkit.report.questions.wording import HEADER, TITLE, question_rows
from benchkit.report.results import Results


def questions(asked: Sequence[Question], results: Results) -> ReportTable:
    """A row for each question, the open ones first."""
    return ReportTable(title=TITLE, columns=HEADER, rows=question_rows(asked, results))
