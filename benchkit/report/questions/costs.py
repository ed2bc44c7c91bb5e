"""What the open questions of a run may take at most."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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

    def at_most(self, questions: Sequence[RunQuestion], most: Mapping[str, int]) -> tuple[int, float]:
        """Trials and CPU seconds until every cell of an open question has its most repetitions.

        No fewer are forecast: mean and spread of a few repetitions do not tell when a question will be decided.

        Parameters
        ----------
        questions : sequence of RunQuestion
        most : mapping of cell to int
        """
        done: dict[str, int] = {}
        for part in (part for question in questions if question.open for part in question.open_parts):
            done |= {cell: min(part.pairs, done.get(cell, part.pairs)) for cell in part.cells if cell in most}
        left = {cell: max(0, most[cell] - pairs) for cell, pairs in done.items()}
        return sum(left.values()), sum(self.seconds(cell) * count for cell, count in left.items())
