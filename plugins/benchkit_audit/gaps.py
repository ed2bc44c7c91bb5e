"""What a lost column becomes, and how the model takes gaps and other faults of a column."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from benchkit import registry
from benchkit.fitted.columns import Column
from benchkit.fitted.model import Answers, in_one_line
from benchkit_audit.estimates import Estimate, Losses, at_once
from benchkit_audit.subject import Subject

FILLS = ("auto", "gap", "mean", "zero")


@dataclass(frozen=True)
class Filled:
    """Values in place of lost columns, and why these."""

    values: dict[int, Any]
    refuse_gaps: dict[int, str]  # what the model raises at a gap there
    note: str  # one sentence


def choose_fills(subject: Subject, rows: np.ndarray, fill: str = "auto") -> Filled:
    """A gap wherever the model takes one on these rows, else the mean or the most frequent value of the hold-out.

    Any other ``fill`` than "auto" is of all columns; "gap" where the model refuses one raises.
    """
    gaps, count, refused = fills_of(subject, "gap"), len(subject.columns), dict[int, str]()
    if refusal(subject, rows, gaps):
        alone = {place: refusal(subject, rows, {place: value}) for place, value in gaps.items()}
        refused = {place: message for place, message in alone.items() if message}
        some = {place: value for place, value in gaps.items() if place not in refused}
        if fill == "auto" and some and refusal(subject, rows, some):  # each alone is taken, all at once are not
            refused = dict.fromkeys(range(count), "gaps in many columns at once are refused")
    if fill in _NOTES:
        return Filled(fills_of(subject, fill), refused, _NOTES[fill])
    if not refused:
        return Filled(gaps, refused, "A lost column becomes a gap (NaN): the model takes gaps.")
    typical = fills_of(subject, "mean")
    where = "everywhere" if len(refused) == count else f"in {len(refused)} of {count} columns"
    stand_in = "such a column" if len(refused) < count else "a lost column"
    note = f"The model refuses gaps {where}: {stand_in} becomes its mean, or its most frequent value, in the hold-out."
    return Filled(gaps | {place: typical[place] for place in refused}, refused, note)


_NOTES = {
    "mean": "A lost column becomes its mean, or its most frequent value, in the hold-out.",
    "zero": "A lost column becomes 0; one that holds no numbers its most frequent value.",
    "gap": "A lost column becomes a gap (NaN).",
}


def fills_of(subject: Subject, fill: str) -> dict[int, Any]:
    """What each column becomes by "gap", "mean" or "zero"; what holds no numbers has no mean and no 0."""

    def of(column: Column) -> Any:
        if fill == "gap":
            return gap(column)
        return column.mode if column.kind != "number" else 0.0 if fill == "zero" else column.mean

    return {place: of(column) for place, column in enumerate(subject.columns)}


def gap(column: Column) -> Any:
    """What stands for a missing value in a column of this type."""
    import pandas as pd

    return pd.NaT if column.kind == "other" else np.nan


def refusal(subject: Subject, rows: np.ndarray, values: dict[int, Any]) -> str:
    """What the model raises where columns hold these values; empty where it answers."""
    everywhere = np.ones(len(rows), dtype=bool)
    try:
        subject.answers(subject.table(rows, {place: (everywhere, value) for place, value in values.items()}))
    except Exception as error:  # what a model raises at a gap is what is asked
        return in_one_line(error)
    return ""


EMPTY = "empty column"
GAPS = ("NaN", EMPTY)
"""A gap, and one in every row of a column, which pandas reads as numbers."""
_SMALL = 1e-9


@dataclass(frozen=True)
class Probed:
    """What came of one fault in one column."""

    column: str
    kind: str  # of `GAPS`, or what a fault is called
    raised: str  # what the model raised; empty where it answered
    # Share of answers that changed (of numbers: that moved at all), and rise of the loss; None where it raised. Both
    # intervals hold for all columns at once (Bonferroni)
    changed: Estimate | None
    moved: float  # how far probabilities (as total variation distance) or numbers moved in the mean
    cost: Estimate | None
    beyond_plain: Estimate | None = None  # the loss less that of a plain model with the same fault
    likely: bool = False  # another unit in positive numbers over decades: no range tells it


def probe(subject: Subject, rows: np.ndarray, seed: int, plain: Subject | None) -> Iterator[Probed]:
    """Try gaps, and the faults that plugins declare, in every column; in a plain model beside it, too."""
    import pandas as pd

    before = subject.answers(subject.table(rows, {}))
    intact, level = subject.losses(before, rows), at_once(len(subject.columns))
    random = np.random.default_rng(seed)
    other, one = random.permutation(rows), int(random.choice(rows))
    probes = [each.probe for _, each in sorted(registry().adversaries.items()) if each.probe is not None]
    for place, column in enumerate(subject.columns):
        faults: dict[str, Any] = {"NaN": gap(column)}
        texts = column.kind == "category" and not isinstance(column.values.dtype, pd.CategoricalDtype)
        if texts and not subject.as_array:
            faults[EMPTY] = np.full(len(rows), np.nan)
        for fault in probes:
            faults |= fault(column=column, rows=rows, other=other, one=one)
        for kind, new in faults.items():
            changes = {place: (np.ones(len(rows), dtype=bool), new)}
            try:
                after = subject.answers(subject.table(rows, changes))
            except Exception as error:  # what a model raises is what is asked
                yield Probed(column.name, kind, in_one_line(error), None, float("nan"), None)
                continue
            left = subject.losses(after, rows)
            beyond = None
            if plain is not None and kind not in GAPS:
                with suppress(Exception):  # what it cannot answer is not compared
                    beyond = left.less(plain.losses(plain.answers(plain.table(rows, changes)), rows), level)
            changed, moved = _moved(subject, before, after)
            share = Losses(changed.astype(float), "shares").estimate(level)
            likely = kind.startswith("x ") and column.values.max() >= 100 * column.values.min() > 0
            yield Probed(column.name, kind, "", share, moved, left.less(intact, level), beyond, bool(likely))


def _moved(subject: Subject, before: Answers, after: Answers) -> tuple[np.ndarray, float]:
    """Which answers changed, and how far probabilities, or numbers, moved in the mean."""
    if subject.task == "regression":
        moves = np.abs(after.predictions - before.predictions)
        return moves > _SMALL * (1 + np.abs(before.predictions)), float(moves.mean())
    changed = after.predictions != before.predictions
    if not subject.has_probabilities or before.scores is None or after.scores is None:
        return changed, float("nan")
    return changed, float(np.abs(after.scores - before.scores).sum(axis=1).mean() / 2)


_WAYS = {
    "raises": "raises",
    "own": "as something of its own",
    "nothing": "no answer changes",
    "lowest": "as a value below all others",
    "highest": "as a value above all others",
}


@dataclass(frozen=True)
class Reading:
    """What the model does with a gap in a column."""

    column: str
    # A number takes its place ("value"; "imputed" if an imputer has learnt it), it goes with one end ("lowest",
    # "highest"), neither ("own": a direction of its own), "nothing" changes, or the model "raises"
    how: str
    # What takes the place; NaN unless that is known. Where 0 does the same as a value beyond one end of all values, it
    # is 0, and ``how`` names the end: nothing tells the two apart
    value: float

    @property
    def ways(self) -> set[str]:
        """In words what it may be: two where 0 and an end cannot be told apart."""
        if self.how in ("lowest", "highest"):
            return {_WAYS[self.how]} | ({"as 0"} if self.value == 0.0 else set())
        return set() if self.how == "own" else {str(self)}

    def __str__(self) -> str:
        if self.how in ("value", "imputed"):
            return f"as {self.value:.4g}" + (" (imputed)" if self.how == "imputed" else "")
        return ("as 0 or " if self.value == 0.0 else "") + _WAYS[self.how]


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
    imputed = _imputed_numbers(subject.model)

    def answer(place: int, *values: float) -> np.ndarray | None:
        """To all rows with each of some numbers in a column, or with what they hold: shape (n_values, n_rows, ...)."""
        many = np.tile(rows, max(1, len(values)))
        changed = {place: (np.ones(len(many), dtype=bool), np.repeat(values, len(rows)))} if values else {}
        try:
            answers = subject.answers(subject.table(many, changed))
        except Exception:  # a column may refuse a gap, or a number
            return None
        told = answers.predictions if answers.scores is None else answers.scores
        return told.reshape(len(many) // len(rows), len(rows), -1)

    usual = answer(-1)
    for place, column in enumerate(subject.columns):
        if column.kind != "number":
            continue
        with_gap = answer(place, math.nan)
        how, value = "raises" if with_gap is None else "nothing", math.nan
        if with_gap is not None and (usual is None or not np.array_equal(with_gap, usual)):
            how, value = _how_read(column, with_gap, partial(answer, place), imputed)
        yield Reading(column.name, how, value)


def _how_read(
    column: Column, with_gap: np.ndarray, answer: Callable[..., np.ndarray | None], imputed: Sequence[float]
) -> tuple[str, float]:
    """Which number gives the answers that a gap gives; the nearest to 0 of those that do, if not all of them do."""
    numbers = column.values.to_numpy(dtype=float, na_value=np.nan)
    numbers = numbers[np.isfinite(numbers)]
    if not len(numbers):
        return "own", math.nan
    spread = float(np.ptp(numbers)) or 1.0
    ends = float(numbers.min() - spread), float(numbers.max() + spread)
    tried = [*ends, *dict.fromkeys([0.0, -1.0, *imputed, float(numbers.mean()), float(np.median(numbers))])]
    answers = answer(*tried)
    if answers is None:  # of one or more: each is asked alone
        alone = [answer(number) for number in tried]
        by_number = [None if each is None else each[0] for each in alone]
    else:
        by_number = list(answers)
    lowest, highest, *as_gap = [
        each is not None and bool(np.allclose(each, with_gap[0], rtol=1e-7, atol=1e-9)) for each in by_number
    ]
    end = "own" if lowest == highest else "lowest" if lowest else "highest"
    value = next((number for number, alike in zip(tried[2:], as_gap, strict=True) if alike), None)
    if value is None:
        return end, math.nan
    # A number that lies beyond all others says no more than that the gap does.
    if value not in imputed and end != "own":
        return end, 0.0 if value == 0.0 else math.nan
    if (value <= numbers.min() and lowest) or (value >= numbers.max() and highest):
        return end, math.nan
    return ("imputed" if value in imputed else "value"), value


def _imputed_numbers(model: Any, depth: int = 0) -> list[float]:
    """What imputers within a pipeline put in place of gaps."""
    statistics = np.asarray(getattr(model, "statistics_", ()), dtype=object).ravel()[:1000]
    numbers = [float(each) for each in statistics if isinstance(each, int | float) and each == each]
    steps = getattr(model, "steps", None) or getattr(model, "transformers_", None) or ()
    for step in steps if depth < 4 and isinstance(steps, list | tuple) else ():
        numbers += _imputed_numbers(step[1], depth + 1)
    return numbers
