"""The set of sources whose loss costs most on some rows: every set where they are few, else greedily with exchanges."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from benchkit.auditing.subject import Queries

if TYPE_CHECKING:
    import numpy as np

FEWEST = 100
"""Rows below which sets are not told apart, while there are more."""
_FINALISTS = 20


@dataclass(frozen=True)
class Found:
    """The worst set of one size.

    Attributes
    ----------
    chosen : tuple of int
        Sources, sorted.
    exact : bool
        Whether every set of this size was tried on the rows of the search.
    """

    chosen: tuple[int, ...]
    exact: bool


def search_sets(queries: Queries, rows: np.ndarray, largest: int, questions: int) -> Iterator[Found]:
    """The worst sets of 1, 2, ... sources.

    Parameters
    ----------
    queries : Queries
    rows : ndarray of int
        That sets are compared on.
    largest : int
        Sources in a set, at most.
    questions : int
        That each size may ask; a search over more sets sees fewer rows, `FEWEST` at least.
    """
    n_sources = len(queries.sources)
    before: tuple[int, ...] = ()
    for size in range(1, min(largest, n_sources) + 1):
        if comb(n_sources, size) * min(FEWEST, len(rows)) <= questions:
            every = list(combinations(range(n_sources), size))
            before = _worst(queries, rows, questions, every)
            yield Found(before, True)
            continue
        more = [tuple(sorted((*before, new))) for new in range(n_sources) if new not in before]
        before = _worst(queries, rows, questions, more)
        others = [
            tuple(sorted({*before} - {old} | {new})) for old in before for new in range(n_sources) if new not in before
        ]
        # One round: each member exchanged against each of the others, and the set kept where none is worse.
        before = _worst(queries, rows, questions, [before, *others])
        yield Found(before, False)


def search_pairs(queries: Queries, rows: np.ndarray, questions: int, most: int) -> tuple[list[tuple[int, int]], bool]:
    """Pairs whose joint loss exceeds the sum of their losses most, and whether every pair was tried.

    All pairs are compared on few rows, the better ones on all. Where that is too much, pairs of the sources that alone
    move most answers.

    Parameters
    ----------
    queries : Queries
    rows : ndarray of int
    questions : int
    most : int
        Pairs to return.
    """
    import numpy as np

    n_sources = len(queries.sources)
    known = list(range(n_sources))
    singles = queries.losses_of_sets(rows, [(each,) for each in known])
    while comb(len(known), 2) * min(FEWEST, len(rows)) > questions and len(known) > 2:
        known = sorted(_that_move_most(queries, rows[:FEWEST], known, int(len(known) / 1.5)))
    pairs = list(combinations(known, 2))
    if not pairs:
        return [], True
    few = _fewer(rows, len(pairs), questions)
    on_few = queries.losses_of_sets(few, [(), *((each,) for each in range(n_sources))])
    excess = queries.losses_of_sets(few, pairs) - np.array([on_few[i + 1] + on_few[j + 1] for i, j in pairs])
    # Of pairs that tie on few rows, those that cost most.
    order = np.argsort(-excess, kind="stable")[: 10 * most]
    better = [pairs[place] for place in order]
    on_all = queries.losses_of_sets(rows, better) - np.array([singles[i] + singles[j] for i, j in better])
    best = np.argsort(-on_all, kind="stable")[:most]
    return [better[place] for place in best], len(known) == n_sources


def _that_move_most(queries: Queries, rows: np.ndarray, known: list[int], keep: int) -> list[int]:
    """Sources whose loss moves scores, or predictions, most."""
    import numpy as np

    before = queries.answers(rows)
    moved = []
    for source in known:
        lost = np.zeros(len(queries.sources), dtype=bool)
        lost[source] = True
        after = queries.answers(rows, lost)
        if before.scores is not None and after.scores is not None:
            moved.append(float(np.abs(after.scores - before.scores).mean()))
        else:
            moved.append(float(np.abs(after.predictions - before.predictions).mean()))
    return [known[place] for place in np.argsort(moved)[::-1][:keep]]


def _worst(queries: Queries, rows: np.ndarray, questions: int, sets: list[tuple[int, ...]]) -> tuple[int, ...]:
    """The worst of some sets: all compared on as many rows as the questions allow, the best of them on all rows."""
    few = _fewer(rows, len(sets), questions)
    losses = queries.losses_of_sets(few, sets)
    if len(few) < len(rows):
        sets = [sets[place] for place in (-losses).argsort(kind="stable")[:_FINALISTS]]
        losses = queries.losses_of_sets(rows, sets)
    return sets[int(losses.argmax())]


def _fewer(rows: np.ndarray, sets: int, questions: int) -> np.ndarray:
    """As many rows as the questions allow for each set."""
    return rows[: max(min(FEWEST, len(rows)), questions // max(1, sets))]
