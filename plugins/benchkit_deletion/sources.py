"""Models behind steps that treat columns one by one: the worst sources that each row of a table may lose.

A source is one column of the table or several; behind encoders it is as many columns as these make of it.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchkit import Features, NotApplicableError
from benchkit_deletion.models.reading import read_model
from benchkit_deletion.worst_deletion import Search, compile_search

Table = Callable[[np.ndarray, "np.ndarray | None"], Any]
"""From numbers of rows, and what each of them lost, shape (n_rows, n_sources), to what the model is given."""


class WorstSources:
    """The worst sources that each of some rows may lose, proved for a model that is a sum of trees or of terms.

    ``truth`` (n_rows,) are places of the true classes among the model's, -1 for one that it does not have; or numbers.
    ``node_limit`` is of the search for each row. Raises NotApplicableError where the model is no such sum.
    """

    def __init__(self, step: LastStep, truth: np.ndarray, n_sources: int, node_limit: int) -> None:
        self._step, self._n_sources, self._node_limit = step, n_sources, node_limit
        with warnings.catch_warnings():  # of names of columns, which an array lacks
            warnings.simplefilter("ignore")
            self._model = read_model(step.model, step.X, step.left)
        compile_search()
        classes = self._model.classes
        self._named = np.ones(len(truth), dtype=bool) if classes is None else (truth >= 0) & (truth < len(classes))
        self._y = truth if classes is None else classes[np.where(self._named, truth, 0)]
        self._features = Features(len(step.owner), step.groups)
        self._owner = np.zeros(self._features.n_features, dtype=int)
        self._owner[self._features.of_column] = step.owner

    def __call__(self, rows: np.ndarray, size: int) -> tuple[np.ndarray, np.ndarray]:
        """What rows lose of at most ``size`` sources, shape (n_rows, n_sources), and whether nothing is worse.

        Of a classifier it is enough that a row becomes wrong: nothing is then proved of how wrong.
        """
        lost = np.zeros((len(rows), self._n_sources), dtype=bool)
        closed = np.ones(len(rows), dtype=bool)
        named = np.flatnonzero(self._named[rows])  # a row of a class that the model cannot name is wrong anyway
        # A source costs one, whatever the number of its columns.
        values, until_decided = np.ones(self._features.n_features), self._model.classes is not None
        search = Search(self._features, values, float(size), self._node_limit, until_decided)
        X, y = self._step.X[rows[named]], self._y[rows[named]]
        for place, worst in zip(named, search.rows(self._model, X, y, self._step.left), strict=True):
            owners = self._owner[worst.deleted]
            lost[place, owners[owners >= 0]] = True
            closed[place] = worst.closed
        return lost, closed


@dataclass(frozen=True)
class LastStep:
    """The estimator that answers, and rows as it sees them, shape (n_rows, n_columns).

    ``left`` (n_columns,) is what a column holds once its source is lost, ``owner`` its source, -1 where no loss changes
    it.
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


def read_last_step(model: Any, table: Table, n_rows: int, n_sources: int) -> LastStep:
    """The last step of a model, whose columns can be told by their sources.

    Steps that treat columns one by one hand on, for each source, columns of its own: which they are is seen by losing
    one source at a time, and proved on rows that lose many at random. Raises NotApplicableError where the model, a
    pipeline or not, has no such step, or its columns mix sources.
    """
    before = []
    while steps := getattr(model, "steps", None):
        if not all(_treats_columns_alone(step) for _, step in steps[:-1]):
            raise NotApplicableError("a step of its pipeline mixes columns")
        before += [step for _, step in steps[:-1] if step is not None and not isinstance(step, str)]
        model = steps[-1][1]
    if not hasattr(model, "predict"):
        raise NotApplicableError("it is a function")

    def seen(which: np.ndarray, lost: np.ndarray | None) -> np.ndarray:
        made = table(which, lost)
        for step in before:
            made = step.transform(made)
        if hasattr(made, "toarray"):
            if not type(model).__module__.startswith("sklearn."):
                raise ValueError("sparse columns, whose zeros it may take for gaps")
            made = made.toarray()
        return np.asarray(made, dtype=float)

    rows = np.arange(n_rows)
    try:
        X = seen(rows, None)
        all_lost = seen(rows, np.ones((len(rows), n_sources), dtype=bool))
    except (TypeError, ValueError) as error:
        raise NotApplicableError(f"its columns are no numbers: {' '.join(str(error).split())[:100]}") from None
    left = all_lost[0]
    if not _same(all_lost, left[None, :]).all():
        raise NotApplicableError("what a loss leaves differs from row to row")
    owner = np.full(X.shape[1], -1)
    for place in range(n_sources):
        lost = np.zeros((len(rows), n_sources), dtype=bool)
        lost[:, place] = True
        changed = ~_same(seen(rows, lost), X).all(axis=0)
        if (owner[changed] >= 0).any():
            raise NotApplicableError("one of its columns comes of two")
        owner[changed] = place
    some = rows[:_TRIED]
    lost = np.random.default_rng(0).random((len(some), n_sources)) < 0.5
    gone = lost[:, owner] & (owner >= 0)
    if not _same(seen(some, lost), np.where(gone, left, X[: len(some)])).all():
        raise NotApplicableError("the loss of several is not the loss of each")
    return LastStep(model, X, left, owner)


_TRIED = 100
# Each treats its columns one by one.
_BY_COLUMN = {
    *("StandardScaler", "MinMaxScaler", "MaxAbsScaler", "RobustScaler", "QuantileTransformer", "PowerTransformer"),
    *("SimpleImputer", "OneHotEncoder", "OrdinalEncoder", "KBinsDiscretizer", "SplineTransformer", "Binarizer"),
}


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
    return np.asarray((first == second) | (np.isnan(first) & np.isnan(second)))
