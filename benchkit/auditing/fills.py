"""What a lost column becomes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.auditing.column import Column
from benchkit.auditing.raised import in_one_line
from benchkit.auditing.subject import Subject

if TYPE_CHECKING:
    import numpy as np

FILLS = ("auto", "gap", "mean", "zero")


@dataclass(frozen=True)
class Filled:
    """Values in place of lost columns, and why these.

    Attributes
    ----------
    values : mapping of column to value
    refuse_gaps : mapping of column to str
        What the model raises at a gap there.
    note : str
        One sentence.
    """

    values: dict[int, Any]
    refuse_gaps: dict[int, str]
    note: str


def choose_fills(subject: Subject, rows: np.ndarray, fill: str = "auto") -> Filled:
    """A gap wherever the model takes one, else the mean or the most frequent value of the hold-out.

    Parameters
    ----------
    subject : Subject
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
