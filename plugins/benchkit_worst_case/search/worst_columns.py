"""The set of columns whose loss, in all rows, hurts most."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import combinations, islice
from math import comb

import numpy as np

Losses = Callable[[np.ndarray], np.ndarray]
"""From masks of shape (n_sets, n_features) to losses of shape (n_sets, n_criteria), the first of which counts most."""

_AT_ONCE = 64


class WorstColumns:
    """A search for the worst set of each size, one after another: it goes on where a smaller budget ended.

    All sets of a size are tried while that makes at most ``exact_below`` sets in all. Beyond, the worst set that was
    found of the size before is extended by the feature that hurts most, and then features are exchanged, one of the set
    for one that is not in it, as long as that hurts more.

    Parameters
    ----------
    losses : callable
        See `Losses`.
    n_features : int
    exact_below : int
    """

    def __init__(self, losses: Losses, n_features: int, exact_below: int) -> None:
        self.losses, self.n_features, self.exact_below = losses, n_features, exact_below

    def search(self, budget: int) -> tuple[np.ndarray, bool]:
        """The worst set of at most so many features, shape (n_features,), and whether it is known to be the worst."""
        current = np.zeros(self.n_features, dtype=bool)
        loss = tuple(self.losses(current[None, :])[0])
        best, most = current, loss
        tried, exact = 1, True
        for size in range(1, min(budget, self.n_features) + 1):
            tried += comb(self.n_features, size)
            exact = exact and tried <= self.exact_below
            if exact:
                current, loss = self._worst_of(self._all_of(size))
            else:
                current, loss = self._exchanged(*self._worst_of(self._extended(current)))
            if loss > most:
                best, most = current, loss
        return best, exact

    def _exchanged(self, current: np.ndarray, loss: tuple[float, ...]) -> tuple[np.ndarray, tuple[float, ...]]:
        while not current.all():
            candidate, reached = self._worst_of(self._exchanges(current))
            if not reached > loss:
                break
            current, loss = candidate, reached
        return current, loss

    def _worst_of(self, masks: Iterable[np.ndarray]) -> tuple[np.ndarray, tuple[float, ...]]:
        """The first of the sets that hurt most."""
        best, most = np.zeros(self.n_features, dtype=bool), (-np.inf,)
        each = iter(masks)
        while some := list(islice(each, _AT_ONCE)):
            for mask, losses in zip(some, self.losses(np.array(some)), strict=True):
                if tuple(losses) > most:
                    best, most = mask, tuple(losses)
        return best, most

    def _all_of(self, size: int) -> Iterable[np.ndarray]:
        for chosen in combinations(range(self.n_features), size):
            mask = np.zeros(self.n_features, dtype=bool)
            mask[list(chosen)] = True
            yield mask

    def _extended(self, current: np.ndarray) -> Iterable[np.ndarray]:
        for feature in np.flatnonzero(~current):
            mask = current.copy()
            mask[feature] = True
            yield mask

    def _exchanges(self, current: np.ndarray) -> Iterable[np.ndarray]:
        for gone in np.flatnonzero(current):
            without = current.copy()
            without[gone] = False
            for mask in self._extended(without):
                if not mask[gone]:
                    yield mask
