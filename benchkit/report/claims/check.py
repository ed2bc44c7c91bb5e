"""One comparison that a claim makes, and the values that it rests on."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from benchkit.document.text import ROUNDING
from benchkit.journal import Record
from benchkit.report.points import curve_name
from benchkit.statistics.estimate import LEVEL, Estimate, tied_from
from benchkit.statistics.sampling import Sampling, Values, sampling_of

Range = tuple[float, float]

# Means of the same numbers in another order differ in their last bits.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Basis:
    """What a check rests on.

    Attributes
    ----------
    values : mapping of (repetition, data set) to float
    rows : sequence of record
        That the values are from.
    counts_rows : bool, default=True
        Whether what was measured may count test rows.
    """

    values: Values
    rows: Sequence[Record]
    counts_rows: bool = True


@dataclass(frozen=True)
class Number:
    """A number that a paper prints with its standard error, and ours.

    Attributes
    ----------
    theirs, their_error : float
    ours, our_error : float
    low, high : float
        95 % interval of ours minus theirs, by both errors and the degrees of freedom of ours.
    """

    theirs: float
    their_error: float
    ours: float
    our_error: float
    low: float
    high: float

    @property
    def difference(self) -> float:
        """Ours minus theirs."""
        return self.ours - self.theirs

    @property
    def consistent(self) -> bool:
        """Whether the two may be one number."""
        return self.low <= 0 <= self.high


@dataclass(frozen=True)
class Check:
    """One comparison that a claim makes: what was measured, and where it must lie.

    Attributes
    ----------
    measured : Estimate
        In the scope ``splits``: a claim on published numbers is about these rows.
    low, high : float
        Where the true value must lie; an end may be infinite.
    limits : tuple of float
        What can be measured at all.
    strict : bool
        Whether the ends themselves do not fulfil the claim.
    evidence : str
    basis : Basis
    number : Number, optional
        Where the claim is a printed number with its error: then it is supported as long as nothing speaks against it.
    """

    measured: Estimate
    low: float
    high: float
    limits: Range
    strict: bool
    evidence: str
    basis: Basis
    number: Number | None = None

    @property
    def interval(self) -> Range:
        """Two-sided 95 % interval within what can be measured."""
        return self.measured.interval(LEVEL, self.limits)

    @property
    def ties(self) -> bool:
        """Whether all values are the very limit that is claimed."""
        return self.measured.ties and self.slack == 0

    @property
    def settled_by_ties(self) -> bool:
        """Whether they are so in so many repetitions that no other value is expected."""
        return self.ties and self.measured.n >= tied_from(self.basis.counts_rows)

    @property
    def supported(self) -> bool:
        """Whether the whole interval fulfils the claim, or all values do that are the limit itself."""
        if self.settled_by_ties:
            return not self.strict
        low, high = self.interval
        if not self.measured.decides:
            return False
        if self.number is not None:
            return self.number.consistent
        if self.strict:
            return low > self.low and high < self.high
        return low >= self.low - _ROUNDING and high <= self.high + _ROUNDING

    @property
    def p_against(self) -> float:
        """One-sided p-value against the claim's being true."""
        return min(self.measured.p_above(self.high), self.measured.p_below(self.low))

    @property
    def slack(self) -> float:
        """By how much the estimate fulfils the claim; negative where it does not."""
        return min(self.measured.mean - self.low, self.high - self.measured.mean)


def drawn(rows: Iterable[Record]) -> dict[str, Sampling]:
    """How the rows of each data set were drawn."""
    by_name: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        by_name[curve_name(row)].append(row)
    return {name: sampling_of(each) for name, each in by_name.items()}


def decimal(value: float, sign: str = "-") -> str:
    """Four decimals, or three digits where these would all be zero."""
    if abs(value) < ROUNDING:
        value = 0.0
    return f"{value:{sign}.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:{sign}.3g}"


def with_interval(mean: Estimate, limits: tuple[float, float], sign: str = "-") -> str:
    """A mean and its interval: ``0.4000 [0.3938, 0.4062]``."""
    if not math.isfinite(mean.stderr):
        return decimal(mean.mean, sign)
    low, high = mean.interval(LEVEL, limits)
    return f"{decimal(mean.mean, sign)} [{decimal(low, sign)}, {decimal(high, sign)}]"


def signed(difference: Estimate, limits: tuple[float, float]) -> str:
    """A difference and its interval: ``+0.0200 [+0.0138, +0.0262]``."""
    return with_interval(difference, limits, "+")


def at(where: str, axis_value: Any) -> str:
    """Data set, adversary and point on the axis, where there is one."""
    shown = f"{axis_value:g}" if isinstance(axis_value, float) else axis_value
    return where if axis_value is None else f"{where} {shown}"


def listed(values: Iterable[Any]) -> str:
    """``5, 0.25, usps``."""
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
