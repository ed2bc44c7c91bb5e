"""Numbers that rows measured, with their intervals: means, confidence, slices; and how they are worded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchkit.auditing.columns import Column
from benchkit.auditing.subject import Subject
from benchkit.report.slices import column_slices
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

    Errors: the score interval (Tango 1998), and McNemar's exact test. Other losses: `mean_rise`.

    Parameters
    ----------
    after, before : ndarray of shape (n_rows,)
        Losses of the same rows.
    shares : bool
        Whether every loss is 0 or 1.
    level : float, default=0.95
    """
    import numpy as np
    from scipy.special import ndtri

    rise = after - before
    n = len(rise)
    if not shares:
        return mean_rise(rise, float(before.mean()) if n else 0.0, level)
    worse, better = int((rise > 0).sum()), int((rise < 0).sum())
    low, high = map(float, score_intervals(np.array(worse), np.array(better), n, float(ndtri((1 + level) / 2))))
    return Measured((worse - better) / max(n, 1), low, high, n, mcnemar_pvalue(worse, better))


def mean_rise(rises: np.ndarray, usual: float, level: float = LEVEL) -> Measured:
    """A mean over rows with Student's t, after two rows are added, one ``usual`` up and one down.

    They keep what changed nothing on these rows from being taken for what never
    does.
    """
    import numpy as np

    _, low, high = mean_interval(np.append(rises, [usual, -usual]), level)
    return Measured(float(rises.mean()), low, high, len(rises), zero_mean_pvalue(rises))


def _points(share: float) -> str:
    """Hundredths with one decimal; zero has no sign."""
    return f"{round(100 * share, 1) + 0.0:.1f}"


def percent(share: float) -> str:
    """A share of rows."""
    return f"{_points(share)} %"


def ends(low: float, high: float) -> str:
    """An interval of shares."""
    return f"[{_points(low)}, {_points(high)}]"


def performance(subject: Subject, loss: Measured, short: bool = False) -> str:
    """How good the answers are: ``right in 78.2 % [76.9, 79.4]``, or ``off by 3.1 [2.9, 3.3]``."""
    if subject.shares:
        text = f"{percent(1 - loss.value)} {ends(max(0.0, 1 - loss.high), min(1.0, 1 - loss.low))}"
        return text if short else f"right in {text}"
    text = f"off by {loss.value:.4g} [{loss.low:.4g}, {loss.high:.4g}]"
    return text if subject.loss == "absolute" else f"{text} (squared)"


def score(subject: Subject, loss: float) -> str:
    """How good the answers are, without an interval."""
    if subject.shares:
        return percent(1 - loss)
    return f"off by {loss:.4g}" + ("" if subject.loss == "absolute" else " (squared)")


def left_by(subject: Subject, loss: Measured, exact: bool) -> str:
    """How good the answers are at worst; where more damage may be possible than was found, that is said."""
    bound = "" if exact else " or less" if subject.shares else " or more"
    return performance(subject, loss, short=True) + bound


def of_rows(subject: Subject, n: int) -> str:
    """On how many rows, where these are not all."""
    return "" if n == subject.n_rows else f" on {n:,} rows"


def on_rows(subject: Subject, loss: Measured, cost: Measured) -> str:
    """The same for a mean loss, with what it is on these rows where nothing is lost."""
    if loss.n == subject.n_rows:
        return ""
    intact = loss.value - cost.value
    return (
        f"{of_rows(subject, loss.n)} ({percent(1 - intact) if subject.shares else f'{intact:.4g}'} with nothing lost)"
    )


def rise(subject: Subject, cost: Measured, interval: bool = True) -> str:
    """By how much the loss rises: ``7.2 points [6.1, 8.3]``, or in the unit of the target."""
    if subject.shares:
        text = f"{_points(cost.value)} points"
        return f"{text} {ends(cost.low, cost.high)}" if interval else text
    text = f"{cost.value:.4g}"
    return f"{text} [{cost.low:.4g}, {cost.high:.4g}]" if interval else text


def fine_rise(subject: Subject, cost: Measured, interval: bool = True) -> str:
    """The same in hundredths of points: what is rare costs little on average."""
    if not subject.shares:
        return rise(subject, cost, interval)
    value, low, high = (f"{round(100 * each, 2) + 0.0:.2f}" for each in (cost.value, cost.low, cost.high))
    return f"{value} points [{low}, {high}]" if interval else f"{value} points"


def amount(subject: Subject, value: float) -> str:
    """A rise of the loss without an interval."""
    return f"{_points(value)} points" if subject.shares else f"{value:.4g}"


@dataclass(frozen=True)
class Confidence:
    """Mean confidence beside the share of right answers.

    Attributes
    ----------
    when : str
        What was lost.
    said : float
        Mean probability of the answers given.
    right : float
        Share of right answers.
    overconfidence : Measured
        The first less the second.
    """

    when: str
    said: float
    right: float
    overconfidence: Measured


def confidence(sureness: np.ndarray | None, losses: np.ndarray, when: str, level: float = LEVEL) -> Confidence | None:
    """Confidence of answers to rows; None where they have no probabilities.

    Parameters
    ----------
    sureness : ndarray of shape (n_rows,) or None
        The probability of each answer.
    losses : ndarray of shape (n_rows,)
        The share of answers that are wrong, by row.
    when : str
    level : float, default=0.95
    """
    if sureness is None:
        return None
    value, low, high = mean_interval(sureness - (1.0 - losses), level)
    # As a loss of the same answers is shown, to the last digit.
    return Confidence(when, float(sureness.mean()), 1.0 - float(losses.mean()), Measured(value, low, high, len(losses)))


FEWEST = 30
"""Rows of a slice, at least."""


@dataclass(frozen=True)
class Slice:
    """Rows that have something in common, against all others.

    Attributes
    ----------
    what : str
        Such as ``age at most 31.5`` or ``state = NY``.
    mean : Measured
        Within the slice.
    others : float
        The mean of all other rows.
    p : float
        Welch's test after Holm's correction over all slices.
    """

    what: str
    mean: Measured
    others: float
    p: float

    @property
    def apart(self) -> float:
        """By how much the slice is worse."""
        return self.mean.value - self.others


def compare_slices(
    columns: Sequence[Column], rows: np.ndarray, values: np.ndarray, limits: tuple[float, float]
) -> list[Slice]:
    """Every slice of every column, those that are worst first.

    Parameters
    ----------
    columns : sequence of Column
    rows : ndarray of int, shape (n_rows,)
    values : ndarray of shape (n_rows,)
        What is compared, such as losses.
    limits : (float, float)
        Values that a row can have.
    """
    import numpy as np

    parts = [(np.arange(len(rows)), values)]
    found = [
        (f"{column.name}{each.link}{each.name}", mean)
        for column in columns
        for each in column_slices(column.array(rows))
        if FEWEST <= each.rows.sum() <= len(rows) - FEWEST
        and (mean := slice_mean(parts, each.rows, limits)) is not None
    ]
    adjusted = holm([mean.p for _, mean in found])
    slices = [
        Slice(what, Measured(mean.mean, mean.low, mean.high, mean.rows), mean.rest, p)
        for (what, mean), p in zip(found, adjusted, strict=True)
    ]
    return sorted(slices, key=lambda each: (each.p >= 0.05, -each.apart))
