"""What a lost column becomes, and how the model takes gaps and other faults of a column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from benchkit import registry
from benchkit.fitted.columns import Column
from benchkit.fitted.model import Answers, in_one_line
from benchkit.statistics.independent_rows import mean_interval
from benchkit_audit.estimates import Estimate, at_once, difference, mean_loss
from benchkit_audit.subject import Subject

if TYPE_CHECKING:
    import numpy as np


FILLS = ("auto", "gap", "mean", "zero")


@dataclass(frozen=True)
class Filled:
    """Values in place of lost columns, and why these."""

    values: dict[int, Any]
    refuse_gaps: dict[int, str]  # what the model raises at a gap there
    note: str  # one sentence


def choose_fills(subject: Subject, rows: np.ndarray, fill: str = "auto") -> Filled:
    """A gap wherever the model takes one, else the mean or the most frequent value of the hold-out.

    Parameters
    ----------
    rows : ndarray of int
        That gaps are tried on.
    fill : {"auto", "gap", "mean", "zero"}, default="auto"
        Another choice for all columns; "gap" where the model refuses one raises.
    """
    refused = {
        place: message
        for place in range(len(subject.columns))
        if (message := refusal(subject, rows, {place: gap(subject.columns[place])}))
    }
    columns = subject.columns
    typical = fills_of(subject, "mean")
    if fill == "mean":
        return Filled(typical, refused, "A lost column becomes its mean, or its most frequent value, in the hold-out.")
    if fill == "zero":
        return Filled(
            fills_of(subject, "zero"),
            refused,
            "A lost column becomes 0; one that holds no numbers its most frequent value.",
        )
    gaps = fills_of(subject, "gap")
    if fill == "gap":
        return Filled(gaps, refused, "A lost column becomes a gap (NaN).")
    if len(refused) < len(columns):
        some = {place: value for place, value in gaps.items() if place not in refused}
        if refusal(subject, rows, some):  # each alone is taken, all at once are not
            refused = dict.fromkeys(range(len(columns)), "gaps in many columns at once are refused")
    values = {place: typical[place] if place in refused else gaps[place] for place in gaps}
    if not refused:
        return Filled(values, refused, "A lost column becomes a gap (NaN): the model takes gaps.")
    where = "everywhere" if len(refused) == len(columns) else f"in {len(refused)} of {len(columns)} columns"
    stand_in = "such a column" if len(refused) < len(columns) else "a lost column"
    return Filled(
        values,
        refused,
        f"The model refuses gaps {where}: {stand_in} becomes its mean, or its most frequent value, in the hold-out.",
    )


def fills_of(subject: Subject, fill: str) -> dict[int, Any]:
    """What each column becomes by "gap", "mean" or "zero"; what holds no numbers has no mean and no 0."""
    made = {}
    for place, column in enumerate(subject.columns):
        zero = fill == "zero" and column.kind == "number"
        made[place] = gap(column) if fill == "gap" else 0.0 if zero else typical_value(column)
    return made


def gap(column: Column) -> Any:
    """What stands for a missing value in a column of this type."""
    import numpy as np
    import pandas as pd

    return pd.NaT if column.kind == "other" else np.nan


def typical_value(column: Column) -> Any:
    """The mean of numbers, else the most frequent value."""
    return column.mean if column.kind == "number" else column.mode


def refusal(subject: Subject, rows: np.ndarray, values: dict[int, Any]) -> str:
    """What the model raises where columns hold these values; empty where it answers."""
    import numpy as np

    everywhere = np.ones(len(rows), dtype=bool)
    try:
        subject.answers(subject.table(rows, {place: (everywhere, value) for place, value in values.items()}))
    except Exception as error:  # what a model raises at a gap is what is asked
        return in_one_line(error)
    return ""


EMPTY = "empty column"
GAPS = {
    "NaN": "a gap",
    "None": "a gap written as None",
    EMPTY: "a gap in every row, a column that pandas reads as numbers",
}
_SMALL = 1e-9


@dataclass(frozen=True)
class Probed:
    """What came of one fault in one column."""

    column: str
    kind: str  # of `GAPS`, or what a fault is called
    raised: str  # what the model raised; empty where it answered
    # Share of predictions that changed (of a regression: that moved at all); None where it raised
    changed: Estimate | None
    # How far the probabilities moved, as total variation distance, in the mean; of a regression, how far the
    # predictions did. NaN where there are no probabilities
    moved: float
    moved_most: float  # the same for the row that moved most
    # Rise of the mean loss; None where it raised. Both intervals hold for all columns at once (Bonferroni)
    cost: Estimate | None


def probe(subject: Subject, rows: np.ndarray, seed: int) -> Iterator[Probed]:
    """Try gaps, and the faults that plugins declare, in every column.

    Parameters
    ----------
    seed : int
        Of which row gives its value.
    """
    import numpy as np

    before = subject.answers(subject.table(rows, {}))
    random = np.random.default_rng(seed)
    other, one = random.permutation(rows), int(random.choice(rows))
    probes = [each.probe for _, each in sorted(registry().adversaries.items()) if each.probe is not None]
    for place, column in enumerate(subject.columns):
        faults = _gaps(column, len(rows), subject.as_array)
        for fault in probes:
            faults |= fault(column=column, rows=rows, other=other, one=one)
        for kind, new in faults.items():
            changed = {place: (np.ones(len(rows), dtype=bool), new)}
            try:
                after = subject.answers(subject.table(rows, changed))
            except Exception as error:  # what a model raises is what is asked
                yield Probed(column.name, kind, in_one_line(error), None, float("nan"), float("nan"), None)
            else:
                yield _compared(subject, rows, before, after, column.name, kind)


def _gaps(column: Column, n_rows: int, as_array: bool) -> dict[str, Any]:
    """Gaps that a column can have, in the forms that files and programs give them."""
    import numpy as np
    import pandas as pd

    gaps = {"NaN": gap(column)}
    if column.kind == "category" or (column.kind == "number" and not as_array):
        gaps["None"] = None
    if column.kind == "category" and not isinstance(column.values.dtype, pd.CategoricalDtype) and not as_array:
        gaps[EMPTY] = np.full(n_rows, np.nan)
    return gaps


def _compared(subject: Subject, rows: np.ndarray, before: Answers, after: Answers, name: str, kind: str) -> Probed:
    import numpy as np

    moves = np.full(len(rows), np.nan)
    if subject.task == "regression":
        moves = np.abs(after.predictions - before.predictions)
        changed = moves > _SMALL * (1 + np.abs(before.predictions))
    else:
        changed = after.predictions != before.predictions
        if subject.has_probabilities and before.scores is not None and after.scores is not None:
            moves = np.abs(after.scores - before.scores).sum(axis=1) / 2
    level = at_once(len(subject.columns))
    losses = [subject.losses(each.predictions, rows) for each in (after, before)]
    return Probed(
        name,
        kind,
        "",
        mean_loss(changed.astype(float), True, level),
        float(mean_interval(moves)[0]),
        float(moves.max()),
        difference(losses[0], losses[1], subject.shares, level),
    )


_ENDS = {"lowest": "as a value below all others", "highest": "as a value above all others"}
_WAYS = {"raises": "raises", "own": "as something of its own", "nothing": "no answer changes", **_ENDS}


@dataclass(frozen=True)
class Reading:
    """What the model does with a gap in a column."""

    column: str
    # A number takes its place ("value"; "imputed" if an imputer of the pipeline has learnt it), it goes with the
    # smallest or the largest ("lowest", "highest"), neither ("own": a direction of its own), no answer changes
    # ("nothing"), or the model "raises"
    how: str
    # What takes the place; NaN unless that is known. Where 0 does the same as a value beyond one end of all values, it
    # is 0, and ``how`` names the end: nothing tells the two apart
    value: float
    rows: int  # that it was tried on

    @property
    def ways(self) -> set[str]:
        """In words what it may be: two where 0 and an end cannot be told apart."""
        if self.how in _ENDS:
            return {_ENDS[self.how]} | ({"as 0"} if self.value == 0.0 else set())
        return set() if self.how == "own" else {str(self)}

    def __str__(self) -> str:
        if self.how in ("value", "imputed"):
            return f"as {self.value:.4g}" + (" (imputed)" if self.how == "imputed" else "")
        return ("as 0 or " if self.how in _ENDS and self.value == 0.0 else "") + _WAYS[self.how]


def way_for_all(readings: Sequence[Reading]) -> str:
    """The one way in which gaps are read in all columns, in words; empty where there is none."""
    ways = set.intersection(*(each.ways for each in readings)) if readings else set()
    if len(ways) == 2:  # no column tells 0 from that end
        return str(readings[0])
    return ways.pop() if ways else ""


def read_gaps(subject: Subject, rows: np.ndarray) -> Iterator[Reading]:
    """Compare the answers to a gap with those to numbers in its place, column by column.

    A claim is made only where the answers to all rows agree exactly, and those to other numbers do not.
    """
    import numpy as np

    imputed = _imputed_numbers(subject.model)

    def answer(place: int, value: Any) -> np.ndarray | None:
        everywhere = np.ones(len(rows), dtype=bool)
        try:
            answers = subject.answers(subject.table(rows, {place: (everywhere, value)} if place >= 0 else {}))
        except Exception:  # a column may refuse a gap
            return None
        return answers.predictions if answers.scores is None else answers.scores

    usual = answer(-1, None)
    for place, column in enumerate(subject.columns):
        if column.kind != "number":
            continue
        with_gap = answer(place, np.nan)
        how, value = "raises", float("nan")
        if with_gap is not None:
            how = "nothing"
            if usual is None or not np.array_equal(with_gap, usual):
                how, value = _how_read(column, with_gap, partial(answer, place), imputed)
        yield Reading(column.name, how, value, len(rows))


def _how_read(
    column: Column, with_gap: np.ndarray, answer: Callable[[Any], np.ndarray | None], imputed: Sequence[float]
) -> tuple[str, float]:
    """Which number gives the answers that a gap gives; the nearest to 0 of those that do, if not all of them do."""
    import numpy as np

    numbers = column.values.to_numpy(dtype=float, na_value=np.nan)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return "own", float("nan")

    def as_gap(value: float) -> bool:
        answers = answer(value)
        return answers is not None and bool(np.allclose(answers, with_gap, rtol=1e-7, atol=1e-9))

    spread = float(np.ptp(numbers)) or 1.0
    lowest, highest = as_gap(float(numbers.min() - spread)), as_gap(float(numbers.max() + spread))
    end = "own" if lowest == highest else "lowest" if lowest else "highest"
    candidates = [0.0, -1.0, *imputed, float(numbers.mean()), float(np.median(numbers))]
    alike = [value for value in dict.fromkeys(candidates) if as_gap(value)]
    if not alike:
        return end, float("nan")
    value = alike[0]
    # A number that lies beyond all others says no more than that the gap does.
    if value not in imputed and end != "own":
        return end, 0.0 if value == 0.0 else float("nan")
    if (value <= numbers.min() and lowest) or (value >= numbers.max() and highest):
        return end, float("nan")
    return ("imputed" if value in imputed else "value"), value


def _imputed_numbers(model: Any, depth: int = 0) -> list[float]:
    """What imputers within a pipeline put in place of gaps."""
    import numpy as np

    statistics = np.asarray(getattr(model, "statistics_", ()), dtype=object).ravel()[:1000]
    numbers = [float(each) for each in statistics if isinstance(each, int | float) and each == each]
    steps = getattr(model, "steps", None) or getattr(model, "transformers_", None) or ()
    for step in steps if depth < 4 and isinstance(steps, list | tuple) else ():
        numbers += _imputed_numbers(step[1], depth + 1)
    return numbers
