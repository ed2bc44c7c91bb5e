"""The worst deletion of one row: over rival classes, or over predictions too high and too low."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from benchkit import Features
from benchkit_deletion.branch_and_bound import least_sum
from benchkit_deletion.models.reading import SumModel
from benchkit_deletion.models.trees import RowTerms, Tree, TreeSum


@dataclass(frozen=True)
class WorstDeletion:
    """What was found of one row.

    Attributes
    ----------
    deleted : ndarray of bool, shape (n_features,)
        The worst deletion that was found.
    score : float
        What it leaves: the margin of the true class over the best other one, or minus the absolute error.
    bound : float
        No deletion within the budget leaves less.
    closed : bool
        Whether it is proved that there is none worse; where the search may end once a row is decided, whether it is
        decided.
    nodes : int
        Of the search.
    seconds : float
        Of the processor, on one thread.
    """

    deleted: np.ndarray
    score: float
    bound: float
    closed: bool
    nodes: int
    seconds: float


@dataclass(frozen=True)
class Search:
    """How the worst deletion is looked for.

    Parameters
    ----------
    features : Features
        Which columns are one feature.
    values : ndarray of shape (n_features,)
        What deleting each costs.
    budget : float
    node_limit : int
        Nodes of the search per row and rival class, or per row and direction of the error.
    until_decided : bool
        Whether the search of a row ends once it is known whether some deletion makes it wrong.
    """

    features: Features
    values: np.ndarray
    budget: float
    node_limit: int
    until_decided: bool

    def rows(self, model: SumModel, X: np.ndarray, y: np.ndarray, left: np.ndarray) -> Iterator[WorstDeletion]:
        """The worst deletion of each row.

        Parameters
        ----------
        model : SumModel
        X : ndarray of shape (n_rows, n_columns)
        y : ndarray of shape (n_rows,)
            True labels or targets.
        left : ndarray of shape (n_columns,)
            What deletion leaves.
        """
        capacity = self._capacity()
        start = time.thread_time()
        rows = model.terms.rows(X, left, self.features, self.values, capacity)
        for terms, target in zip(rows, y, strict=True):
            yield self._worst(terms, _directions(model, target), model.rounding, capacity, start)
            start = time.thread_time()

    def _capacity(self) -> float:
        """The budget; where all that costs anything costs the same, the whole number of features that it pays."""
        costs = self.values[self.values > 0]
        capacity = self.budget * (1 + 1e-12)  # as the other deletion adversaries'
        if costs.size and np.ptp(costs) == 0:
            return float((np.floor(capacity / costs[0] + 1e-9) + 1e-9) * costs[0])
        return capacity

    def _worst(
        self,
        terms: RowTerms,
        directions: list[tuple[np.ndarray, float]],
        rounding: float,
        capacity: float,
        start: float,
    ) -> WorstDeletion:
        asked, local = np.unique(terms.feature, return_inverse=True)
        local = local.astype(np.int64)
        deleted = np.zeros(self.features.n_features, dtype=bool)
        least, bound, nodes, closed = np.inf, np.inf, 0, True
        for number, (weights, constant) in enumerate(directions, 1):
            value = np.ascontiguousarray(terms.value @ weights)
            decided = (-rounding - constant, rounding - constant) if self.until_decided else (-np.inf, np.inf)
            row = terms.starts, value, terms.needs, local, terms.deleted, self.values[asked], capacity
            found, chosen, proved, looked = least_sum(*row, least - constant, *decided, self.node_limit)
            nodes += looked
            bound = min(bound, proved + constant)
            if found + constant < least:
                least = found + constant
                deleted[:] = False
                deleted[asked[chosen]] = True
            if self.until_decided and least < -rounding:
                # Nothing is proved of the rivals that are left.
                bound = bound if number == len(directions) else -np.inf
                break
        bound = min(bound, least)
        size = float(np.abs(terms.value).max(initial=0.0)) * len(terms.starts)
        closed = least - bound <= 1e-9 * (1 + size)
        if self.until_decided:
            closed = closed or least < -rounding or bound > rounding
        return WorstDeletion(deleted, least, bound, closed, nodes, time.thread_time() - start)


def _directions(model: SumModel, target: object) -> list[tuple[np.ndarray, float]]:
    """Linear forms of the outputs whose least value is looked for: weights and constant of each.

    The margin over each rival class; or the target minus the prediction, and the reverse, whose least is minus the
    largest absolute error.
    """
    base = model.base
    if model.classes is None:
        one = np.ones(1)
        assert isinstance(target, float | int | np.number)
        return [(-one, float(target - base[0])), (one, float(base[0] - target))]
    own = int(np.flatnonzero(model.classes == target)[0])
    if len(base) == 1:
        sign = 1.0 if own == 1 else -1.0
        return [(np.array([sign]), sign * float(base[0]))]
    alone = np.eye(len(base))
    rivals = [rival for rival in range(len(base)) if rival != own]
    return [(alone[own] - alone[rival], float(base[own] - base[rival])) for rival in rivals]


@cache
def compile_search() -> None:
    """Search a stump, once in a process."""
    stump = Tree(
        column=np.array([0, -1, -1]),
        threshold=np.array([0.5, 0.0, 0.0]),
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        missing_left=np.zeros(3, dtype=bool),
        value=np.array([[0.0], [-1.0], [1.0]]),
    )
    terms = TreeSum([stump], single_precision=False, sums_in_single=False)
    model = SumModel(terms, np.zeros(1), np.array([0, 1]), 0.0)
    model.scores(np.ones((1, 1)))
    search = Search(Features(1), np.ones(1), 1.0, node_limit=10, until_decided=False)
    list(search.rows(model, np.ones((1, 1)), np.ones(1), np.zeros(1)))
