"""What the loss of each source costs: alone, with others at random, and by outages over time."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING

from benchkit.statistics.many_tests import holm
from benchkit_audit.estimates import Confidence, Estimate, at_once, confidence, difference, mean_loss, mean_rise
from benchkit_audit.subject import Queries

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Lost:
    """What the loss of one source costs, on all rows; every interval holds for all sources at once (Bonferroni)."""

    source: str
    cost: Estimate  # rise of the mean loss; ``p`` after Holm's correction over all sources
    losses: np.ndarray  # shape (n_rows,): after the loss
    sureness: np.ndarray | None  # shape (n_rows,): the largest probability after the loss
    alone: Estimate  # how much less is lost than by the constant answer where every other source is lost
    others: Estimate  # rise of the mean loss where every other source is lost


def lose_each(queries: Queries, before: np.ndarray, constant: np.ndarray) -> list[Lost]:
    """Every source lost in turn, that which costs most first.

    Parameters
    ----------
    before : ndarray of shape (n_rows,)
        Losses where nothing is lost.
    constant : ndarray of shape (n_rows,)
        Losses of the constant answer.
    """
    import numpy as np

    sources, shares = queries.sources, queries.subject.shares
    rows, level = np.arange(queries.subject.n_rows), at_once(len(sources))
    columns: list[Lost] = []
    for place, source in enumerate(sources):
        lost = np.arange(len(sources)) == place
        losses, sureness = queries.lose(rows, lost)
        others = queries.losses(rows, ~lost)
        columns.append(
            Lost(
                source.name,
                difference(losses, before, shares, level),
                losses,
                sureness,
                difference(constant, others, shares, level),
                difference(others, before, shares, level),
            )
        )
    adjusted = holm([each.cost.p for each in columns])
    columns = [replace(each, cost=replace(each.cost, p=p)) for each, p in zip(columns, adjusted, strict=True)]
    return sorted(columns, key=lambda each: -each.cost.value)


_FEWEST_DRAWS = 10
# The share of random sets that the spread holds.
_INNER = (0.1, 0.9)


@dataclass(frozen=True)
class RandomLoss:
    """Some number of sources lost at random."""

    lost: int
    # Mean loss, and its rise, as an average over all sets of so many sources: of each set, where these are few; else
    # every row loses its own random sources, and rows are independent
    loss: Estimate
    cost: Estimate
    # Mean losses from the tenth to the ninetieth of a hundred sets, each lost in all rows: of all sets where these are
    # few, else of random ones
    spread: tuple[float, float]
    draws: int  # sets that the spread is of
    confidence: Confidence | None  # of the answers that the mean loss is of


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
    before : ndarray of shape (n_rows,)
        Losses where nothing is lost.
    columns : sequence of Lost
        Each source lost alone.
    draws, questions : int
        Random sets of each size, and questions about them and about their mean, at most; ten sets at least.
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
            answered = [queries.lose(rows, queries.mask(chosen)) for chosen in every]
        means = [losses.mean() for losses, _ in answered]
        shares = queries.subject.shares and not answered
        if not answered:
            random = np.random.default_rng([seed, size])
            lost = random.random((len(rows), n_sources)).argpartition(size - 1, axis=1)[:, :size]
            mask = np.zeros((len(rows), n_sources), dtype=bool)
            np.put_along_axis(mask, lost, True, axis=1)
            answered = [queries.lose(rows, mask)]
            sets = [queries.mask(random.choice(n_sources, size, replace=False)) for _ in range(draws)]
            means = list(queries.losses_of_sets(rows, np.array(sets)))
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


FALLBACKS = {"gap": "a gap", "mean": "the mean", "zero": "0"}
"""In words, what stands for what is out."""

_MOST_SETS = 60
_REST = 1e-4
_EVERY_SET = 10
"""Up to so many sources every set of them is considered, beyond that at most two out at once."""


@dataclass(frozen=True)
class Outages:
    """What outages cost on average over time, with one fallback in place of what is out.

    Sources fail independently of each other and of the row.
    """

    fallback: str  # {"gap", "mean", "zero"}
    rates: Mapping[str, float]  # by source, the share of the time that it is out
    # By source, the mean rise of the loss that comes of its outages where no other source is out
    alone: Mapping[str, Estimate]
    cost: Estimate  # the mean rise of the loss over all time
    # The share of the time in which sources are out together that were not tried; it is no part of the cost
    untried: float


def expect(queries: Queries, rates: Mapping[str, float], before: np.ndarray, fallback: str) -> Outages:
    """The mean rise of the loss by outages, as their likeliest sets have it.

    Parameters
    ----------
    queries : Queries
        Whose fills are the fallback.
    before : ndarray of shape (n_rows,)
        Losses where nothing is lost.
    """
    import numpy as np

    places = [next(place for place, source in enumerate(queries.sources) if source.name == name) for name in rates]
    names = list(rates)
    rows = np.arange(queries.subject.n_rows)
    rises = np.zeros(len(rows))
    alone: dict[str, Estimate] = {}
    tried = math.prod(1 - rate for rate in rates.values())
    ever, usual = 1 - tried, float(before.mean())  # how often anything is out, and what an average row loses
    for share, out in likeliest(list(rates.values())):
        if len(out) > 1 and 1 - tried < _REST:
            break
        rise = share * (queries.losses(rows, queries.mask(places[each] for each in out)) - before)
        if len(out) == 1:
            alone[names[out[0]]] = mean_rise(rise, share * usual)
        rises += rise
        tried += share
    return Outages(fallback, dict(rates), alone, mean_rise(rises, ever * usual), max(0.0, 1 - tried))


def likeliest(rates: Sequence[float]) -> Iterator[tuple[float, tuple[int, ...]]]:
    """Sets of sources that are out together, and no others, with their share of the time.

    Every source alone comes first, then other sets, the likeliest first.
    """
    largest = len(rates) if len(rates) <= _EVERY_SET else 2

    def share(out: Iterable[int]) -> float:
        there = set(out)
        return math.prod(rate if place in there else 1 - rate for place, rate in enumerate(rates))

    single = [(place,) for place in range(len(rates))]
    together = (out for size in range(2, largest + 1) for out in combinations(range(len(rates)), size))
    more = heapq.nlargest(max(0, _MOST_SETS - len(single)), together, key=share)
    for out in [*single, *more]:
        yield share(out), out
