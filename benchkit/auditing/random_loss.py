"""What the loss of sources at random costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from benchkit.auditing.measured import Measured, difference, mean_loss
from benchkit.auditing.subject import Answers, Queries

if TYPE_CHECKING:
    import numpy as np

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
        From the tenth to the ninetieth of a hundred sets, lost in all rows: of all sets where these are fewer, on all
        rows; else of random ones, on some rows.
    draws : int
        Sets that the spread is of.
    answers : Answers
        To all rows.
    """

    lost: int
    loss: Measured
    cost: Measured
    spread: tuple[float, float]
    draws: int
    answers: Answers


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
    some: np.ndarray,
    draws: int,
    seed: int,
    most: int | None = None,
    singles: Sequence[np.ndarray] = (),
) -> Iterator[RandomLoss]:
    """Lose 1, 2, 3, 5, ... sources.

    Parameters
    ----------
    queries : Queries
    some : ndarray of int
        Rows that random sets are tried on for their spread.
    draws : int
        Random sets of each size, at most.
    seed : int
    most : int, optional
        Sources lost at most.
    singles : sequence of ndarray of shape (n_rows,), default=()
        Losses of all rows after the loss of each source, where they are known.
    """
    import numpy as np

    subject, n_sources = queries.subject, len(queries.sources)
    rows = np.arange(subject.n_rows)
    before = queries.losses(rows)
    for size in sizes_to_lose(n_sources):
        if most is not None and size > most:
            return
        random = np.random.default_rng([seed, size])
        lost = random.random((len(rows), n_sources)).argpartition(size - 1, axis=1)[:, :size]
        mask = np.zeros((len(rows), n_sources), dtype=bool)
        np.put_along_axis(mask, lost, True, axis=1)
        answers = queries.answers(rows, mask)
        every = comb(n_sources, size)
        if size == 1 and len(singles) == n_sources:
            by_set = list(singles)
        elif every <= draws and every * len(rows) <= 2 * draws * len(some):
            by_set = [queries.losses(rows, _mask(n_sources, each)) for each in combinations(range(n_sources), size)]
        else:
            by_set = []
        if by_set:
            losses, shares, means = np.mean(by_set, axis=0), False, np.mean(by_set, axis=1)
        else:
            losses, shares = subject.losses(answers.predictions, rows), subject.shares
            sets = [tuple(random.choice(n_sources, size, replace=False)) for _ in range(draws)]
            means = queries.losses_of_sets(some, sets)
        low, high = np.quantile(means, _INNER)
        yield RandomLoss(
            size,
            mean_loss(losses, shares),
            difference(losses, before, shares),
            (float(low), float(high)),
            len(means),
            answers,
        )


def _mask(n_sources: int, places: Sequence[int]) -> np.ndarray:
    import numpy as np

    return np.isin(np.arange(n_sources), places)
