"""What the model does with a gap in a column of numbers: which number it takes it for, if any."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.auditing.column import Column
from benchkit.auditing.subject import Subject

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Reading:
    """What the model does with a gap in a column.

    Attributes
    ----------
    column : str
    how : {"raises", "imputed", "value", "lowest", "highest", "own", "nothing"}
        A number takes its place ("value"; "imputed" if an imputer of the pipeline has learnt it), it goes
        with the smallest or the largest ("lowest", "highest"), neither
        ("own": a direction of its own), or no answer changes ("nothing").
    value : float
        What takes the place; NaN unless that is known. Where 0 does the same as a value beyond one end of all values,
        it is 0, and ``how`` names the end: nothing tells the two apart.
    rows : int
        That it was tried on.
    """

    column: str
    how: str
    value: float
    rows: int

    @property
    def ways(self) -> set[str]:
        """In words what it may be: two where 0 and an end cannot be told apart."""
        if self.how in ("lowest", "highest"):
            said = "as a value below all others" if self.how == "lowest" else "as a value above all others"
            return {said, "as 0"} if self.value == 0.0 else {said}
        return set() if self.how == "own" else {str(self)}

    def __str__(self) -> str:
        if self.how in ("value", "imputed"):
            return f"as {self.value:.4g}" + (" (imputed)" if self.how == "imputed" else "")
        zero = "as 0 or " if self.value == 0.0 else ""
        said = {
            "raises": "raises",
            "lowest": f"{zero}as a value below all others",
            "highest": f"{zero}as a value above all others",
            "own": "as something of its own",
            "nothing": "no answer changes",
        }
        return said[self.how]


def way_for_all(told: Sequence[Reading]) -> str:
    """The one way in which gaps are read in all columns, in words; empty where there is none."""
    ways = set.intersection(*(each.ways for each in told)) if told else set()
    if len(ways) == 2:  # no column tells 0 from that end
        return str(told[0])
    return ways.pop() if ways else ""


def read_gaps(subject: Subject, rows: np.ndarray) -> Iterator[Reading]:
    """Compare the answers to a gap with those to numbers in its place, column by column.

    A claim is made only where the answers to all rows agree exactly, and those to other numbers do not.

    Parameters
    ----------
    subject : Subject
    rows : ndarray of int
    """
    import numpy as np

    known = _imputed_numbers(subject.model)
    before = subject.answers(subject.table(rows, {}))
    everywhere = np.ones(len(rows), dtype=bool)
    for place, column in enumerate(subject.columns):
        if column.kind != "number":
            continue

        def told(value: Any, place: int = place) -> np.ndarray | None:
            try:
                answers = subject.answers(subject.table(rows, {place: (everywhere, value)}))
            except Exception:  # a column may refuse a gap
                return None
            return answers.predictions if answers.scores is None else answers.scores

        with_gap = told(np.nan)
        if with_gap is None:
            yield Reading(column.name, "raises", float("nan"), len(rows))
            continue
        usual = before.predictions if before.scores is None else before.scores
        if np.array_equal(with_gap, usual):
            yield Reading(column.name, "nothing", float("nan"), len(rows))
            continue
        yield _reading(column, with_gap, told, known, len(rows))


def _reading(column: Column, with_gap: np.ndarray, told: Any, known: Sequence[float], n: int) -> Reading:
    """Which number gives the answers that a gap gives; the nearest to 0 of those that do, if not all of them do."""
    import numpy as np

    numbers = column.values.to_numpy(dtype=float, na_value=np.nan)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return Reading(column.name, "own", float("nan"), n)
    spread = float(np.ptp(numbers)) or 1.0
    low, high = float(numbers.min() - spread), float(numbers.max() + spread)
    same = {}
    candidates = [0.0, -1.0, *known, float(numbers.mean()), float(np.median(numbers))]
    for value in dict.fromkeys(candidates):
        answer = told(value)
        same[value] = answer is not None and bool(np.allclose(answer, with_gap, rtol=1e-7, atol=1e-9))
    ends = [answer is not None and np.allclose(answer, with_gap, rtol=1e-7) for answer in (told(low), told(high))]
    if any(same.values()):
        # A number that lies beyond all others says no more than that the gap does.
        value = next(each for each, alike in same.items() if alike)
        if value not in known and ends[0] != ends[1]:
            return Reading(column.name, "lowest" if ends[0] else "highest", 0.0 if value == 0.0 else float("nan"), n)
        if not ((value <= numbers.min() and ends[0]) or (value >= numbers.max() and ends[1])):
            return Reading(column.name, "imputed" if value in known else "value", value, n)
    if ends[0] != ends[1]:
        return Reading(column.name, "lowest" if ends[0] else "highest", float("nan"), n)
    return Reading(column.name, "own", float("nan"), n)


def _imputed_numbers(model: Any, depth: int = 0) -> list[float]:
    """What imputers within a pipeline put in place of gaps."""
    import numpy as np

    found: list[float] = []
    statistics = getattr(model, "statistics_", None)
    if statistics is not None:
        values = np.asarray(statistics, dtype=object).ravel()[:1000]
        found += [float(each) for each in values if isinstance(each, int | float) and each == each]
    if depth < 4:
        steps = getattr(model, "steps", None) or getattr(model, "transformers_", None) or ()
        for step in steps if isinstance(steps, list | tuple) else ():
            found += _imputed_numbers(step[1], depth + 1)
    return found
