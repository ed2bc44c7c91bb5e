"""The worst sets of sources for all rows alike, and pairs: searched on some rows, judged on others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from benchkit.auditing.lost_columns import Lost
from benchkit.auditing.measured import Measured, at_once, difference, mean_loss, mean_rise
from benchkit.auditing.subject import Queries
from benchkit.statistics.many_tests import holm

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
        after = queries.answers(rows, queries.mask((source,)))
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


@dataclass(frozen=True)
class SearchedRows:
    """Rows that sets are searched on, and rows that what is found is judged on.

    What is chosen because it looks worst on some rows looks too bad on them; other rows know nothing of the choice.
    """

    search: np.ndarray
    judge: np.ndarray


@dataclass(frozen=True)
class LostPair:
    """Two sources lost together.

    Attributes
    ----------
    sources : tuple of str
    cost : Measured
        Rise of the mean loss where both are lost.
    excess : Measured
        By how much that exceeds the rises of each alone, added, on the same rows; ``p`` after Holm's correction over
        the pairs shown.
    """

    sources: tuple[str, str]
    cost: Measured
    excess: Measured


@dataclass(frozen=True)
class LostSet:
    """The worst set of some size.

    Attributes
    ----------
    sources : tuple of str
    places : tuple of int
    exact : bool
        Whether every set of this size was tried, on the rows of the search.
    loss, cost : Measured
        The mean loss, and its rise: of one source those of all rows, with intervals that hold for all sources at once;
        of more on rows that the search did not see.
    beyond_constant : Measured
        The mean loss less that of the constant answer, on the same rows.
    """

    sources: tuple[str, ...]
    places: tuple[int, ...]
    exact: bool
    loss: Measured
    cost: Measured
    beyond_constant: Measured


def lose_pairs(queries: Queries, split: SearchedRows, questions: int, most: int = 5) -> tuple[list[LostPair], bool]:
    """Pairs that cost more together than apart, and whether every pair was tried."""
    subject, judge = queries.subject, split.judge
    pairs, every = search_pairs(queries, split.search, questions, most)
    before = queries.losses(judge)
    known: dict[int, np.ndarray] = {}
    found = []
    for pair in pairs:
        for place in pair:
            if place not in known:
                known[place] = queries.losses(judge, queries.mask((place,)))
        both = queries.losses(judge, queries.mask(pair))
        first, second = (known[place] for place in pair)
        # The interaction of Sobol's index of the pair, as a mean over rows.
        excess = both - first - second + before
        usual = float(before.mean()) or 1.0 / max(1, len(judge))
        found.append(
            LostPair(
                (queries.sources[pair[0]].name, queries.sources[pair[1]].name),
                difference(both, before, subject.shares),
                mean_rise(excess, usual),
            )
        )
    adjusted = holm([each.excess.p for each in found])
    return [replace(each, excess=replace(each.excess, p=p)) for each, p in zip(found, adjusted, strict=True)], every


def lose_sets(
    queries: Queries,
    split: SearchedRows,
    columns: Sequence[Lost],
    constant: np.ndarray,
    largest: int,
    questions: int,
) -> Iterator[LostSet]:
    """The worst 1, 2, ... sources that all rows lose alike.

    Parameters
    ----------
    queries : Queries
    split : SearchedRows
    columns : sequence of Lost
        Each source lost alone, that which costs most first.
    constant : ndarray of shape (n_rows,)
        Losses of the constant answer.
    largest, questions : int
        As of `benchkit.auditing.lost_sets.search_sets`.
    """
    subject, judge = queries.subject, split.judge
    before = queries.losses(judge)
    worst, level = columns[0], at_once(len(columns))
    place = next(place for place, source in enumerate(queries.sources) if source.name == worst.source)
    loss = mean_loss(worst.losses, subject.shares, level)
    beyond = difference(worst.losses, constant, subject.shares, level)
    yield LostSet((worst.source,), (place,), True, loss, worst.cost, beyond)
    for found in search_sets(queries, split.search, largest, questions):
        if len(found.chosen) == 1:
            continue
        after = queries.losses(judge, queries.mask(found.chosen))
        yield LostSet(
            tuple(queries.sources[place].name for place in found.chosen),
            found.chosen,
            found.exact,
            mean_loss(after, subject.shares),
            difference(after, before, subject.shares),
            difference(after, constant[judge], subject.shares),
        )


def fatal_set(sets: Sequence[LostSet]) -> LostSet | None:
    """The smallest of the sets after which it is no longer decided that the model beats the constant answer."""
    return next((each for each in sets if not each.beyond_constant.below(0.0)), None)
