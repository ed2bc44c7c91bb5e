"""What the loss of each source costs over all rows, and what each tells alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from benchkit.auditing.measured import Measured, at_once, difference, mean_loss
from benchkit.auditing.subject import Queries
from benchkit.statistics.holm import holm

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
    """Every source lost in turn.

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
    return [replace(each, cost=replace(each.cost, p=p)) for each, p in zip(columns, adjusted, strict=True)]


def worst_of(columns: Sequence[Lost]) -> tuple[Lost, Measured]:
    """The source whose loss costs most, and an interval of the largest cost that allows for the choice.

    The largest of all lower ends and the largest of all upper ends hold the largest cost wherever all intervals hold
    at once.
    """
    worst = max(columns, key=lambda each: each.cost.value)
    return worst, _largest([each.cost for each in columns])


def alone_of(columns: Sequence[Lost]) -> tuple[str, Measured]:
    """The source that tells most alone, and the rise of the loss where all others are lost, as in `worst_of`."""
    best = min(columns, key=lambda each: each.others.value)
    low, high = (min(getattr(each.others, end) for each in columns) for end in ("low", "high"))
    return best.source, replace(best.others, low=low, high=high)


def loss_without_worst(columns: Sequence[Lost], shares: bool) -> Measured:
    """The mean loss where the source is lost whose loss costs most, with an interval that allows for the choice.

    Parameters
    ----------
    columns : sequence of Lost
    shares : bool
        Whether every loss is 0 or 1.
    """
    return _largest([mean_loss(each.losses, shares, at_once(len(columns))) for each in columns])


def _largest(means: Sequence[Measured]) -> Measured:
    low, high = (max(getattr(each, end) for each in means) for end in ("low", "high"))
    return replace(max(means, key=lambda each: each.value), low=low, high=high)
