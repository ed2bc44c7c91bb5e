"""How the model takes a column that goes wrong: each kind of fault tried in each column, and what came of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.auditing.column import Column
from benchkit.auditing.fills import gap
from benchkit.auditing.measured import Measured, at_once, difference, mean_loss
from benchkit.auditing.raised import in_one_line
from benchkit.auditing.subject import Answers, Subject
from benchkit.statistics.independent_rows import mean_interval

if TYPE_CHECKING:
    import numpy as np

UNSEEN = "never seen before"
EMPTY = "empty column"
KINDS = {
    "NaN": "a gap",
    "None": "a gap written as None",
    EMPTY: "a gap in every row, a column that pandas reads as numbers",
    "unseen": "a category that is not in the hold-out",
    "empty": "an empty text",
    "x 1000": "another unit, a thousand times as much",
    "stuck": "one row's value in all rows, as of a stuck sensor",
    "zero": "0 in all rows",
    "other row": "the value of another row",
}
GAPS = ("NaN", "None", EMPTY)
_SMALL = 1e-9


@dataclass(frozen=True)
class Probed:
    """What came of one fault in one column.

    Attributes
    ----------
    column : str
    kind : str
        Of `KINDS`.
    raised : str
        What the model raised; empty where it answered.
    changed : Measured or None
        Share of predictions that changed (of a regression: that moved at all); None where it raised.
    moved : float
        How far the probabilities moved, as total variation distance, in the mean; of a regression, how far the
        predictions did. NaN where there are no probabilities.
    moved_most : float
        The same for the row that moved most.
    cost : Measured or None
        Rise of the mean loss; None where it raised. Both intervals hold for all columns at once (Bonferroni).
    """

    column: str
    kind: str
    raised: str
    changed: Measured | None
    moved: float
    moved_most: float
    cost: Measured | None


def probe(subject: Subject, rows: np.ndarray, seed: int) -> Iterator[Probed]:
    """Try every fault in every column.

    Parameters
    ----------
    subject : Subject
    rows : ndarray of int
    seed : int
        Of which row gives its value.
    """
    import numpy as np

    before = subject.answers(subject.table(rows, {}))
    random = np.random.default_rng(seed)
    other, one = random.permutation(rows), int(random.choice(rows))
    for place, column in enumerate(subject.columns):
        for kind, new in _faults(column, rows, other, one, subject.as_array):
            changed = {place: (np.ones(len(rows), dtype=bool), new)}
            try:
                after = subject.answers(subject.table(rows, changed))
            except Exception as error:  # what a model raises is what is asked
                yield Probed(column.name, kind, in_one_line(error), None, float("nan"), float("nan"), None)
            else:
                yield _compared(subject, rows, before, after, column.name, kind)


def _faults(column: Column, rows: np.ndarray, other: np.ndarray, one: int, as_array: bool) -> Iterator[tuple[str, Any]]:
    """Kinds of faults that a column can have, with the values that come of them."""
    import numpy as np
    import pandas as pd

    yield "NaN", gap(column)
    stuck = column.values.iloc[one]
    if column.kind == "number":
        if not as_array:
            yield "None", None
        numbers = column.values.to_numpy(dtype=float, na_value=np.nan)
        if not pd.api.types.is_bool_dtype(column.values.dtype):
            yield "x 1000", numbers[rows] * 1000
        yield "zero", 0.0
        yield "other row", numbers[other]
        yield "stuck", float(stuck) if stuck is not pd.NA else np.nan
        return
    if column.kind == "category":
        yield "None", None
        if not isinstance(column.values.dtype, pd.CategoricalDtype) and not as_array:
            yield EMPTY, np.full(len(rows), np.nan)
        yield "unseen", UNSEEN
        yield "empty", ""
    yield "other row", column.values.iloc[other].to_numpy(dtype=object)
    yield "stuck", stuck


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
