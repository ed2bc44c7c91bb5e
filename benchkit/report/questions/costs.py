"""What it may still take to decide the questions of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchkit.journal import Record
from benchkit.report.questions.question import RunQuestion


class Costs:
    """What a repetition of a cell takes, from the records.

    Parameters
    ----------
    records : sequence of record
    """

    def __init__(self, records: Sequence[Record]) -> None:
        spent: dict[str, list[float]] = {}
        for row in records:
            if (seconds := row.get("cpu_seconds")) is not None:
                spent.setdefault(row["cell"], []).append(seconds)
        self._means = {cell: sum(each) / len(each) for cell, each in spent.items()}
        self._mean = sum(self._means.values()) / len(self._means) if self._means else 1.0

    def seconds(self, cell: str) -> float:
        """CPU seconds of one repetition: the cell's mean, or that of all cells where it has none."""
        return self._means.get(cell, self._mean)

    def to_decide(self, questions: Sequence[RunQuestion], most: float = float("inf")) -> float:
        """CPU seconds that the open questions may still take, each cell up to so many repetitions."""
        return sum(self.seconds(cell) * count for cell, count in _more(questions, most).items())

    def trials_to_decide(self, questions: Sequence[RunQuestion], most: float = float("inf")) -> int:
        """Trials that the open questions may still take."""
        return sum(_more(questions, most).values())


def _more(questions: Sequence[RunQuestion], most: float) -> dict[str, int]:
    """Repetitions that each cell may still get; where hardly any number would decide, up to the most."""
    more: dict[str, int] = {}
    for question in questions:
        for part in question.open_parts if question.open else ():
            reached = min(part.needed, most)
            wanted = 0 if math.isinf(reached) else max(0, math.ceil(reached - part.pairs))
            for cell in part.cells:
                more[cell] = max(more.get(cell, 0), wanted)
    return more
