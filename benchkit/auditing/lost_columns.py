"""What the loss of each source costs over all rows, and what each tells alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchkit.auditing.measured import Measured, at_once, difference
from benchkit.auditing.subject import Queries
from benchkit.statistics.many_tests import holm

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Lost:
    """What the loss of one source costs, on all rows; every interval holds for all sources at once (Bonferroni).

    Attributes
    ----------
    source : str
    cost : Measured
        Rise of the mean loss; ``p`` after Holm's correction over all sources.
    losses : ndarray of shape (n_rows,)
        After the loss.
    sureness : ndarray of shape (n_rows,) or None
        The largest probability after the loss.
    alone : Measured
        How much less is lost than by the constant answer where every other source is lost.
    others : Measured
        Rise of the mean loss where every other source is lost.
    """

    source: str
    cost: Measured
    losses: np.ndarray
    sureness: np.ndarray | None
    alone: Measured
    others: Measured


def lose_each(queries: Queries, before: np.ndarray, constant: np.ndarray) -> list[Lost]:
    """Every source lost in turn, that which costs most first.

    Parameters
    ----------
    queries : Queries
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
