"""Judging a suite's expectations against its records: the paper's claim beside what was found."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from benchkit.report.checks import check, expected
from benchkit.report.samples import curves
from benchkit.report.statistics import Record

Outcome = Literal["reproduced", "not reproduced", "not run"]

# Means of the same numbers in another order differ in their last bits.
_ROUNDING = 1e-12


@dataclass(frozen=True)
class Verdict:
    """Whether a claim was reproduced, and the numbers that decide it.

    Attributes
    ----------
    claim, source : str
    outcome : {"reproduced", "not reproduced", "not run"}
    expected : str
        What the claim comes to: ``lp in [0.19, 0.27]``.
    evidence : str
        The decisive numbers: of all points it speaks of, those of the one nearest to breaking it.
    shortfall : float or None
        By how much the claim is missed; None unless it is.
    settled : bool
        Whether the 95 % interval of the decisive number lies on one side of the limit.
    points : int
        How many points were judged.
    paper : str
        What the paper reports.
    explanation : str
        The likely reason where the claim is not reproduced.
    """

    claim: str
    source: str
    outcome: Outcome
    expected: str
    evidence: str
    shortfall: float | None = None
    settled: bool = True
    points: int = 0
    paper: str = ""
    explanation: str = ""

    @property
    def summary(self) -> str:
        """Expected, found, and by how much it is missed, in one line."""
        parts = [f"expected {self.expected}", self.evidence]
        if self.shortfall is not None:
            parts.append(f"missed by {self.shortfall:.4f}")
        if not self.settled:
            parts.append("within the noise: the 95 % interval crosses the limit")
        return "; ".join(parts)


def judge(expectation: Mapping[str, Any], records: Iterable[Record], metric: str, greater_is_better: bool) -> Verdict:
    """Judge one expectation at every point that it speaks of.

    Algorithms are compared on shared repetitions, group members (``groups``) averaged within each. An order is
    reproduced where each algorithm's mean is better than the next one's by at least ``by`` less ``tolerance``; an
    interval or a value, where the mean lies within it, widened by ``tolerance``; a trend, where no step along the axis
    goes against it by more.

    Parameters
    ----------
    expectation : mapping
        The fields of an `benchkit.suite.schema.Expectation`.
    records : iterable of Record
    metric : str
    greater_is_better : bool
    """
    selected = [row for row in records if _spoken_of(expectation, row)]
    found = curves(selected, metric, by_group=expectation["groups"] is not None)
    checks = [each for curve in found for each in check(expectation, curve, greater_is_better)]
    told = {key: expectation[key] for key in ("claim", "source", "paper", "explanation")}
    told["expected"] = expected(expectation, metric)
    if not checks:
        return Verdict(outcome="not run", evidence="no trial that it speaks of has ended ok", **told)
    worst = min(checks, key=lambda each: each.slack)
    held = worst.slack >= -_ROUNDING
    return Verdict(
        outcome="reproduced" if held else "not reproduced",
        evidence=worst.evidence + (f" (tightest of {len(checks)})" if len(checks) > 1 else ""),
        shortfall=None if held else -worst.slack,
        settled=not abs(worst.slack) < worst.margin,
        points=len(checks),
        **told,
    )


def _spoken_of(expectation: Mapping[str, Any], row: Record) -> bool:
    fields = (("datasets", "dataset"), ("groups", "group"), ("adversaries", "adversary"), ("at", "axis_value"))
    return all(expectation[key] is None or row.get(field) in expectation[key] for key, field in fields)
