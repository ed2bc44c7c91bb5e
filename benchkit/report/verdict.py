"""Judging a suite's expectations against its records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from benchkit.report.checks import check
from benchkit.report.samples import curves
from benchkit.report.statistics import Record

Outcome = Literal["holds", "fails", "not run"]


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds, and the numbers that decide it.

    Attributes
    ----------
    claim, source : str
    outcome : {"holds", "fails", "not run"}
    evidence : str
        The decisive numbers; where the claim fails, those of the worst violation.
    paper : str
        What the paper reports.
    explanation : str
        The likely reason where the claim fails.
    """

    claim: str
    source: str
    outcome: Outcome
    evidence: str
    paper: str = ""
    explanation: str = ""


def judge(expectation: Mapping[str, Any], records: Iterable[Record], metric: str, greater_is_better: bool) -> Verdict:
    """Judge one expectation at every point that it speaks of.

    Algorithms are compared on shared repetitions, group members (``groups``) averaged within each. An order holds where
    each algorithm's mean is better than the next one's by at least ``by`` less ``tolerance``; an interval, where the
    mean lies within it, widened by ``tolerance``; a trend, where no step along the axis goes against it by more.

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
    slack, evidence = min(checks, default=(0.0, "no records"))
    outcome: Outcome = "not run" if not checks else "holds" if slack >= -_ROUNDING else "fails"
    told = {key: expectation[key] for key in ("claim", "source", "paper", "explanation")}
    return Verdict(outcome=outcome, evidence=evidence, **told)


# Means of the same numbers in another order differ in their last bits.
_ROUNDING = 1e-12


def _spoken_of(expectation: Mapping[str, Any], row: Record) -> bool:
    fields = (("datasets", "dataset"), ("groups", "group"), ("adversaries", "adversary"), ("at", "axis_value"))
    return all(expectation[key] is None or row[field] in expectation[key] for key, field in fields)
