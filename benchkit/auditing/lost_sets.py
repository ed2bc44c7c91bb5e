"""What the loss of several sources at once costs: searched on some rows, judged on others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchkit.auditing.lost_columns import Lost
from benchkit.auditing.measured import Measured, at_once, difference, mean_loss, mean_rise
from benchkit.auditing.set_search import search_pairs, search_sets
from benchkit.auditing.subject import Queries
from benchkit.statistics.many_tests import holm

if TYPE_CHECKING:
    import numpy as np


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
                known[place] = queries.losses(judge, _mask(queries, (place,)))
        both = queries.losses(judge, _mask(queries, pair))
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
        As of `benchkit.auditing.set_search.search_sets`.
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
        after = queries.losses(judge, _mask(queries, found.chosen))
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


def _mask(queries: Queries, places: Sequence[int]) -> np.ndarray:
    import numpy as np

    lost = np.zeros(len(queries.sources), dtype=bool)
    lost[list(places)] = True
    return lost
