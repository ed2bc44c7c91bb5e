"""Scores of methods, whatever table or file they come from, in one form."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit import TableError

if TYPE_CHECKING:
    import pandas as pd

KEYS = ("machine", "task", "item", "seed")
"""What a score may belong to besides its method; columns that a table lacks are absent."""


@dataclass(frozen=True, kw_only=True)
class Scores:
    """A long table of scores.

    Attributes
    ----------
    frame : DataFrame
        Columns ``method`` and ``score``, and those of `KEYS`, ``cluster`` (of items that belong together) and ``order``
        (when a timing was taken) that are known. A score of NaN is a cell that is missing.
    measured : str
        What the score is: ``accuracy``.
    higher_is_better : bool
    timings : bool, default=False
        Whether scores are times, of which ratios count.
    several_metrics : bool, default=False
        Whether tasks are measured in different ways, so that means over them say little.
    told : tuple of str
        What was guessed or left out on the way, in sentences.
    """

    frame: pd.DataFrame
    measured: str
    higher_is_better: bool
    timings: bool = False
    several_metrics: bool = False
    told: tuple[str, ...] = ()


_NAMED = ("method", *KEYS, "cluster")
_LONGEST = 500  # characters of a method's name; items may be whole questions
_LARGEST = 1e100  # squares of sums over all rows are numbers


def _stripped(frame: pd.DataFrame, source: str) -> tuple[pd.DataFrame, list[str]]:
    """Names without blanks around them, and whether there were any; one line where one is none."""
    import numpy as np
    import pandas as pd

    changed: dict[str, pd.Series] = {}
    for kind in (name for name in _NAMED if name in frame):
        column = frame[kind]
        lacking = column.isna()
        if not pd.api.types.is_numeric_dtype(column):
            nested = enumerate(column) if column.dtype == object else ()
            row = next((row for row, value in nested if isinstance(value, dict | list)), None)
            if row is not None:
                raise TableError(f"{source}: row {row + 1}: {kind} is a list or an object, not a name")
            text = column.astype(str).str.strip()
            lacking = lacking | (text == "")
            if (text != column.astype(str)).any():
                changed[kind] = text
        if lacking.any():
            row = int(np.flatnonzero(lacking)[0])
            raise TableError(f"{source}: row {row + 1} has no {kind}; fill it in, or leave the row out")
    longest = int(frame["method"].astype(str).str.len().max())
    if longest > _LONGEST:
        raise TableError(f"{source}: a method's name has {longest:,} characters; which column holds the method?")
    told = [f"blanks around names are left out ({', '.join(changed)})"] if changed else []
    return (frame.assign(**changed) if changed else frame), told


# A number, perhaps in per cent, perhaps with a spread behind it: 61.2%, 0.61 ± 0.01.
_WRITTEN = re.compile(
    r"\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(%?)(?:\s*(?:±|\+/-|\+-)\s*(?:\d+\.?\d*|\.\d+)\s*(%?))?\s*"
)


def no_number(value: Any) -> str:
    """What is wrong with a score, and what to write."""
    if isinstance(value, dict | list):
        return "a list or an object, no number"
    shown = str(value)[:40]
    if re.fullmatch(r"[+-]?\d+,\d+", shown):
        return f"{shown!r} is no number; write decimals with a point"
    return f"{shown!r} is no number; leave a missing score empty"


def read_numbers(column: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Scores as they may be written, as numbers, and which cells are no number.

    Parameters
    ----------
    column : Series
        Numbers, or texts such as ``0.61``, ``61.2%`` and ``0.61 ± 0.01``, where what follows ± is left out.
    """
    import pandas as pd

    numbers = pd.to_numeric(column, errors="coerce").astype(float)
    unread = numbers.isna() & column.notna()
    if unread.any():
        found = column[unread].astype(str).str.strip().str.extract(f"^{_WRITTEN.pattern}$")
        numbers[unread] = found[0].astype(float)
        unread &= numbers.isna() & (column.astype(str).str.strip() != "")
    return numbers, unread


def written_alike(column: pd.Series, source: str) -> list[str]:
    """What is left out of scores that are written with per cent signs or spreads; one line where only some have signs.

    Parameters
    ----------
    column : Series
        All scores, each of which `read_numbers` reads.
    source : str
    """
    texts = column.dropna().astype(str).str.strip()
    texts = texts[texts != ""]
    percent, spread = texts.str.contains("%", regex=False), texts.str.contains(r"\d\s*(?:±|\+/?-)")
    if percent.any() and not percent.all():
        some, others = texts[percent].iloc[0], texts[~percent].iloc[0]
        raise TableError(f"{source}: {some!r} is in per cent and {others!r} is not; write all scores alike")
    told = ["per cent signs are left out: differences are in points of a hundred"] if percent.any() else []
    return told + (["what stands behind ± is left out: it says nothing of pairs"] if spread.any() else [])


def checked(
    frame: pd.DataFrame,
    source: str,
    *,
    measured: str,
    higher_is_better: bool,
    timings: bool = False,
    several_metrics: bool = False,
    told: Sequence[str] = (),
) -> Scores:
    """Scores of a table with the columns of `Scores.frame`, or one line that says what is wrong with it."""
    import numpy as np
    import pandas as pd

    if not len(frame):
        raise TableError(f"{source}: no scores in it")
    frame = frame.reset_index(drop=True)
    frame, blanks = _stripped(frame, source)
    named = [name for name in _NAMED if name in frame]
    scores, text = read_numbers(frame["score"])
    if text.any():
        row = int(np.flatnonzero(text)[0])
        raise TableError(f"{source}: row {row + 1}, {measured}: {no_number(frame['score'].iloc[row])}")
    if (scores.abs() > _LARGEST).any():
        row = int(np.flatnonzero(scores.abs() > _LARGEST)[0])
        size = f"{scores.iloc[row]:g} is too large to be compared; change the unit"
        if np.isinf(scores.iloc[row]):
            size = "infinite; leave a score that is not there empty"
        raise TableError(f"{source}: row {row + 1}, {measured}: {size}")
    if scores.isna().all():
        raise TableError(f"{source}: every {measured} is empty")
    if timings and (scores <= 0).any():
        row = int(np.flatnonzero(scores <= 0)[0])
        raise TableError(f"{source}: row {row + 1}, {measured}: {scores.iloc[row]:g} is no time; times are above zero")
    written = [] if pd.api.types.is_numeric_dtype(frame["score"]) else written_alike(frame["score"], source)
    columns = {name: frame[name].astype(str).astype("category") for name in named} | {"score": scores}
    if "order" in frame:
        columns["order"] = frame["order"]
    made = pd.DataFrame(columns)
    keys = [name for name in ("method", *KEYS) if name in made]
    twice = made.duplicated(keys)
    if twice.any():
        row = int(np.flatnonzero(twice)[0])
        cell = ", ".join(f"{name} {str(made[name].iloc[row])[:40]}" for name in keys)
        lacking = [f"--{name}" for name in ("task", "item", "seed") if name not in made]
        remedy = f"name the column that tells them apart ({', '.join(lacking)})" if lacking else "remove one"
        raise TableError(f"{source}: {int(twice.sum())} cells are there twice, first {cell} (row {row + 1}); {remedy}")
    if made["method"].nunique() < 2:
        raise TableError(f"{source}: one method only, {made['method'].iloc[0]}; a comparison needs two or more")
    return Scores(
        frame=made,
        measured=measured,
        higher_is_better=higher_is_better,
        timings=timings,
        several_metrics=several_metrics,
        told=(*told, *written, *blanks),
    )
