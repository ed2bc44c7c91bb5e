"""What the last step of a pipeline sees: its columns, the source of each, and what a loss leaves there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.auditing.linear_attack import treats_columns_alone
from benchkit.auditing.subject import Queries

if TYPE_CHECKING:
    import numpy as np

_TRIED = 100


@dataclass(frozen=True)
class LastStep:
    """The estimator that answers, and rows as it sees them.

    Attributes
    ----------
    model : object
    X : ndarray of shape (n_rows, n_columns)
    left : ndarray of shape (n_columns,)
        What a column holds once its source is lost.
    owner : ndarray of int, shape (n_columns,)
        The source of each column; -1 where no loss changes it.
    """

    model: Any
    X: np.ndarray
    left: np.ndarray
    owner: np.ndarray

    @property
    def groups(self) -> list[list[int]]:
        """The columns of each source that has several."""
        found: dict[int, list[int]] = {}
        for column, source in enumerate(self.owner.tolist()):
            if source >= 0:
                found.setdefault(source, []).append(column)
        return [columns for columns in found.values() if len(columns) > 1]


def read_last_step(queries: Queries, rows: np.ndarray) -> LastStep | str:
    """The last step of the model, or why its columns cannot be told by their sources.

    Steps that treat columns one by one hand on, for each source, columns of its own: which they are is seen by losing
    one source at a time, and proved on rows that lose many at random.

    Parameters
    ----------
    queries : Queries
    rows : ndarray of int, shape (n_rows,)
    """
    import numpy as np

    model, before = queries.subject.model, []
    while steps := getattr(model, "steps", None):
        if not all(treats_columns_alone(step) for _, step in steps[:-1]):
            return "a step of its pipeline mixes columns"
        before += [step for _, step in steps[:-1] if step is not None and not isinstance(step, str)]
        model = steps[-1][1]
    if not hasattr(model, "predict"):
        return "it is a function"

    def seen(which: np.ndarray, lost: np.ndarray | None) -> np.ndarray:
        table = queries.table(which, lost)
        for step in before:
            table = step.transform(table)
        if hasattr(table, "toarray"):
            if not type(model).__module__.startswith("sklearn."):
                raise ValueError("sparse columns, whose zeros it may take for gaps")
            table = table.toarray()
        return np.asarray(table, dtype=float)

    n_sources = len(queries.sources)
    try:
        X = seen(rows, None)
        all_lost = seen(rows, np.ones((len(rows), n_sources), dtype=bool))
    except (TypeError, ValueError) as error:
        return f"its columns are no numbers: {' '.join(str(error).split())[:100]}"
    left = all_lost[0]
    if not _same(all_lost, left[None, :]).all():
        return "what a loss leaves differs from row to row"
    owner = np.full(X.shape[1], -1)
    for place in range(n_sources):
        lost = np.zeros((len(rows), n_sources), dtype=bool)
        lost[:, place] = True
        changed = ~_same(seen(rows, lost), X).all(axis=0)
        if (owner[changed] >= 0).any():
            return "one of its columns comes of two"
        owner[changed] = place
    some = rows[:_TRIED]
    lost = np.random.default_rng(0).random((len(some), n_sources)) < 0.5
    gone = lost[:, owner] & (owner >= 0)
    if not _same(seen(some, lost), np.where(gone, left, X[: len(some)])).all():
        return "the loss of several is not the loss of each"
    return LastStep(model, X, left, owner)


def _same(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.asarray((first == second) | (np.isnan(first) & np.isnan(second)))
