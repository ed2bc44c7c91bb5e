"""Numbers that rows give, with their intervals: means, differences, confidence, slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit import column_slices
from benchkit.fitted.columns import Column
from benchkit.statistics.independent_rows import (
    mcnemar_pvalue,
    mean_interval,
    score_intervals,
    wilson_interval,
    zero_mean_pvalue,
)
from benchkit.statistics.many_tests import holm
from benchkit.statistics.slices import slice_mean

if TYPE_CHECKING:
    import numpy as np


LEVEL = 0.95


def at_once(n: int) -> float:
    """The level of each of so many intervals that hold at once (Bonferroni)."""
    return 1 - (1 - LEVEL) / n


@dataclass(frozen=True)
class Estimate:
    """A mean over rows.

    Attributes
    ----------
    value : float
    low, high : float
        Ends of its interval.
    n : int
        Rows.
    p : float, default=NaN
        Two-sided p-value against zero, where that was asked.
    """

    value: float
    low: float
    high: float
    n: int
    p: float = float("nan")

    def above(self, limit: float) -> bool:
        """Whether it is decided that it exceeds the limit."""
        return self.low > limit

    def below(self, limit: float) -> bool:
        """Whether it is decided that it stays under the limit."""
        return self.high < limit


def mean_loss(losses: np.ndarray, shares: bool, level: float = LEVEL) -> Estimate:
    """The mean of a loss per row: Wilson's interval of a share of errors, Student's t of others.

    Parameters
    ----------
    losses : ndarray of shape (n_rows,)
    shares : bool
        Whether every loss is 0 or 1.
    """
    n = len(losses)
    if shares:
        return Estimate(float(losses.mean()), *wilson_interval(float(losses.sum()), n, level), n)
    value, low, high = mean_interval(losses, level)
    return Estimate(value, max(0.0, low), high, n)


def difference(after: np.ndarray, before: np.ndarray, shares: bool, level: float = LEVEL) -> Estimate:
    """How much the mean loss rises, paired by row.

    Errors: the score interval (Tango 1998), and McNemar's exact test. Other losses: `mean_rise`.

    Parameters
    ----------
    after, before : ndarray of shape (n_rows,)
        Losses of the same rows.
    shares : bool
        Whether every loss is 0 or 1.
    """
    import numpy as np
    from scipy.special import ndtri

    rise = after - before
    n = len(rise)
    if not shares:
        return mean_rise(rise, float(before.mean()) if n else 0.0, level)
    worse, better = int((rise > 0).sum()), int((rise < 0).sum())
    low, high = map(float, score_intervals(np.array(worse), np.array(better), n, float(ndtri((1 + level) / 2))))
    return Estimate((worse - better) / max(n, 1), low, high, n, mcnemar_pvalue(worse, better))


def mean_rise(rises: np.ndarray, usual: float, level: float = LEVEL) -> Estimate:
    """A mean over rows with Student's t, after two rows are added, one ``usual`` up and one down.

    They keep what changed nothing on these rows from being taken for what never does.
    """
    import numpy as np

    _, low, high = mean_interval(np.append(rises, [usual, -usual]), level)
    return Estimate(float(rises.mean()), low, high, len(rises), zero_mean_pvalue(rises))


@dataclass(frozen=True)
class Confidence:
    """Mean confidence beside the share of right answers."""

    when: str  # what was lost
    said: float  # mean probability of the answers given
    right: float  # share of right answers
    overconfidence: Estimate  # the first less the second


def confidence(sureness: np.ndarray | None, losses: np.ndarray, when: str, level: float = LEVEL) -> Confidence | None:
    """Confidence of answers to rows; None where they have no probabilities.

    Parameters
    ----------
    sureness : ndarray of shape (n_rows,) or None
        The probability of each answer.
    losses : ndarray of shape (n_rows,)
        The share of answers that are wrong, by row.
    """
    if sureness is None:
        return None
    value, low, high = mean_interval(sureness - (1.0 - losses), level)
    # As a loss of the same answers is shown, to the last digit.
    return Confidence(when, float(sureness.mean()), 1.0 - float(losses.mean()), Estimate(value, low, high, len(losses)))


FEWEST = 30
"""Rows of a slice, at least."""


@dataclass(frozen=True)
class Slice:
    """Rows that have something in common, against all others."""

    what: str  # such as ``age at most 31.5`` or ``state = NY``
    mean: Estimate  # within the slice
    others: float  # the mean of all other rows
    p: float  # welch's test after Holm's correction over all slices

    @property
    def apart(self) -> float:
        """By how much the slice is worse."""
        return self.mean.value - self.others

    @property
    def worse(self) -> bool:
        """Whether it is decided that it is worse."""
        return self.p < 0.05 and self.apart > 0


def compare_slices(
    columns: Sequence[Column], rows: np.ndarray, values: np.ndarray, limits: tuple[float, float]
) -> list[Slice]:
    """Every slice of every column, those that are worst first.

    Parameters
    ----------
    rows : ndarray of int, shape (n_rows,)
    values : ndarray of shape (n_rows,)
        What is compared, such as losses.
    limits : (float, float)
        Values that a row can have.
    """
    import numpy as np

    parts = [(np.arange(len(rows)), values)]
    means = [
        (f"{column.name}{each.link}{each.name}", mean)
        for column in columns
        for each in column_slices(column.array(rows))
        if FEWEST <= each.rows.sum() <= len(rows) - FEWEST
        and (mean := slice_mean(parts, each.rows, limits)) is not None
    ]
    adjusted = holm([mean.p for _, mean in means])
    slices = [
        Slice(what, Estimate(mean.mean, mean.low, mean.high, mean.rows), mean.rest, p)
        for (what, mean), p in zip(means, adjusted, strict=True)
    ]
    return sorted(slices, key=lambda each: (each.p >= 0.05, -each.apart))
