"""Scores of methods, whatever table or file they come from, in one form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit import TableError

if TYPE_CHECKING:
    import pandas as pd

KEYS = ("machine", "task", "item", "seed")
"""What a score may belong to besides its method; columns that a table lacks are absent."""
_NAMED = ("method", *KEYS, "cluster")
_LARGEST = 1e100  # squares of sums over all rows are numbers


@dataclass(frozen=True, kw_only=True)
class Scores:
    """A long table of scores.

    Attributes
    ----------
    frame : DataFrame
        Columns ``method`` and ``score``, and those of `KEYS`, ``cluster`` (of items that belong together) and ``order``
        (when a timing was taken) that are known. A score of NaN is a cell that is missing.
    source : str
        What messages call the table.
    measured : str
        What the score is: ``accuracy``.
    higher_is_better : bool
    timings : bool, default=False
        Whether scores are times, of which ratios count.
    several_metrics : bool, default=False
        Whether tasks are measured in different ways, so that means over them say little.
    test_share : float or None, default=None
        Where seeds are splits of one data set, the share of its rows that each tests.
    notes : tuple of str
        What was guessed or left out on the way, in sentences.
    """

    frame: pd.DataFrame
    source: str
    measured: str
    higher_is_better: bool
    timings: bool = False
    several_metrics: bool = False
    test_share: float | None = None
    notes: tuple[str, ...] = ()


# A number, perhaps in per cent, perhaps with a spread behind it: 61.2%, 0.61 ± 0.01.
_WRITTEN = (
    r"^\s*([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)\s*(?:%?)(?:\s*(?:±|\+/-|\+-)\s*(?:\d+\.?\d*|\.\d+)\s*(?:%?))?\s*$"
)


def no_number(value: Any) -> str:
    """What is wrong with a score, and what to write."""
    if isinstance(value, dict | list):
        return "a list or an object, no number"
    return f"{str(value)[:40]!r} is no number; write decimals with a point, leave a missing score empty"


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
        texts = column[unread].astype(str).str.strip()
        numbers[unread] = texts.str.extract(_WRITTEN)[0].astype(float)
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
    notes = ["per cent signs are left out: differences are in points of a hundred"] if percent.any() else []
    return notes + (["what stands behind ± is left out: it says nothing of pairs"] if spread.any() else [])


def checked(
    frame: pd.DataFrame,
    source: str,
    *,
    measured: str,
    higher_is_better: bool,
    timings: bool = False,
    several_metrics: bool = False,
    notes: Sequence[str] = (),
) -> Scores:
    """Scores of a table with the columns of `Scores.frame`, or one line that says what is wrong with it."""
    import pandas as pd

    if not len(frame):
        raise TableError(f"{source}: no scores in it")
    frame = frame.reset_index(drop=True)
    columns: dict[str, pd.Series] = {}
    stripped = []
    for kind in (name for name in _NAMED if name in frame):
        column = frame[kind]
        text = column.astype(str).str.strip()
        nested = column.map(lambda value: isinstance(value, dict | list)) & (column.dtype == object)
        for row in nested[nested].index[:1]:
            raise TableError(f"{source}: row {row + 1}: {kind} is a list or an object, not a name")
        lacking = column.isna() | (text == "")
        for row in lacking[lacking].index[:1]:
            raise TableError(f"{source}: row {row + 1} has no {kind}; fill it in, or leave the row out")
        stripped += [kind] * bool((text != column.astype(str)).any())
        columns[kind] = text.astype("category")
    scores, text = read_numbers(frame["score"])
    for row in text[text].index[:1]:
        raise TableError(f"{source}: row {row + 1}, {measured}: {no_number(frame['score'][row])}")
    large = scores.abs() > _LARGEST
    for row in large[large].index[:1]:
        raise TableError(
            f"{source}: row {row + 1}, {measured}: {scores[row]:g} is infinite or too large to be compared; leave a "
            "score that is not there empty"
        )
    if scores.isna().all():
        raise TableError(f"{source}: every {measured} is empty")
    for row in scores.index[scores <= 0][:1] if timings else ():
        raise TableError(f"{source}: row {row + 1}, {measured}: {scores[row]:g} is no time; times are above zero")
    notes = [*notes, *([] if pd.api.types.is_numeric_dtype(frame["score"]) else written_alike(frame["score"], source))]
    notes += [f"blanks around names are left out ({', '.join(stripped)})"] if stripped else []
    columns["score"] = scores
    if "order" in frame:
        columns["order"] = frame["order"]
    made = pd.DataFrame(columns)
    keys = [name for name in ("method", *KEYS) if name in made]
    twice = made.duplicated(keys)
    for row in twice[twice].index[:1]:
        cell = ", ".join(f"{name} {str(made[name][row])[:40]}" for name in keys)
        lacking_keys = [f"--{name}" for name in ("task", "item", "seed") if name not in made]
        remedy = f"name the column that tells them apart ({', '.join(lacking_keys)})" if lacking_keys else "remove one"
        raise TableError(f"{source}: {int(twice.sum())} cells are there twice, first {cell} (row {row + 1}); {remedy}")
    if made["method"].nunique() < 2:
        raise TableError(f"{source}: one method only, {made['method'][0]}; a comparison needs two or more")
    return Scores(
        frame=made,
        source=source,
        measured=measured,
        higher_is_better=higher_is_better,
        timings=timings,
        several_metrics=several_metrics,
        notes=tuple(notes),
    )
