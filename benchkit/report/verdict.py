"""Judging a suite's expectations against its records: the paper's claim beside what was found."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from benchkit.report.claim_forms import Check, check, decimal, expected
from benchkit.report.failures import CHARGED
from benchkit.report.statistics import Record
from benchkit.suite.plan import dataset_name

Outcome = Literal["reproduced", "not reproduced", "not run"]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim was reproduced, and the numbers that decide it.

    Attributes
    ----------
    claim, source : str
    outcome : {"reproduced", "not reproduced", "not run"}
    expected : str
        What the claim comes to: ``lp within [0.19, 0.27]``.
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
    reason : str
        Why the claim may not be reproduced.
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
    reason: str = ""

    @property
    def summary(self) -> str:
        """Expected, found, and by how much it is missed, in one line."""
        parts = [f"expected {self.expected}", self.evidence]
        if self.shortfall is not None:
            parts.append(f"missed by {decimal(self.shortfall)}")
        if not self.settled:
            parts.append("within the noise: the 95 % interval crosses the limit")
        return "; ".join(parts)


def judge(expectation: Mapping[str, Any], records: Iterable[Record], metric: str, greater_is_better: bool) -> Verdict:
    """Judge one expectation at every point that it speaks of.

    An order is reproduced where each algorithm's mean is better than the next one's by ``by``, less ``tolerance`` at
    most, on shared repetitions; an interval, where the mean lies within it, widened by ``tolerance``; a value, where
    the mean is within ``tolerance`` of it; ``monotone``, where no step along the axis goes the other way by more than
    ``tolerance``, on shared repetitions. A claim on ``groups`` is judged on the mean over the datasets of each. For
    other forms see `benchkit.report.claim_forms`.
    """
    curves: dict[tuple[str, str], dict[str, dict[Any, list[Record]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    named = {*(expectation["order"] or ()), *(expectation["alike"] or ()), expectation["algorithm"]}
    points: dict[str, Any] = {}
    n_trials = n_failed = 0
    for row in records:
        points[str(row["axis_value"])] = row["axis_value"]
        if _spoken_of(expectation, row):
            if row["algorithm"] in named:
                n_trials += 1
                n_failed += row["status"] in CHARGED
            of_group = expectation["groups"] is not None
            name = row["group"] if of_group else dataset_name(row["dataset"], _curve_params(row))
            curve = (name, row["adversary"])
            curves[curve][row["algorithm"]][row["axis_value"]].append(row)
    checks: list[Check] = []
    for (dataset, adversary), algorithms in curves.items():
        where = " ".join(name for name in (dataset, adversary) if name != "none")
        checks += check(expectation, algorithms, metric, greater_is_better, where)
    known = {key: expectation[key] for key in ("claim", "source", "paper", "reason")}
    known["expected"] = expected(expectation, metric)
    if not checks:
        evidence = "no trial that it speaks of has ended ok"
        if expectation["at"] is not None and not any(value in expectation["at"] for value in points.values()):
            evidence = f"no trial at {_listed(expectation['at'])}: the axis has {_listed(points.values())}"
        return Verdict(outcome="not run", evidence=evidence, **known)
    worst = min(checks, key=lambda each: each.slack)
    held = worst.slack >= -_ROUNDING
    return Verdict(
        outcome="reproduced" if held else "not reproduced",
        evidence=worst.evidence
        + (f" (tightest of {len(checks)})" if len(checks) > 1 else "")
        + (f"; without {n_failed} of {n_trials} trials, which failed" if n_failed else ""),
        shortfall=None if held else -worst.slack,
        settled=not abs(worst.slack) < worst.margin,
        points=len(checks),
        **known,
    )


def _listed(values: Iterable[Any]) -> str:
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)


# Means of the same numbers in another order differ in their last bits.
_ROUNDING = 1e-12


def _curve_params(row: Record) -> dict[str, Any]:
    """Parameters of a record's dataset without the one that the axis runs over."""
    along = row.get("axis", "").partition("dataset.")[2]
    return {key: value for key, value in row["dataset_params"].items() if key != along}


def _spoken_of(expectation: Mapping[str, Any], row: Record) -> bool:
    fields = {"datasets": "dataset", "groups": "group", "adversaries": "adversary", "at": "axis_value"}
    for key, field in fields.items():
        if expectation[key] is not None and row.get(field) not in expectation[key]:
            return False
    return True
