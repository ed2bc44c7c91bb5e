"""Scores of methods, whatever table or file they come from, in one form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.errors import RequestError

if TYPE_CHECKING:
    import pandas as pd

KEYS = ("machine", "task", "item", "seed")
"""What a score may belong to besides its method; columns that a table lacks are absent."""


class TableError(RequestError):
    """A table of scores cannot be read, or cannot be judged."""


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
    named = [name for name in ("method", *KEYS, "cluster") if name in frame]
    for name in named:
        if frame[name].isna().any():
            row = int(np.flatnonzero(frame[name].isna())[0])
            raise TableError(f"{source}: row {row + 1} has no {name}; fill it in, or leave the row out")
    scores = pd.to_numeric(frame["score"], errors="coerce").astype(float)
    text = scores.isna() & frame["score"].notna() & (frame["score"].astype(str).str.strip() != "")
    if text.any():
        row = int(np.flatnonzero(text)[0])
        shown = str(frame["score"].iloc[row])[:40]
        raise TableError(f"{source}: row {row + 1}, {measured}: {shown!r} is no number; leave a missing score empty")
    if np.isinf(scores).any():
        row = int(np.flatnonzero(np.isinf(scores))[0])
        raise TableError(f"{source}: row {row + 1}, {measured}: infinite; leave a score that there is not empty")
    if timings and (scores <= 0).any():
        row = int(np.flatnonzero(scores <= 0)[0])
        raise TableError(f"{source}: row {row + 1}, {measured}: {scores.iloc[row]:g} is no time; times are above zero")
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
        told=tuple(told),
    )
