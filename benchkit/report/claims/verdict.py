"""What a claim's checks come to: a verdict, with its evidence in words."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from benchkit.journal import Record
from benchkit.report.claims.check import Check, Number, listed
from benchkit.report.claims.examine import Examined, examine
from benchkit.report.claims.yardstick import Estimator, Yardstick
from benchkit.statistics.estimate import FEWEST, LEVEL, estimate
from benchkit.statistics.many_tests import holm
from benchkit.suite.claims import Claim

Outcome = Literal["supported", "contradicted", "undecided", "not run"]

CLAIMS_NOTE = (
    "Claims are judged on these rows, over random splits (or fresh data), by 95 % intervals: supported where the "
    "intervals of all points lie within what is claimed, contradicted where one lies outside (after Holm's correction "
    "over the points), else undecided."
)


def claims_note(until_decided: bool) -> str:
    """What claims are judged by, for people.

    Parameters
    ----------
    until_decided : bool
        Whether repetitions were run until the claims were decided.
    """
    looks = " Repetitions were run until the claims were decided, and the intervals hold at every look."
    return CLAIMS_NOTE + (looks if until_decided else "")


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds on these rows, and the numbers that decide it.

    Attributes
    ----------
    claim, source : str
    outcome : {"supported", "contradicted", "undecided", "not run"}
        By 95 % intervals: supported where every point's lies within what is claimed (intersection-union, so without a
        correction), contradicted where one lies outside after Holm's correction over the points, else undecided.
    expected : str
        What the claim comes to: ``lp in [0.19, 0.27]``.
    evidence : str
        The numbers of the point that decides, or that is furthest from deciding for the claim.
    supported, contradicted, undecided : int
        Points by their own outcome.
    repetitions : int
        That the claim rests on: the fewest of any point.
    at_chance : tuple of str
        Points left out because every algorithm of the claim is at chance there.
    paper : str
        What the paper reports.
    reason : str
        Why the claim may not hold here.
    tested_by : str
        The experiment that the reason comes from; empty for a conjecture.
    control : bool
        Whether it is ours, not a paper's.
    needs : str
        What it takes to judge it where nothing ran.
    number : Number or None
        Of a claim that is a printed number with its error: that, and ours.
    printed : bool
        Whether it is such a claim, judged or not.
    """

    claim: str
    source: str
    outcome: Outcome
    expected: str
    evidence: str
    supported: int = 0
    contradicted: int = 0
    undecided: int = 0
    repetitions: int = 0
    at_chance: tuple[str, ...] = ()
    paper: str = ""
    reason: str = ""
    tested_by: str = ""
    control: bool = False
    needs: str = ""
    number: Number | None = None
    printed: bool = False

    @property
    def points(self) -> int:
        """How many points were judged."""
        return self.supported + self.contradicted + self.undecided

    @property
    def summary(self) -> str:
        """What was expected and measured, and what an undecided claim lacks, in one line."""
        parts = [f"expected {self.expected}", self.evidence]
        if self.points > 1:
            shown = [(self.supported, "supported"), (self.contradicted, "contradicted"), (self.undecided, "undecided")]
            parts.append(f"of {self.points} points " + ", ".join(f"{n} {name}" for n, name in shown if n))
        if self.outcome in ("undecided", "not run"):
            parts.append(self.lacking)
        if self.at_chance:
            shown_points = ", ".join(self.at_chance[:5]) + (", ..." if len(self.at_chance) > 5 else "")
            parts.append(f"every algorithm is at chance, which proves nothing, at {shown_points}")
        return "; ".join(part for part in parts if part)

    @property
    def explanation(self) -> str:
        """Why the claim may not hold, and how far that is known."""
        if not self.reason:
            return "Unknown."
        return f"Tested by {self.tested_by}: {self.reason}." if self.tested_by else f"Conjecture: {self.reason}."

    @property
    def lacking(self) -> str:
        """What an undecided claim needs, or one that was not run."""
        if self.outcome == "not run" and self.needs:
            return f"needs {self.needs}"
        if self.outcome != "undecided" or not 0 < self.repetitions < FEWEST:
            return ""
        times = "1 repetition decides" if self.repetitions == 1 else f"{self.repetitions} repetitions decide"
        return f"{times} nothing: run {FEWEST} at least"


# What a verdict repeats of its claim.
_TOLD = ("claim", "source", "paper", "reason", "tested_by", "control", "needs", "printed")


def judge(
    claim: Claim,
    records: Iterable[Record],
    metric: str,
    greater_is_better: bool,
    limits: tuple[float, float] = (-math.inf, math.inf),
    chance: bool = False,
    estimator: Estimator = estimate,
) -> Verdict:
    """Judge a claim at every point that it speaks of, on these rows.

    What supports a claim of which form is said in `benchkit.report.claims.checks`. One on ``groups`` is judged on the
    mean over the datasets of each.

    Parameters
    ----------
    claim : Claim
    records : iterable of record
    metric : str
    greater_is_better : bool
    limits : tuple of float, optional
        Values that the metric can have, where intervals end.
    chance : bool, default=False
        Whether a metric no better than that of a method that looks at no feature shows that nothing was learned.
        Orders and likeness are then not judged where all their algorithms are no better.
    estimator : callable, default=estimate
        What makes a mean of a sample; `benchkit.statistics.time_uniform.sequential_estimate` where repetitions
        were run until the claim was decided.
    """
    yardstick = Yardstick(metric, greater_is_better, limits, estimator)
    return verdict_of(claim, metric, examine(claim, yardstick, records, chance))


def verdict_of(claim: Claim, metric: str, examined: Examined) -> Verdict:
    """The verdict on a claim about a metric from what was measured."""
    checks, at_chance = examined.checks, examined.at_chance
    known = {key: getattr(claim, key) for key in _TOLD}
    known |= {"expected": claim.expected(metric), "at_chance": tuple(at_chance)}
    if not checks and at_chance:
        return Verdict(outcome="undecided", evidence="no point is left to judge", **known)
    if not checks:
        evidence = "no trial that it speaks of has ended ok"
        if claim.groups is not None and examined.has_values:
            evidence = "no repetition has a value on every data set of the group"
        elif examined.never_compared:
            evidence = f"no trial {'; '.join(examined.never_compared)}"
        if claim.at is not None and not any(value in claim.at for value in examined.axis_values):
            evidence = f"no trial at {listed(claim.at)}: the axis has {listed(examined.axis_values)}"
        return Verdict(outcome="not run", evidence=evidence, **known)
    failed = f"; without {examined.n_failed} of {examined.n_trials} trials, which failed" if examined.n_failed else ""
    verdict = _decide(checks, failed + _told_joined(checks) + _told_absent(examined), known)
    if examined.never_compared and verdict.outcome == "supported":
        return replace(verdict, outcome="undecided")  # of some of its methods nothing is known
    return verdict


def _told_joined(checks: Iterable[Check]) -> str:
    """Of another suite's published rows, which stand among those that a claim was judged on, whose they are."""
    repetitions: dict[str, set[int]] = defaultdict(set)
    own: set[int] = set()
    for row in (row for check in checks for row in check.basis.rows):
        suite = row.get("published_with")
        (repetitions[suite] if suite else own).add(row["repetition"])
    total = len(own.union(*repetitions.values()))
    told = (f"{len(held)} of {total} repetitions with rows of {suite}" for suite, held in sorted(repetitions.items()))
    return f"; {', '.join(told)}" if repetitions else ""


def _told_absent(examined: Examined) -> str:
    absent = "; ".join((*examined.never_compared, *examined.not_at))
    return f"; no trial {absent}" if absent else ""


def _decide(checks: Sequence[Check], failed: str, known: Mapping[str, Any]) -> Verdict:
    """The verdict on a claim from its points."""
    # The interval is two-sided, and a claim is broken on one side of it: the p-value has half of what the level leaves.
    alpha = (1 - LEVEL) / 2
    against = [p <= alpha for p in holm([each.p_against for each in checks])]
    supported = [each.supported for each in checks]
    outcome: Outcome = "undecided"
    if any(against):
        outcome = "contradicted"
        decisive = min(checks, key=lambda each: (each.p_against, each.slack))
    elif all(supported):
        outcome = "supported"
        decisive = min(checks, key=lambda each: each.slack)
    else:
        unclear = [each for each, holds in zip(checks, supported, strict=True) if not holds]
        decisive = min(unclear, key=lambda each: each.slack)
    return Verdict(
        outcome=outcome,
        evidence=decisive.evidence + (f" (decisive of {len(checks)})" if len(checks) > 1 else "") + failed,
        supported=sum(supported),
        contradicted=sum(against),
        undecided=len(checks) - sum(supported) - sum(against),
        repetitions=min(each.measured.n for each in checks),
        number=decisive.number,
        **known,
    )


"""What each comparison of a claim, of one algorithm or of two, was judged on."""
