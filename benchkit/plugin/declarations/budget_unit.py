"""What budgets count: the one place that knows a unit's limits, its words and its checks."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import numpy as np

Counted = Literal["value", "features", "fraction", "sd"]
UnitName = Counted | Literal["none"]

Limit = tuple[float, str]
"""The most that a budget can be, and what that is."""


def _unlimited(total_value: float | None, n_features: float) -> Limit:
    return math.inf, "the most possible"


@dataclass(frozen=True)
class Changes:
    """What a corruption changed, for `BudgetUnit.spent`.

    Attributes
    ----------
    entries : ndarray of bool, shape (n_samples, n_features)
    responses : ndarray of bool, shape (n_samples,)
    values : ndarray of shape (n_features,)
        Feature values.
    moved : ndarray of shape (n_samples, n_features)
        How far entries moved, in standard deviations of their columns in the training part; infinite where a gap came
        or went, or a column of one value got another.
    """

    entries: np.ndarray
    responses: np.ndarray
    values: np.ndarray
    moved: np.ndarray


@dataclass(frozen=True)
class BudgetUnit:
    """What the budgets of an adversary count.

    Parameters
    ----------
    name : str
        As declarations give it.
    title : str
        What a figure's axis is called where the adversary has no title of its own.
    limit : callable
        Takes the total value of the features (None where each is 1, or as if it were) and the number of features;
        returns the most that a budget can be, and what that is.
    limit_of_data : bool, default=False
        Whether the limit depends on the data. It is then checked where the data is known, and a share is not an amount.
    weighed : bool, default=False
        Whether features count by their values.
    whole : bool, default=False
        Whether amounts are whole numbers.
    of_rows : bool, default=False
        Whether a part of a row is spent as a whole one.
    spent : callable or None, default=None
        What a corruption cost, for ``benchkit check``, from `Changes`. None where nothing is counted.
    amounts : tuple of float, default=(0.0,)
        Budgets to begin with where there is no limit to take shares of.
    """

    name: UnitName
    title: str
    limit: Callable[[float | None, float], Limit] = _unlimited
    limit_of_data: bool = False
    weighed: bool = False
    whole: bool = False
    of_rows: bool = False
    spent: Callable[[Changes], float] | None = None
    amounts: tuple[float, ...] = (0.0,)

    @property
    def takes_shares(self) -> bool:
        """Whether there is a limit that a budget can be a share of."""
        return math.isfinite(self.limit(1.0, 1)[0])

    def axis_title(self, own: str, shares: bool, uniform: bool) -> str:
        """The title of a figure's axis, from the adversary's own; ``uniform`` where each feature has the value 1."""
        title = own or self.title
        if self.limit_of_data and shares:
            return f"share of {title}"
        return f"{title} (total cost)" if self.weighed and not uniform else title

    def check(self, budget: float) -> str | None:
        """What is wrong with an amount whatever the data, as the end of a sentence about it."""
        if self.whole and budget != int(budget):
            return f"counts {self.name}: give whole numbers"
        if not self.limit_of_data and budget > (most := self.limit(None, 0)[0]):
            return f"is a {self.name}: at most {most:g}"
        return None

    def exceeds(self, budget: float, total_value: float | None, n_features: float, rounding: float) -> str | None:
        """That an amount is more than the data has to spend, but for rounding."""
        most, what = self.limit(total_value, n_features)
        return f"budget {budget:g} exceeds {most:g}, {what}" if budget > most * (1 + rounding) else None

    def amount(self, share: float, total_value: float | None, n_features: float) -> float:
        """What a share of the most possible comes to."""
        amount = share * self.limit(total_value, n_features)[0]
        return float(round(amount)) if self.whole else amount

    def allowed(self, budget: float, n_samples: int, rounding: float) -> float:
        """What may be spent of an amount."""
        return math.ceil(budget * n_samples - rounding) / n_samples if self.of_rows else budget


def _number(total_value: float | None, n_features: float) -> Limit:
    return n_features, "the number of features"


def _total_value(total_value: float | None, n_features: float) -> Limit:
    if total_value is None:
        return _number(total_value, n_features)
    return total_value, "the total value of the features"


def _whole_of_it(total_value: float | None, n_features: float) -> Limit:
    return 1.0, "the most possible"


def _of_the_dearest_row(changes: Changes) -> float:
    return float((changes.entries * changes.values).sum(axis=1).max())


def _of_the_most_changed_row(changes: Changes) -> float:
    return float(changes.entries.sum(axis=1).max())


def _of_rows_or_entries(changes: Changes) -> float:
    """The fraction of rows; or of entries, where that is less and no response changed."""
    if changes.responses.any():
        return float((changes.entries.any(axis=1) | changes.responses).mean())
    return min(float(changes.entries.mean()), float(changes.entries.any(axis=1).mean()))


def _of_the_most_moved_column(changes: Changes) -> float:
    """The largest root mean square over rows; no norm of a row's moves is less, the largest or the Euclidean one."""
    if changes.responses.any():
        return math.inf
    return float(((changes.moved**2).mean(axis=0) ** 0.5).max())


_UNITS = (
    BudgetUnit("value", "features spent", _total_value, limit_of_data=True, weighed=True, spent=_of_the_dearest_row),
    BudgetUnit("features", "features spent", _number, limit_of_data=True, whole=True, spent=_of_the_most_changed_row),
    BudgetUnit("fraction", "fraction spent", _whole_of_it, of_rows=True, spent=_of_rows_or_entries),
    BudgetUnit("sd", "standard deviations", spent=_of_the_most_moved_column, amounts=(0.0, 0.25, 0.5, 1.0)),
    BudgetUnit("none", "budget"),
)

UNITS: dict[str, BudgetUnit] = {unit.name: unit for unit in _UNITS}
"""The units that declarations can name."""
