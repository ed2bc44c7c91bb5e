"""What a lost column becomes, and how the model takes gaps and other faults of a column."""

import math
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from benchkit import registry
from benchkit_audit.columns import Column
from benchkit_audit.estimates import Estimate, Losses, at_once
from benchkit_audit.match import fitted_steps
from benchkit_audit.model import BATCH, Answers, in_one_line
from benchkit_audit.subject import Subject

FILLS = ("auto", "gap", "mean", "zero")
_NOTES = {
    "mean": "A lost column becomes its mean, or its most frequent value, in the hold-out.",
    "zero": "A lost column becomes 0; one that holds no numbers its most frequent value.",
    "gap": "A lost column becomes a gap (NaN).",
}
GAP = "NaN"
_SMALL = 1e-9
_UNNOTICED = 0.5
_WAYS = {
    "raises": "raises",
    "own": "as no value of the column",
    "imputed": "as its imputer fills it",
    "nothing": "no answer changes",
    "lowest": "as a value below all others",
    "highest": "as a value above all others",
}
_MARK = re.compile(r"-?9{2,}|-1|-9")
_FEWEST_MARKED = 20
_DISTINCT = 10


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
    if isinstance(ask(subject, rows, gaps), str):
        alone = {place: ask(subject, rows, {place: value}) for place, value in gaps.items()}
        refused = {place: message for place, message in alone.items() if isinstance(message, str)}
        some = {place: value for place, value in gaps.items() if place not in refused}
        # Each alone is taken, all at once are not.
        if fill == "auto" and some and isinstance(ask(subject, rows, some), str):
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


def fills_of(subject: Subject, fill: str) -> dict[int, Any]:
    """What each column becomes by "gap", "mean" or "zero"; what holds no numbers has no mean and no 0."""

    def of(column: Column) -> Any:
        if fill == "gap":
            return pd.NaT if column.kind == "other" else np.nan
        if column.kind != "number":
            return next(iter(column.values.mode()), None)
        mean = 0.0 if fill == "zero" else float(column.values.mean())
        return mean if mean == mean else 0.0  # gaps alone have none

    return {place: of(column) for place, column in enumerate(subject.columns)}


def ask(subject: Subject, rows: np.ndarray, values: dict[int, Any]) -> Answers | str:
    """The answers to rows whose columns hold these values everywhere; what the model raises instead."""
    everywhere = np.ones(len(rows), dtype=bool)
    try:
        return subject.answers(subject.table(rows, {place: (everywhere, value) for place, value in values.items()}))
    except Exception as error:  # what a model raises is what is asked
        return in_one_line(error)


@dataclass(frozen=True)
class Probed:
    """What came of one fault in one column."""

    column: str
    kind: str  # `GAP`, or what a fault is called
    raised: str = ""  # what the model raised; empty where it answered
    # Share of answers that changed (of numbers: that moved at all); None where it raised. It and the intervals below
    # hold for all columns at once (Bonferroni)
    changed: Estimate | None = None
    moved: float = math.nan  # how far probabilities (as total variation distance) or numbers moved in the mean
    cost: Estimate | None = None  # rise of the loss; of a gap it is that of the lost column, which is measured apart
    beyond_plain: Estimate | None = None  # the cost less what the same fault costs a plain model
    unnoticed: bool = True  # whether a check of the column's range lets it pass in at least half of the rows

    @property
    def noticed(self) -> str:
        """What shows it without a look at the answers."""
        return "by an error" if self.raised else "" if self.unnoticed else "by a check of ranges"


def probe(subject: Subject, rows: np.ndarray, seed: int, plains: Sequence[Subject], half: int) -> Iterator[Probed]:
    """Try a gap, and the faults that plugins declare, in every column; in two plain models beside it, too."""

    def of_other_half(first: Answers, other: Answers) -> Losses:  # the first was fitted on the first half of the rows
        return subject.losses(other.rows(slice(half)).followed_by(first.rows(slice(half, None))), rows)

    usual = of_other_half(*(each.answers(each.table(rows, {})) for each in plains)) if plains else None
    before = subject.answers(subject.table(rows, {}))
    intact, level, missing = subject.losses(before, rows), at_once(len(subject.columns)), fills_of(subject, "gap")
    comparable, random = subject.task == "regression" or subject.has_probabilities, np.random.default_rng(seed)
    other, one = random.permutation(rows), int(random.choice(rows))
    probes = [each.probe for _, each in sorted(registry().adversaries.items()) if each.probe is not None]
    for place, column in enumerate(subject.columns):
        faults = dict[str, Any]()
        for fault in probes:
            faults |= fault(column=column, rows=rows, other=other, one=one)
        # A gap, which may raise, is asked about apart.
        answers = answers_with(subject, rows, place, {GAP: missing[place]})
        answers |= answers_with(subject, rows, place, faults)
        of_plains = [answers_with(each, rows, place, faults) for each in plains]
        for kind, after in answers.items():
            if isinstance(after, str):
                yield Probed(column.name, kind, after)
                continue
            moves = np.abs(after.predictions - before.predictions)
            changed = moves > (_SMALL * (1 + np.abs(before.predictions)) if subject.task == "regression" else 0)
            share = Losses(changed.astype(float), "shares", intact.groups).estimate(level)
            moved = before.distance(after) if comparable else math.nan
            if kind == GAP:
                yield Probed(column.name, kind, "", share, moved)
                continue
            left, beyond, within = subject.losses(after, rows), None, np.ones(1)
            of_plain = [told for each in of_plains if not isinstance(told := each[kind], str)]
            if usual is not None and len(of_plain) == len(plains):
                theirs = of_other_half(*of_plain)
                harm = left.values - intact.values - theirs.values + usual.values
                few = next((each for each in (usual, theirs) if each.few), intact)
                beyond = left.rise(harm, few, level)
            if column.kind == "number":
                within = np.clip(faults[kind], column.values.min(), column.values.max()) == faults[kind]
            unnoticed = bool(within.mean() >= _UNNOTICED)
            yield Probed(column.name, kind, "", share, moved, left.less(intact, level), beyond, unnoticed)


def answers_with(subject: Subject, rows: np.ndarray, place: int, values: Mapping[Any, Any]) -> dict[Any, Answers | str]:
    """The answers to rows with each of some values, or arrays of them, in a column; what the model raises instead.

    Numbers in a column of numbers are asked together, for each call takes time; where that raises, each alone.
    """
    n, answers = len(rows), dict[Any, Answers | str]()
    is_number = subject.columns[place].kind == "number"
    numbers = [key for key, new in values.items() if is_number and np.asarray(new).dtype.kind in "iuf"]
    step = max(1, BATCH // n)
    for together in (numbers[start : start + step] for start in range(0, len(numbers), step)):
        new = np.concatenate([np.broadcast_to(np.asarray(values[key], dtype=float), n) for key in together])
        after = ask(subject, np.tile(rows, len(together)), {place: new})
        if not isinstance(after, str):
            parts = np.split(np.arange(len(new)), len(together))
            answers |= {key: after.rows(part) for key, part in zip(together, parts, strict=True)}
    return {key: answers[key] if key in answers else ask(subject, rows, {place: new}) for key, new in values.items()}


@dataclass(frozen=True)
class Reading:
    """What the model does with a gap in a column."""

    column: str
    # A number takes its place ("value"; "imputed" if the pipeline's imputer puts it there), it goes with one end
    # ("lowest", "highest"), neither ("own": a direction of its own), "nothing" changes, or the model "raises"
    how: str
    # What takes the place; NaN unless that is known. Where 0 does the same as a value beyond one end of all values, it
    # is 0, and ``how`` names the end: nothing tells the two apart
    value: Any = math.nan
    beyond: bool = False  # whether an imputer's number lies beyond all values

    @property
    def ways(self) -> list[str]:
        """In words what it may be: two where 0 and an end cannot be told apart."""
        zero = ["as 0"] if self.how in ("lowest", "highest") and self.value == 0.0 else []
        return [*zero, _WAYS[self.how]] if self.how in _WAYS else [str(self)]

    def __str__(self) -> str:
        if self.how in ("value", "imputed") and self.value == self.value:
            value = self.value if isinstance(self.value, str) else f"{self.value:.4g}"
            return f"as {value}" + (" (imputed)" if self.how == "imputed" else "")
        return " or ".join(self.ways)


def way_for_all(readings: Sequence[Reading]) -> str:
    """The way in which gaps are read in all columns, in words; empty where there is none."""
    first, *others = readings or [Reading("", "own")]
    common = [way for way in first.ways if all(way in each.ways for each in others)]
    return "" if common == [_WAYS["own"]] else " or ".join(common)


def read_gaps(subject: Subject, rows: np.ndarray, refused: Container[str]) -> Iterator[Reading]:
    """Compare the answers to a gap with those to numbers in its place, column by column; some refuse gaps.

    A claim is made only where the answers to all rows agree exactly, and those to other numbers do not; of texts only
    that they are imputed.
    """
    imputed = imputed_values(subject.model, [column.name for column in subject.columns])
    missing = fills_of(subject, "gap")
    for place, column in enumerate(subject.columns):
        numeric, fill = column.kind == "number", imputed.get(column.name)
        if not numeric and fill is None:
            continue
        if column.name in refused:
            yield Reading(column.name, "raises")
            continue
        known = [fill] if fill == fill and fill is not None else []  # NaN is not equal to itself
        values: dict[Any, Any] = {None: missing[place], **{each: each for each in known}}
        if numeric:
            usual = column.values.to_numpy(dtype=float, na_value=np.nan)
            numbers = usual[np.isfinite(usual)] if np.isfinite(usual).any() else np.zeros(1)
            spread = float(np.ptp(numbers)) or 1.0
            values |= {"usual": usual[rows], "lowest": numbers.min() - spread, "highest": numbers.max() + spread}
            values |= {number: number for number in (0.0, -1.0, float(numbers.mean()), float(np.median(numbers)))}
        with_gap, *answers = answers_with(subject, rows, place, values).items()
        alike = [key for key, answer in answers if _alike(answer, with_gap[1])]
        how, value = _how_read(numbers, alike) if numeric else ("own", math.nan)
        if (known and fill in alike) or (fill is not None and not known and how in ("own", "value")):
            beyond = numeric and fill == fill and not numbers.min() <= fill <= numbers.max()
            yield Reading(column.name, "imputed", fill, beyond)
        elif numeric:
            yield Reading(column.name, how, value)


@dataclass(frozen=True)
class Filler:
    """A number that marks what is missing in a column of numbers, such as -999; or NaN, the column's gaps."""

    column: str
    value: float
    # By how much errors rise in these rows if the mean of all others takes its place, for all columns at once: above 0
    # the model has learned what it means, below 0 it takes it for a number
    worse: Estimate


def find_fillers(subject: Subject, errors: np.ndarray) -> Iterator[Filler]:
    """Numbers such as -999, 9999 and -1 that many rows have and that stand apart from all others of the column.

    And gaps, where the mean is surely better or worse in their place.
    """
    for place, column in enumerate(subject.columns):
        if column.kind != "number":
            continue
        values = np.asarray(column.values.to_numpy(dtype=float, na_value=np.nan))
        for value in (np.nanmin(values), np.nanmax(values), np.nan) if np.isfinite(values).any() else ():
            is_gap = np.isnan(value)
            rows = np.flatnonzero(np.isnan(values) if is_gap else values == value)
            others = values[np.isfinite(values) & (values != value)]
            if len(rows) < _FEWEST_MARKED or len(np.unique(others)) < _DISTINCT:
                continue
            apart = is_gap or np.abs(others - value).min() > others.std() or value < 0 <= others.min()
            if apart and (is_gap or _MARK.fullmatch(f"{value:.0f}")):
                answers = answers_with(subject, rows, place, {"mean": float(others.mean())})["mean"]
                if not isinstance(answers, str):
                    rises = subject.errors(answers, rows) - errors[rows]
                    groups = None if subject.groups is None else subject.groups[rows]
                    before = Losses(errors[rows], "labels" if subject.classes else "numbers", groups)
                    worse = before.rise(rises, before, at_once(len(subject.columns)))
                    if not is_gap or worse.below(0.0) or worse.above(0.0):
                        yield Filler(column.name, float(value), worse)


def _alike(answers: Answers | str, others: Answers | str) -> bool:
    if isinstance(answers, str) or isinstance(others, str):
        return False
    one, other = (each.predictions if each.scores is None else each.scores for each in (answers, others))
    return bool(np.allclose(one, other, rtol=1e-7, atol=1e-9))


def _how_read(numbers: np.ndarray, alike: Sequence[Any]) -> tuple[str, float]:
    """How a gap is read, by the numbers of a column and what answers as a gap does; if not all, the first number."""
    if "usual" in alike:
        return "nothing", math.nan
    lowest, highest = ("lowest" in alike, "highest" in alike)
    end = "own" if lowest == highest else "lowest" if lowest else "highest"
    value = next((each for each in alike if not isinstance(each, str)), None)
    if value is None:
        return end, math.nan
    if lowest and highest and value not in numbers:  # it does what every number does that the column never had
        return "own", math.nan
    # A number that lies beyond all others says no more than that the gap does.
    return ("value", value) if end == "own" else (end, 0.0 if value == 0.0 else math.nan)


def imputed_values(model: Any, names: Sequence[str]) -> dict[str, Any]:
    """What imputers within a pipeline put in place of gaps, by column; NaN where not one value, or in another unit."""
    imputed = dict[str, Any]()
    for step, columns, first in fitted_steps(model, names):
        if type(step).__name__.endswith("Imputer"):
            values = np.asarray(getattr(step, "statistics_", ()), dtype=object).tolist()
            if first and len(values) == len(columns):
                imputed |= dict(zip(columns, values, strict=True))
            elif not getattr(step, "add_indicator", False):
                imputed = dict.fromkeys(columns, math.nan) | imputed
    return imputed
