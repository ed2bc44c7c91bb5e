"""What outages of sources cost on average, given how often each is out."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

from benchkit.auditing.measured import Measured, mean_rise
from benchkit.auditing.sources import Source
from benchkit.auditing.subject import Queries
from benchkit.errors import RequestError
from benchkit.plugin.nearest_name import nearest_name

if TYPE_CHECKING:
    import numpy as np

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

    Attributes
    ----------
    fallback : {"gap", "mean", "zero"}
    rates : mapping of str to float
        By source, the share of the time that it is out.
    alone : mapping of str to Measured
        By source, the mean rise of the loss that comes of its outages where no other source is out.
    cost : Measured
        The mean rise of the loss over all time.
    untried : float
        The share of the time in which sources are out together that were not tried; it is no part of the cost.
    """

    fallback: str
    rates: Mapping[str, float]
    alone: Mapping[str, Measured]
    cost: Measured
    untried: float


def check_rates(rates: Any, sources: Sequence[Source]) -> dict[str, float]:
    """Rates of outages by source, in the order of the sources.

    Raises
    ------
    RequestError
        All that is wrong with them, in one line.
    """
    if not isinstance(rates, Mapping) or not rates:
        raise RequestError("outages: expected how often each source is out, such as {score: 0.02, office: 0.005}")
    names = [source.name for source in sources]
    wrong = []
    for name, rate in rates.items():
        if str(name) not in names:
            near = nearest_name(str(name), names)
            wrong.append(f"no source or column {str(name)!r}" + (f" (is {near!r} meant?)" if near else ""))
        elif isinstance(rate, bool) or not isinstance(rate, int | float) or not 0 < rate <= 1:
            wrong.append(f"{name} is {rate!r}, expected a share of the time, above 0 and at most 1")
    if wrong:
        raise RequestError("outages: " + "; ".join(wrong))
    given = {str(name): float(rate) for name, rate in rates.items()}
    return {name: given[name] for name in names if name in given}


def expect(queries: Queries, rates: Mapping[str, float], before: np.ndarray, fallback: str) -> Outages:
    """The mean rise of the loss by outages, as their likeliest sets have it.

    Parameters
    ----------
    queries : Queries
        Whose fills are the fallback.
    rates : mapping of str to float
    before : ndarray of shape (n_rows,)
        Losses where nothing is lost.
    fallback : str
    """
    import numpy as np

    places = [next(place for place, source in enumerate(queries.sources) if source.name == name) for name in rates]
    names = list(rates)
    rows = np.arange(queries.subject.n_rows)
    rises = np.zeros(len(rows))
    alone: dict[str, Measured] = {}
    tried = math.prod(1 - rate for rate in rates.values())
    ever, usual = 1 - tried, float(before.mean())  # how often anything is out, and what an average row loses
    for share, out in likeliest(list(rates.values())):
        if len(out) > 1 and 1 - tried < _REST:
            break
        lost = np.zeros(len(queries.sources), dtype=bool)
        lost[[places[each] for each in out]] = True
        rise = share * (queries.losses(rows, lost) - before)
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
