"""What the loss of sources at random costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from benchkit.auditing.confidence import Confidence, confidence
from benchkit.auditing.lost_columns import Lost
from benchkit.auditing.measured import Measured, difference, mean_loss
from benchkit.auditing.subject import Queries

if TYPE_CHECKING:
    import numpy as np

_FEWEST_DRAWS = 10
# The share of random sets that the spread holds.
_INNER = (0.1, 0.9)


@dataclass(frozen=True)
class RandomLoss:
    """Some number of sources lost at random.

    Attributes
    ----------
    lost : int
    loss, cost : Measured
        Mean loss, and its rise, as an average over all sets of so many sources: of each set, where these are few; else
        every row loses its own random sources, and rows are independent.
    spread : tuple of float
        Mean losses from the tenth to the ninetieth of a hundred sets, each lost in all rows: of all sets where these
        are few, else of random ones.
    draws : int
        Sets that the spread is of.
    confidence : Confidence or None
        Of the answers that the mean loss is of.
    """

    lost: int
    loss: Measured
    cost: Measured
    spread: tuple[float, float]
    draws: int
    confidence: Confidence | None


def sizes_to_lose(n_sources: int) -> list[int]:
    """1, 2, 3, 5, 8, ... sources: Fibonacci's numbers below all of them."""
    found, after = [], 1
    before = 1
    while after < n_sources:
        found.append(after)
        before, after = after, before + after
    return found


def lose_at_random(
    queries: Queries,
    before: np.ndarray,
    columns: Sequence[Lost],
    *,
    draws: int,
    questions: int,
    seed: int,
    most: int | None = None,
) -> Iterator[RandomLoss]:
    """Lose 1, 2, 3, 5, ... sources.

    Parameters
    ----------
    queries : Queries
    before : ndarray of shape (n_rows,)
        Losses where nothing is lost.
    columns : sequence of Lost
        Each source lost alone.
    draws, questions : int
        Random sets of each size, and questions about them and about their mean, at most; ten sets at least.
    seed : int
    most : int, optional
        Sources lost at most.
    """
    import numpy as np

    n_sources, rows = len(queries.sources), np.arange(queries.subject.n_rows)
    draws = min(draws, max(_FEWEST_DRAWS, questions // (2 * len(rows))))
    for size in sizes_to_lose(n_sources):
        if most is not None and size > most:
            return
        every = combinations(range(n_sources), size) if comb(n_sources, size) <= draws else ()
        if size == 1:
            answered = [(each.losses, each.sureness) for each in columns]
        else:
            answered = [queries.lose(rows, _mask(n_sources, chosen)) for chosen in every]
        means = [losses.mean() for losses, _ in answered]
        shares = queries.subject.shares and not answered
        if not answered:
            random = np.random.default_rng([seed, size])
            lost = random.random((len(rows), n_sources)).argpartition(size - 1, axis=1)[:, :size]
            mask = np.zeros((len(rows), n_sources), dtype=bool)
            np.put_along_axis(mask, lost, True, axis=1)
            answered = [queries.lose(rows, mask)]
            sets = [random.choice(n_sources, size, replace=False).tolist() for _ in range(draws)]
            means = list(queries.losses_of_sets(rows, sets))
        losses = np.mean([each for each, _ in answered], axis=0)
        sureness = [each for _, each in answered if each is not None]
        low, high = np.quantile(means, _INNER)
        yield RandomLoss(
            size,
            mean_loss(losses, shares),
            difference(losses, before, shares),
            (float(low), float(high)),
            len(means),
            confidence(np.mean(sureness, axis=0) if sureness else None, losses, f"{size} lost at random"),
        )


def _mask(n_sources: int, places: Sequence[int]) -> np.ndarray:
    import numpy as np

    return np.isin(np.arange(n_sources), places)
