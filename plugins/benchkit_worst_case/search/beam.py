"""A beam search for the worst deletion of each row, by asking."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Loss = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From numbers of rows, shape (n_queries,), and masks of what each lost, (n_queries, n_features), to (n_queries,)."""


@dataclass
class _Row:
    """The deletions of a row that are kept, of shape (n_kept, n_features), and the worst that was seen."""

    masks: np.ndarray
    losses: np.ndarray
    best: np.ndarray
    most: float

    def extend(
        self, states: np.ndarray, features: np.ndarray, losses: np.ndarray, values: np.ndarray, beam: int
    ) -> None:
        """Keep of the extensions the one that gains most per value, and those of the largest losses, each set once."""
        worst = int(losses.argmax())
        if losses[worst] > self.most:
            self.best, self.most = _with(self.masks[states[worst]], features[worst]), float(losses[worst])
        with np.errstate(divide="ignore", invalid="ignore"):
            ratios = (losses - self.losses[states]) / values[features]
        ratios[np.isnan(ratios)] = 0.0  # costs nothing and changes nothing
        kept: dict[bytes, tuple[np.ndarray, float]] = {}
        for place in [int(ratios.argmax()), *np.argsort(-losses, kind="stable")]:
            mask = _with(self.masks[states[place]], features[place])
            kept.setdefault(mask.tobytes(), (mask, float(losses[place])))
            if len(kept) == beam:
                break
        self.masks = np.array([mask for mask, _ in kept.values()])
        self.losses = np.array([loss for _, loss in kept.values()])


def beam_search(loss: Loss, deletable: np.ndarray, values: np.ndarray, budget: float, beam: int) -> np.ndarray:
    """What to delete of each row so that its loss becomes as large as can be found.

    Parameters
    ----------
    loss : callable
        See `Loss`.
    deletable : ndarray of bool, shape (n_rows, n_features)
        Features whose deletion changes a row.
    values : ndarray of shape (n_features,)
        What each costs.
    budget : float
    beam : int
        How many deletions of each row are kept at each step; a beam of 1 is greedy, by gain per value.

    Returns
    -------
    ndarray of bool, shape (n_rows, n_features)
    """
    nothing = np.zeros(deletable.shape, dtype=bool)
    start = loss(np.arange(len(deletable)), nothing)
    rows = [_Row(none[None, :], np.array([each]), none, float(each)) for none, each in zip(nothing, start, strict=True)]
    limit = budget * (1 + 1e-12)
    while True:
        of, states, features = _extensions(rows, deletable, values, limit)
        if len(of) == 0:
            return np.array([row.best for row in rows]).reshape(deletable.shape)
        asked = zip(of, states, features, strict=True)
        masks = np.array([_with(rows[row].masks[state], feature) for row, state, feature in asked])
        losses = loss(of, masks)
        bounds = np.searchsorted(of, np.arange(len(rows) + 1))
        for row, first, last in zip(rows, bounds, bounds[1:], strict=False):
            if first < last:
                part = slice(first, last)
                row.extend(states[part], features[part], losses[part], values, beam)
            else:
                row.masks = row.masks[:0]


def _extensions(
    rows: list[_Row], deletable: np.ndarray, values: np.ndarray, limit: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rows, kept deletions and features by which these can be extended, in the order of the rows."""
    found = []
    for place, row in enumerate(rows):
        paid = row.masks @ values
        free = deletable[place] & ~row.masks & (paid[:, None] + values <= limit)
        states, features = np.nonzero(free)
        found.append(np.column_stack([np.full(len(states), place), states, features]))
    joined = np.concatenate(found) if found else np.empty((0, 3), dtype=int)
    return joined[:, 0], joined[:, 1], joined[:, 2]


def _with(mask: np.ndarray, feature: int) -> np.ndarray:
    extended = mask.copy()
    extended[feature] = True
    return extended
