"""The worst loss of each row by asking, and proved where an adversary of the registry reads the last step."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchkit.auditing.row_attack import QueryAttack, RowChoice, damage
from benchkit.auditing.subject import Queries, Subject, in_one_line
from benchkit.plugin.declarations import AttackContext
from benchkit.plugin.manager import registry

if TYPE_CHECKING:
    import numpy as np


_TRIED = 100
# Each treats its columns one by one.
_BY_COLUMN = {
    *("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "QuantileTransformer", "PowerTransformer"),
    *("SimpleImputer", "OneHotEncoder", "OrdinalEncoder", "KBinsDiscretizer", "SplineTransformer", "Binarizer"),
}


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
        if not all(_treats_columns_alone(step) for _, step in steps[:-1]):
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


def _treats_columns_alone(step: Any) -> bool:
    """Whether a step of a pipeline treats each column alone, as scikit-learn's scalers, imputers and encoders do."""
    if step is None or isinstance(step, str):
        return True
    if type(step).__name__ == "ColumnTransformer":
        return all(_treats_columns_alone(part) for _, part, *_ in step.transformers_)
    if getattr(step, "steps", None):
        return all(_treats_columns_alone(part) for _, part in step.steps)
    return type(step).__name__ in _BY_COLUMN and type(step).__module__.startswith("sklearn.")


def _same(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    import numpy as np

    return np.asarray((first == second) | (np.isnan(first) & np.isnan(second)))


# An adversary that any model may meet, and that no question does more damage than, has read the model.
_ANY_QUESTION = "query-delete"
_AT_ONCE = 50  # rows, between two looks at the clock


class ProvedAttack:
    """Asks as `QueryAttack` does, then proves or mends what that found, where an adversary of a plugin can.

    Such an adversary is declared stronger than ``query-delete``, needs nothing of a model, and tells of each row what
    it has ``taken`` and whether it is ``closed``: that no other loss within the budget does more damage. The model
    itself judges what is chosen. A row whose search met its limit is not tried again with more columns lost.

    Parameters
    ----------
    questions : int
        As of `QueryAttack`.
    nodes : int
        Of the search for each row.

    Attributes
    ----------
    name : str
        Which adversary proved, once it did.
    refused : str
        Why none could; empty where one did.
    """

    def __init__(self, questions: int, nodes: int) -> None:
        self._asking, self._nodes = QueryAttack(questions), nodes
        self.name, self.refused = "by asking", ""

    def applies(self, subject: Subject) -> bool:
        """Always."""
        return True

    def choose(self, queries: Queries, rows: np.ndarray, largest: int) -> Iterator[RowChoice]:
        """As `benchkit.auditing.row_attack.RowAttack.choose`."""
        import numpy as np

        reading: _Reading | None = None
        tried = False
        best = np.zeros((len(rows), len(queries.sources)), dtype=bool)
        given_up = np.zeros(len(rows), dtype=bool)
        for size, asked in enumerate(self._asking.choose(queries, rows, largest), start=1):
            best = _worse_of(queries, rows, best, asked.lost)
            if asked.exact:
                yield RowChoice(best, True)
                continue
            if not tried:
                reading, tried = self._reading(queries, rows), True
            if reading is None:
                yield RowChoice(best, False)
                continue
            open_rows = ~given_up
            if queries.subject.shares:  # a row that is wrong cannot become more wrong
                open_rows &= queries.losses(rows, best) == 0
            places = np.flatnonzero(open_rows)
            for start in range(0, len(places), _AT_ONCE):
                part = places[start : start + _AT_ONCE]
                found, closed = reading.worst(part, size)
                best[part] = _worse_of(queries, rows[part], best[part], found)
                given_up[part[~closed]] = True
            if queries.subject.shares:
                given_up &= queries.losses(rows, best) == 0
            yield RowChoice(best.copy(), not given_up.any())

    def _reading(self, queries: Queries, rows: np.ndarray) -> _Reading | None:
        """The first adversary that reads the model; None, and why, where there is none."""
        import numpy as np

        step = read_last_step(queries, rows)
        if isinstance(step, str):
            self.refused = step
            return None
        for name, declared in sorted(registry().adversaries.items()):
            if declared.phase != "test" or declared.requires or _ANY_QUESTION not in declared.stronger_than:
                continue
            if queries.subject.task not in declared.tasks:
                continue
            try:
                reading = _Reading(declared.make(fill="mean", node_limit=self._nodes), queries, rows, step)
                reading.worst(np.arange(min(2, len(rows))), 1)
            except Exception as error:  # it is a plugin's code, and asking remains
                self.refused = f"{name}: {in_one_line(error)}"
                continue
            self.name, self.refused = f"proved by {name}", ""
            return reading
        return None


class _Reading:
    """An adversary with the model that it has read."""

    def __init__(self, adversary: Any, queries: Queries, rows: np.ndarray, step: LastStep) -> None:
        import numpy as np

        if hasattr(adversary, "stop_when_fooled"):
            adversary.stop_when_fooled = queries.subject.shares
        self._adversary, self._step, self._n_sources = adversary, step, len(queries.sources)
        truth = queries.subject.truth[rows]
        known = np.ones(len(rows), dtype=bool)
        if queries.subject.shares:
            own = np.asarray(step.model.classes_)
            known = (truth >= 0) & (truth < len(own))
            truth = own[np.where(known, truth, 0)]
        self._y, self._known = truth, known
        counts = np.bincount(step.owner + 1, minlength=self._n_sources + 1)
        # A group costs what its columns cost together: one.
        self._values = np.where(step.owner >= 0, 1.0 / np.maximum(counts[step.owner + 1], 1), 1.0)

    def worst(self, places: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        """What rows lose of at most ``size`` sources, and whether it is proved that nothing is worse."""
        import numpy as np

        step = self._step
        lost = np.zeros((len(places), self._n_sources), dtype=bool)
        closed = np.ones(len(places), dtype=bool)
        known = self._known[places]
        if not known.any():  # rows of a class that the model cannot name are wrong whatever they lose
            return lost, closed
        attack = AttackContext(
            X=step.X[places[known]],
            y=self._y[places[known]],
            budget=float(size),
            feature_values=self._values,
            rng=np.random.default_rng(0),
            model=step.model,
            groups=step.groups,
            means=step.left,
        )
        with warnings.catch_warnings():  # of names of columns, which an array lacks
            warnings.simplefilter("ignore")
            truth = self._adversary.corrupt(attack).truth
        gone = attack.features.spread(truth["taken"])
        for source in range(self._n_sources):
            lost[known, source] = gone[:, step.owner == source].any(axis=1)
        closed[known] = truth["closed"]
        return lost, closed


def _worse_of(queries: Queries, rows: np.ndarray, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Of two choices for each row, that which does more damage to what the model answers."""
    import numpy as np

    of_first, of_second = (damage(queries.subject, queries.answers(rows, each), rows) for each in (first, second))
    return np.asarray(np.where((of_second > of_first)[:, None], second, first))
