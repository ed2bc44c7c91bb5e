"""The questions of a run: its suite's claims; without claims, which method is best at every point."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchkit.report.questions.of_claims import questions_of_claims
from benchkit.report.questions.of_comparisons import questions_of_comparisons
from benchkit.report.questions.question import Question
from benchkit.report.results import Results
from benchkit.report.statistics.points import Record


def questions_of(results: Results) -> list[Question]:
    """What the records of one suite are to decide, and how far they have."""
    if not results.records:
        return []
    return questions_of_claims(results) if results.expectations else questions_of_comparisons(results)


class Costs:
    """What a repetition of a cell takes, from the records.

    Parameters
    ----------
    records : sequence of record
    """

    def __init__(self, records: Sequence[Record]) -> None:
        spent: dict[str, list[float]] = {}
        for row in records:
            if row.get("cpu_seconds") is not None:
                spent.setdefault(row["cell"], []).append(row["cpu_seconds"])
        self._means = {cell: sum(each) / len(each) for cell, each in spent.items()}
        self._mean = sum(self._means.values()) / len(self._means) if self._means else 1.0

    def seconds(self, cell: str) -> float:
        """CPU seconds of one repetition: the cell's mean, or that of all cells where it has none."""
        return self._means.get(cell, self._mean)

    def to_decide(self, questions: Sequence[Question], most: float = float("inf")) -> float:
        """CPU seconds that the open questions may still take, each cell up to so many repetitions."""
        return sum(self.seconds(cell) * count for cell, count in _more(questions, most).items())

    def trials_to_decide(self, questions: Sequence[Question], most: float = float("inf")) -> int:
        """Trials that the open questions may still take."""
        return sum(_more(questions, most).values())


def _more(questions: Sequence[Question], most: float) -> dict[str, int]:
    """Repetitions that each cell may still get; where hardly any number would decide, up to the most."""
    more: dict[str, int] = {}
    for question in questions:
        for part in question.open_parts if question.open else ():
            reached = min(part.needed, most)
            wanted = 0 if math.isinf(reached) else max(0, math.ceil(reached - part.pairs))
            for cell in part.cells:
                more[cell] = max(more.get(cell, 0), wanted)
    return more
