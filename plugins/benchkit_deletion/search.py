"""Searches for the worst deletion by asking: of each row, by a beam or by trying all; of all rows alike."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from benchkit_deletion.threat import gain_per_value

_HASH_SEED = 20
_AT_ONCE = 2**16

Score = Callable[[np.ndarray, np.ndarray], np.ndarray]
"""From numbers of rows, shape (n_queries,), and masks of what each lost, (n_queries, n_features), to (n_queries,): the
lower, the more damage."""


def beam_search(
    score: Score,
    deletable: np.ndarray,
    values: np.ndarray,
    budget: float,
    *,
    beam: int = 8,
    candidates: int | None = None,
    stop_below: float = -np.inf,
    steepest: bool = False,
) -> Iterator[np.ndarray]:
    """What to delete of each row so that its score becomes as low as can be found, after each feature more.

    Of each row, the deletions of the lowest scores are kept at each step and each is extended by every feature that the
    budget allows. The lowest score that was seen counts: a deletion that raises the score is only a step on the way.

    Parameters
    ----------
    score : callable
        See `Score`.
    deletable : ndarray of bool, shape (n_rows, n_features)
        Features whose deletion changes a row.
    values : ndarray of shape (n_features,)
        What each costs.
    budget : float
    beam : int, default=8
        How many deletions of each row are kept at each step. Trees have plateaus, where only two deletions together
        change anything: a beam of 1 stands still there.
    candidates : int, optional
        Only so many features of each row are tried in later steps: the best of the first step.
    stop_below : float, default=-inf
        A row is left as it is once its score is below this.
    steepest : bool, default=False
        Whether the extension that is always kept is the one that gains most per value of all that are tried; else the
        greedy deletion, which takes that one again and again from the start, is followed.

    Yields
    ------
    ndarray of bool, shape (n_rows, n_features)
        The worst deletions so far; the same array, changed. At least once.
    """
    rows, (n_rows, n_features) = np.arange(len(deletable)), deletable.shape
    promising, left = deletable.copy(), np.full((n_rows, 1), budget * (1 + 1e-12))
    # Of the deletions that are kept: masks, scores, and keys. The key of a deletion is the exclusive or of its
    # features': the same however it was reached.
    deleted, keys = np.zeros((n_rows, 1, n_features), dtype=bool), np.zeros((n_rows, 1), dtype=np.uint64)
    bits = np.random.default_rng(_HASH_SEED).integers(1, 2**63, n_features, dtype=np.uint64)
    least = score(rows, deleted[:, 0].copy()).copy()
    scores, best, first = least[:, None].copy(), deleted[:, 0].copy(), True
    while True:
        promising[least < stop_below] = False
        live = np.isfinite(scores)[:, :, None]
        extended = np.nonzero(promising[:, None, :] & ~deleted & (values <= left[:, :, None]) & live)
        if len(extended[0]) == 0:
            if first:
                yield best
            return
        masks = deleted[extended[:2]]
        masks[np.arange(len(masks)), extended[2]] = True
        after = np.full(deleted.shape, np.inf)
        after[extended] = score(extended[0], masks)
        flat = after.reshape(n_rows, -1)
        place = flat.argmin(axis=1)
        better = np.flatnonzero(flat[rows, place] < least)
        states, features = np.divmod(place[better], n_features)
        best[better] = deleted[better, states]
        best[better, features] = True
        least[better] = flat[better, place[better]]
        if first and candidates is not None and candidates < n_features:
            dropped = np.argsort(-_gains_per_value(after, scores, values, 1), axis=1, kind="stable")[:, candidates:]
            np.put_along_axis(promising, dropped, False, axis=1)
            np.put_along_axis(flat, dropped, np.inf, axis=1)
        first = False
        yield best
        gains = _gains_per_value(after, scores, values, scores.shape[1] if steepest else 1)
        chosen, keys = _select(flat, (keys[:, :, None] ^ bits).reshape(n_rows, -1), gains, beam, scores.shape[1])
        states, features = np.divmod(np.maximum(chosen, 0), n_features)
        deleted = deleted[rows[:, None], states]
        deleted[rows[:, None], np.arange(chosen.shape[1]), features] = True
        left = left[rows[:, None], states] - values[features]
        scores = np.where(chosen >= 0, np.take_along_axis(flat, np.maximum(chosen, 0), axis=1), np.inf)


def _gains_per_value(after: np.ndarray, scores: np.ndarray, values: np.ndarray, n_states: int) -> np.ndarray:
    """What a feature more gains per value, shape (n_rows, n_states * n_features); -inf where none may be deleted.

    ``after`` are scores of the extensions, ``scores`` those of the kept deletions, the first of them greedy.
    """
    after = after[:, :n_states]
    ratio = np.full(after.shape, -np.inf)
    rows, states, features = np.nonzero(np.isfinite(after))
    gained = scores[rows, states] - after[rows, states, features]
    # A feature of value 0 costs nothing: whether it helps or harms is all that counts.
    lost = np.minimum(gained, 0.0)
    ratio[rows, states, features] = np.where(gained > 0, gain_per_value(gained, values[features]), lost)
    return ratio.reshape(len(ratio), -1)


def _select(
    flat: np.ndarray, keys: np.ndarray, gains: np.ndarray, width: int, n_states: int
) -> tuple[np.ndarray, np.ndarray]:
    """The extensions to keep, -1 where there are fewer, and their keys: that of most gain, and those of least score."""
    n_rows = len(flat)
    rows, greedy, chosen = np.arange(n_rows), gains.argmax(axis=1), np.full((n_rows, width), -1)
    chosen[:, 0] = np.where(gains[rows, greedy] > -np.inf, greedy, -1)
    # A deletion of k features is reached from at most k others, and from no more than are kept.
    considered = min(flat.shape[1], width * n_states) if width > 1 else 0
    order = np.argsort(flat, axis=1, kind="stable")[:, :considered]
    filled = np.ones(n_rows, dtype=int)
    taken = np.where(chosen >= 0, np.take_along_axis(keys, np.maximum(chosen, 0), axis=1), 0).astype(np.uint64)
    for place in order.T:
        key = keys[rows, place]
        new = np.isfinite(flat[rows, place]) & (filled < width) & ~(taken == key[:, None]).any(axis=1)
        at = rows[new], filled[new]
        chosen[at], taken[at] = place[new], key[new]
        filled[new] += 1
    kept = int(np.flatnonzero((chosen >= 0).any(axis=0)).max(initial=0)) + 1
    return chosen[:, :kept], taken[:, :kept]


def last(deletions: Iterator[np.ndarray]) -> np.ndarray:
    """What a search ends with."""
    return deque(deletions, maxlen=1)[0]


def lowest(score: Score, rows: np.ndarray, masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first of some masks that give each row its lowest score, shape (n_rows, n_features), and these scores."""
    best, scores = np.zeros((len(rows), masks.shape[1]), dtype=bool), np.zeros(len(rows))
    step = max(1, _AT_ONCE // len(masks))
    for start in range(0, len(rows), step):
        some = rows[start : start + step]
        of_some = score(np.repeat(some, len(masks)), np.tile(masks, (len(some), 1))).reshape(len(some), -1)
        place = of_some.argmin(axis=1)
        best[start : start + step], scores[start : start + step] = masks[place], of_some.min(axis=1)
    return best, scores


def enumerate_deletions(score: Score, deletable: np.ndarray, values: np.ndarray, budget: float) -> np.ndarray:
    """The worst deletion of each row, by trying all: parameters as of `beam_search`."""
    deleted = np.zeros(deletable.shape, dtype=bool)
    patterns, which = np.unique(deletable, axis=0, return_inverse=True)
    for place, pattern in enumerate(patterns):
        rows, chosen = np.flatnonzero(which.ravel() == place), np.flatnonzero(pattern)
        sets = affordable_sets(values[chosen], budget)
        masks = np.zeros((len(sets), deletable.shape[1]), dtype=bool)
        masks[:, chosen] = sets
        deleted[rows] = lowest(score, rows, masks)[0]
    return deleted


def affordable_sets(values: np.ndarray, budget: float) -> np.ndarray:
    """Every set of features of total value at most the budget, the smallest first: shape (n_sets, n_features)."""
    numbers = np.arange(2 ** len(values))
    sets = (numbers[:, None] >> np.arange(len(values)) & 1).astype(bool)
    sets = sets[sets @ values <= budget * (1 + 1e-12)]
    ordered: np.ndarray = sets[np.argsort(sets.sum(axis=1), kind="stable")]
    return ordered


def sets_of(size: int, n_features: int) -> np.ndarray:
    """Every set of so many features, shape (n_sets, n_features)."""
    chosen = np.array(list(combinations(range(n_features), size)), dtype=int).reshape(-1, size)
    masks = np.zeros((len(chosen), n_features), dtype=bool)
    np.put_along_axis(masks, chosen, True, axis=1)
    return masks


Worst = Callable[[np.ndarray], tuple[np.ndarray, tuple[float, ...]]]
"""From masks of shape (n_sets, n_features) to the worst of them for all rows, and its losses, of which the first counts
most."""


def worst_columns(
    worst: Worst, n_features: int, largest: int, is_tried_whole: Callable[[int], bool]
) -> Iterator[tuple[np.ndarray, tuple[float, ...], bool]]:
    """The worst set of 1, 2, ... features that all rows lose, its losses, and whether it is known to be the worst.

    All sets of a size are tried while these are few. Beyond, the worst set that was found of the size before is
    extended by the feature that hurts most, and then features are exchanged, one of the set for one that is not in it,
    as long as that hurts more.

    Parameters
    ----------
    worst : callable
        See `Worst`.
    n_features, largest : int
    is_tried_whole : callable
        Whether all sets of a size may be tried, and so of all smaller ones.
    """
    current, exact = np.zeros(n_features, dtype=bool), True
    single = np.eye(n_features, dtype=bool)
    for size in range(1, min(largest, n_features) + 1):
        exact = exact and is_tried_whole(size)
        if exact:
            current, losses = worst(sets_of(size, n_features))
        else:
            current, losses = worst(current | single[~current])
            while not current.all():
                without = [current & ~single[gone] for gone in np.flatnonzero(current)]
                candidate, reached = worst(np.concatenate([each | single[~current] for each in without]))
                if not reached > losses:
                    break
                current, losses = candidate, reached
        yield current, losses, exact
