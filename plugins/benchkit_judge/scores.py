"""Scores of methods, whatever table or file they come from, in one form."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from benchkit import TableError

KEYS = ("task", "item", "seed")
"""What a score may belong to besides its method; columns that a table lacks are absent."""
_LARGEST = 1e100  # squares of sums over all rows are numbers


@dataclass(frozen=True, kw_only=True)
class Scores:
    """A long table of scores.

    Its frame has the columns ``method`` and ``score`` (NaN where it is missing), and of `KEYS` and ``cluster`` (of
    items that belong together) those that are known.
    """

    frame: pd.DataFrame
    measured: str  # what the score is: accuracy
    higher_is_better: bool
    several_metrics: bool = False  # of tasks, so that means over them say little
    test_share: float | None = None  # where seeds are splits of one data set, the share of its rows that each tests
    notes: Sequence[str] = ()  # what was guessed or left out on the way, in sentences


# A number, perhaps in per cent, perhaps with a spread behind it: 61.2%, 0.61 ± 0.01, 0.61 (0.01).
_DIGITS = r"(?:\d+\.?\d*|\.\d+)"
_SPREAD = rf"(?:(?:±|\+/?-)\s*{_DIGITS}\s*%?|\(\s*±?\s*\d*\.\d+\s*%?\s*\))"  # (1) may be a rank
_WRITTEN = rf"^\s*([+-]?{_DIGITS}(?:[eE][+-]?\d+)?)\s*%?(?:\s*{_SPREAD})?\s*$"


def no_number(value: Any) -> str:
    """What is wrong with a score, and what to write."""
    if isinstance(value, dict | list):
        return "a list or an object, no number"
    return f"{str(value)[:40]!r} is no number; write it alone, decimals behind a point; leave a missing score empty"


def read_numbers(column: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Scores as they may be written, ``0.61``, ``61.2%``, ``0.61 ± 0.01``, as numbers, and which are no number."""
    numbers = pd.to_numeric(column, errors="coerce").astype(float)
    unread = numbers.isna() & column.notna()
    if unread.any():
        texts = column[unread].astype(str).str.strip()
        numbers[unread] = texts.str.extract(_WRITTEN)[0].astype(float)
        unread &= numbers.isna() & (column.astype(str).str.strip() != "")
    return numbers, unread


def written_alike(column: pd.Series) -> list[str]:
    """What is left out of scores with per cent signs or spreads; one line where only some have signs."""
    texts = column.dropna().astype(str).str.strip()
    texts = texts[texts != ""]
    percent, spread = texts.str.contains("%", regex=False), texts.str.contains(r"\d\s*%?\s*(?:±|\+/?-|\()")
    if percent.any() and not percent.all():
        some, others = texts[percent].iloc[0], texts[~percent].iloc[0]
        raise TableError(f"{some!r} is in per cent and {others!r} is not; write all scores alike")
    notes = ["per cent signs are left out: differences are in points of a hundred"] if percent.any() else []
    return notes + (["spreads (±, or in brackets) are left out: they say nothing about pairs"] if spread.any() else [])


def checked(scores: Scores) -> Scores:
    """Scores as they are judged: names are texts, scores numbers, and no cell is there twice; or one line says why not.

    Rows are called as the frame's index does, from one on.
    """
    labels, frame, measured = scores.frame.index, scores.frame.reset_index(drop=True), scores.measured
    if frame.empty:
        raise TableError("no scores in it")

    def refuse(wrong: pd.Series, reason: str | Callable[[int], str]) -> None:
        """The first row that is wrong."""
        for row in wrong.to_numpy().nonzero()[0][:1]:
            raise TableError(f"row {labels[row] + 1}{reason if isinstance(reason, str) else reason(row)}")

    made: dict[str, pd.Series] = {}
    stripped = []
    for kind in (name for name in ("method", *KEYS, "cluster") if name in frame):
        text = frame[kind].astype(str).str.strip()
        nested = frame[kind].map(lambda value: isinstance(value, dict | list))
        refuse(nested, f": {kind} is a list or an object, not a name")
        refuse(frame[kind].isna() | (text == ""), f" has no {kind}; fill it in, or leave the row out")
        stripped += [kind] * bool((text != frame[kind].astype(str)).any())
        made[kind] = text.astype("category")
    made["score"], unread = read_numbers(frame["score"])
    refuse(unread, lambda row: f", {measured}: {no_number(frame['score'][row])}")
    advice = "is infinite or too large to be compared; leave a score that is not there empty"
    refuse(made["score"].abs() > _LARGEST, lambda row: f", {measured}: {made['score'][row]:g} {advice}")
    if made["score"].isna().all():
        raise TableError(f"every {measured} is empty")
    written = [] if pd.api.types.is_numeric_dtype(frame["score"]) else written_alike(frame["score"])
    blanks = [f"blanks around names are left out ({', '.join(stripped)})"] if stripped else []
    cells = pd.DataFrame(made)
    keys = [name for name in ("method", *KEYS) if name in made]
    twice = cells.duplicated(keys)
    for row in twice.to_numpy().nonzero()[0][:1]:
        cell = ", ".join(f"{name} {str(cells[name][row])[:40]}" for name in keys)
        absent = [f"--{name}" for name in ("task", "item", "seed") if name not in made]
        remedy = f"name the column that tells them apart ({', '.join(absent)}), or " * bool(absent) + "remove one"
        count, where = int(twice.sum()), f"first {cell} (row {labels[row] + 1})"
        raise TableError(f"{count} cell{'s are' if count > 1 else ' is'} there twice, {where}; {remedy}")
    if cells["method"].nunique() < 2:
        raise TableError(f"one method only, {cells['method'][0]}; a comparison needs two or more")
    return replace(scores, frame=cells, notes=(*scores.notes, *written, *blanks))
