"""What the loss of each source costs over all rows, and what each tells alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.auditing.measured import LEVEL, Measured, difference, mean_loss
from benchkit.auditing.subject import Queries
from benchkit.statistics.holm import holm

if TYPE_CHECKING:
    import numpy as np


@dataclass(frozen=True)
class Lost:
    """What the loss of one source costs.

    Attributes
    ----------
    source : str
    cost : Measured
        Rise of the mean loss over all rows; ``p`` after Holm's correction over all sources.
    at_once : tuple of float
        The interval that holds for all sources at once (Bonferroni).
    losses : ndarray of shape (n_rows,)
        After the loss.
    alone : Measured
        How much less is lost than by the constant answer where every other source is lost, on some of the rows.
    """

    source: str
    cost: Measured
    at_once: tuple[float, float]
    losses: np.ndarray
    alone: Measured


def lose_each(queries: Queries, before: np.ndarray, constant: np.ndarray, some: np.ndarray) -> list[Lost]:
    """Every source lost in turn.

    Parameters
    ----------
    queries : Queries
    before : ndarray of shape (n_rows,)
        Losses where nothing is lost.
    constant : ndarray of shape (n_rows,)
        Losses of the constant answer.
    some : ndarray of int
        Rows on which each source is tried alone.
    """
    import numpy as np

    subject, sources = queries.subject, queries.sources
    rows = np.arange(subject.n_rows)
    found: list[Lost] = []
    for place, source in enumerate(sources):
        lost = np.zeros(len(sources), dtype=bool)
        lost[place] = True
        after = queries.losses(rows, lost)
        others = queries.losses(some, ~lost)
        wide = difference(after, before, subject.shares, 1 - (1 - LEVEL) / len(sources))
        found.append(
            Lost(
                source.name,
                difference(after, before, subject.shares),
                (wide.low, wide.high),
                after,
                difference(constant[some], others, subject.shares),
            )
        )
    return _corrected(found)


def _corrected(found: Sequence[Lost]) -> list[Lost]:
    adjusted = holm([each.cost.p for each in found])
    return [
        Lost(
            each.source,
            Measured(each.cost.value, each.cost.low, each.cost.high, each.cost.n, p),
            each.at_once,
            each.losses,
            each.alone,
        )
        for each, p in zip(found, adjusted, strict=True)
    ]


def worst_of(found: Sequence[Lost]) -> tuple[Lost, Measured]:
    """The source whose loss costs most, and an interval of the largest cost that allows for the choice.

    The largest of all lower ends and the largest of all upper ends hold the largest cost wherever all intervals hold
    at once.
    """
    worst = max(found, key=lambda each: each.cost.value)
    low = max(each.at_once[0] for each in found)
    high = max(each.at_once[1] for each in found)
    return worst, Measured(worst.cost.value, low, high, worst.cost.n, worst.cost.p)


def loss_without_worst(found: Sequence[Lost], shares: bool) -> Measured:
    """The mean loss where the source is lost whose loss costs most, with an interval that allows for the choice.

    Parameters
    ----------
    found : sequence of Lost
    shares : bool
        Whether every loss is 0 or 1.
    """
    each = [mean_loss(lost.losses, shares, 1 - (1 - LEVEL) / len(found)) for lost in found]
    worst = max(each, key=lambda loss: loss.value)
    return Measured(worst.value, max(loss.low for loss in each), max(loss.high for loss in each), worst.n)
