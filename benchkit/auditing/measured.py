"""A number that rows measured, with its interval: what findings are judged by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.statistics.independent_rows import (
    mcnemar_pvalue,
    mean_interval,
    paired_interval,
    wilson_interval,
    zero_mean_pvalue,
)

if TYPE_CHECKING:
    import numpy as np

LEVEL = 0.95


def at_once(n: int) -> float:
    """The level of each of so many intervals that hold at once (Bonferroni)."""
    return 1 - (1 - LEVEL) / n


@dataclass(frozen=True)
class Measured:
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


def mean_loss(losses: np.ndarray, shares: bool, level: float = LEVEL) -> Measured:
    """The mean of a loss per row: Wilson's interval of a share of errors, Student's t of others.

    Parameters
    ----------
    losses : ndarray of shape (n_rows,)
    shares : bool
        Whether every loss is 0 or 1.
    level : float, default=0.95
    """
    n = len(losses)
    if shares:
        return Measured(float(losses.mean()), *wilson_interval(float(losses.sum()), n, level), n)
    value, low, high = mean_interval(losses, level)
    return Measured(value, max(0.0, low), high, n)


def difference(after: np.ndarray, before: np.ndarray, shares: bool, level: float = LEVEL) -> Measured:
    """How much the mean loss rises, paired by row.

    Errors: the interval of Agresti & Min (2005), and McNemar's exact test. Other losses: `mean_rise`.

    Parameters
    ----------
    after, before : ndarray of shape (n_rows,)
        Losses of the same rows.
    shares : bool
        Whether every loss is 0 or 1.
    level : float, default=0.95
    """
    rise = after - before
    n = len(rise)
    if not shares:
        return mean_rise(rise, float(before.mean()) if n else 0.0, level)
    worse, better = int((rise > 0).sum()), int((rise < 0).sum())
    low, high = paired_interval(worse, better, n, level)
    return Measured((worse - better) / max(n, 1), low, high, n, mcnemar_pvalue(worse, better))


def mean_rise(rises: np.ndarray, usual: float, level: float = LEVEL) -> Measured:
    """A mean over rows with Student's t, after two rows are added, one ``usual`` up and one down.

    As half a row per cell does for errors, they keep what changed nothing on these rows from being taken for what never
    does.
    """
    import numpy as np

    _, low, high = mean_interval(np.append(rises, [usual, -usual]), level)
    return Measured(float(rises.mean()), low, high, len(rises), zero_mean_pvalue(rises))
