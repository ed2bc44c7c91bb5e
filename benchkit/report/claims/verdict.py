"""Judging a suite's expectations against its records: the paper's claim beside what was measured."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal

from benchkit.report.claims.absent import (
    Compared,
    compared_by,
    lacking_data_sets,
    listed,
    never_compared,
    not_judged_at,
)
from benchkit.report.claims.forms import Check, Curves, Estimator, Question, check, expected, metric_values
from benchkit.report.statistics.estimate import FEWEST, LEVEL, estimate
from benchkit.report.statistics.failures import CHARGED
from benchkit.report.statistics.holm import holm
from benchkit.report.statistics.points import Record, curve_name
from benchkit.suite.expectation import MEASURES

Outcome = Literal["supported", "contradicted", "undecided", "not run"]

CLAIMS_NOTE = (
    "Claims are judged on these rows, over random splits (or fresh data), by 95 % intervals: supported where the "
    "intervals of all points lie within what is claimed, contradicted where one lies outside (after Holm's correction "
    "over the points), else undecided."
)

CHANCE = "constant"
"""Label of the algorithm that looks at no feature: who is no better learned nothing."""


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
    needed : float or None
        About how many repetitions would decide, means and spreads staying what they are; infinite where no number that
        anybody will run. None where it is decided or was not run.
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
    needed: float | None = None
    at_chance: tuple[str, ...] = ()
    paper: str = ""
    reason: str = ""
    tested_by: str = ""
    control: bool = False
    needs: str = ""

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
        if self.needed is None:
            return ""
        if self.repetitions < FEWEST:
            times = "1 repetition decides" if self.repetitions == 1 else f"{self.repetitions} repetitions decide"
            return f"{times} nothing: run {FEWEST} at least"
        if math.isinf(self.needed):
            return f"as far as {self.repetitions} repetitions tell, too close to the limit for any number to decide"
        more = max(1, math.ceil(self.needed - self.repetitions))
        return f"about {more} more repetitions would decide it"


@dataclass(frozen=True)
class Examined:
    """A claim's comparisons on some records, before they are put together to a verdict.

    Attributes
    ----------
    checks : list of Check
        One for each point (and pair of algorithms) that it speaks of.
    at_chance : list of str
        Points left out because every algorithm of the claim is at chance there.
    n_trials, n_failed : int
        Trials of the claim's algorithms, and how many of them failed.
    places : list
        Axis values that the records have.
    has_values : bool
        Whether a trial of each of the claim's algorithms has one.
    never_compared : tuple of str
        Of the algorithms that the claim compares, those without a value, ``of lp``, or on a data set of the group,
        ``of lp on usps``, and those that share none, ``that lp and svm share``.
    not_at : tuple of str
        Data sets, adversaries and axis values that the claim names and where it was not judged: ``on usps``, ``of lp
        and svm at 5, 10``.
    """

    checks: list[Check]
    at_chance: list[str]
    n_trials: int
    n_failed: int
    places: list[Any]
    has_values: bool = False
    never_compared: tuple[str, ...] = ()
    not_at: tuple[str, ...] = ()


def judge(
    expectation: Mapping[str, Any],
    records: Iterable[Record],
    metric: str,
    greater_is_better: bool,
    limits: tuple[float, float] = (-math.inf, math.inf),
    chance: bool = False,
    estimator: Estimator = estimate,
) -> Verdict:
    """Judge one expectation at every point that it speaks of, on these rows.

    An order is supported where each algorithm is better than the next one by more than ``by``, less ``tolerance``, on
    shared repetitions; an interval, where the mean lies within it, widened by ``tolerance``; a value, where the mean is
    within ``tolerance`` of it; ``monotone``, where no step along the axis goes the other way by more than
    ``tolerance``, on shared repetitions. A claim on ``groups`` is judged on the mean over the datasets of each. For
    other forms see `benchkit.report.claims.forms`.

    Parameters
    ----------
    expectation : mapping
    records : iterable of record
    metric : str
    greater_is_better : bool
    limits : tuple of float, optional
        Values that the metric can have, where intervals end.
    chance : bool, default=False
        Whether a metric no better than that of `CHANCE` shows that nothing was learned. Orders and likeness are then
        not judged where all their algorithms are no better.
    estimator : callable, default=estimate
        What makes a mean of a sample; `benchkit.report.statistics.time_uniform.sequential_estimate` where repetitions
        were run until the claim was decided.
    """
    question = Question(expectation, metric, greater_is_better, limits, estimator)
    return verdict_of(question, examine(question, records, chance))


def examine(question: Question, records: Iterable[Record], chance: bool = False) -> Examined:
    """Every comparison that a claim makes on some records. Parameters as for `judge`."""
    expectation = question.expectation
    curves: dict[tuple[str, str], dict[str, dict[Any, list[Record]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    several = [*(expectation["order"] or ()), *(expectation["alike"] or ())]
    only = expectation["algorithm"]
    named = {*several, only}
    points: dict[str, Any] = {}
    n_trials = n_failed = 0
    ended: list[Record] = []
    for row in records:
        points[str(row["axis_value"])] = row["axis_value"]
        if _spoken_of(expectation, row):
            if row["algorithm"] in named:
                n_trials += 1
                n_failed += row["status"] in CHARGED
                if row["status"] == "ok":
                    ended.append(row)
            name = row["group"] if expectation["groups"] is not None else curve_name(row)
            curves[name, row["adversary"]][row["algorithm"]][row["axis_value"]].append(row)
    if question.metric in MEASURES:
        question, chance = replace(question, limits=(0.0, math.inf)), False
    by_chance = chance and bool(several) and expectation["breakdown"] is None and CHANCE not in several
    checks: list[Check] = []
    at_chance: list[str] = []
    learned_nothing: list[Record] = []
    lacking: list[str] = []
    for (dataset, adversary), algorithms in curves.items():
        where = " ".join(name for name in (dataset, adversary) if name != "none")
        judged: Curves = algorithms
        if by_chance:
            places = _chance_places(question, algorithms, several)
            at_chance += [where if place is None else f"{where} {listed([place])}" for place in places]
            learned_nothing += [row for place in places for row in algorithms[CHANCE][place]]
            judged = {
                name: {place: rows for place, rows in curve.items() if place not in places}
                for name, curve in algorithms.items()
            }
        checks += check(question, judged, where)
        lacking += lacking_data_sets(
            algorithms, [name for name in dict.fromkeys((*several, only)) if name], question.metric
        )
    compared = compared_by(expectation, checks)
    with_value = {name for name, members in _by_algorithm(ended).items() if metric_values(members, question.metric)}
    never = (*(never_compared(compared, with_value) if several else ()), *dict.fromkeys(lacking))
    seen: Compared = compared if checks else {(): ended}
    not_at = tuple(not_judged_at(expectation, seen, learned_nothing))
    has_values = bool(with_value) and with_value >= named - {None}
    return Examined(checks, at_chance, n_trials, n_failed, list(points.values()), has_values, never, not_at)


def _by_algorithm(rows: Iterable[Record]) -> dict[str, list[Record]]:
    by_name: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        by_name[row["algorithm"]].append(row)
    return by_name


def verdict_of(question: Question, examined: Examined) -> Verdict:
    """The verdict on a claim from what was measured."""
    expectation, checks, at_chance = question.expectation, examined.checks, examined.at_chance
    known = {key: expectation[key] for key in ("claim", "source", "paper", "reason")}
    known |= {"tested_by": expectation.get("tested_by", ""), "control": expectation.get("control", False)}
    known |= {"needs": expectation.get("needs", "")}
    known |= {"expected": expected(expectation, question.metric), "at_chance": tuple(at_chance)}
    if not checks and at_chance:
        return Verdict(outcome="undecided", evidence="no point is left to judge", **known)
    if not checks:
        evidence = "no trial that it speaks of has ended ok"
        if expectation["groups"] is not None and examined.has_values:
            evidence = "no repetition has a value on every data set of the group"
        elif examined.never_compared:
            evidence = f"no trial {'; '.join(examined.never_compared)}"
        if expectation["at"] is not None and not any(value in expectation["at"] for value in examined.places):
            evidence = f"no trial at {listed(expectation['at'])}: the axis has {listed(examined.places)}"
        return Verdict(outcome="not run", evidence=evidence, **known)
    failed = f"; without {examined.n_failed} of {examined.n_trials} trials, which failed" if examined.n_failed else ""
    verdict = _decide(checks, failed + _told_absent(examined), known)
    if examined.never_compared and verdict.outcome == "supported":
        return replace(verdict, outcome="undecided")  # of some of its methods nothing is known
    return verdict


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
    needed: float | None = None
    if any(against):
        outcome = "contradicted"
        decisive = min(checks, key=lambda each: (each.p_against, each.slack))
    elif all(supported):
        outcome = "supported"
        decisive = min(checks, key=lambda each: each.slack)
    else:
        unclear = [each for each, holds in zip(checks, supported, strict=True) if not holds]
        broken = [each for each in unclear if each.slack < 0]
        # One point that turns out wrong contradicts; all must turn out right to support.
        counts = [each.needed(len(checks)) for each in broken or unclear]
        needed = min(counts) if broken else max(counts)
        decisive = min(unclear, key=lambda each: each.slack)
    return Verdict(
        outcome=outcome,
        evidence=decisive.evidence + (f" (decisive of {len(checks)})" if len(checks) > 1 else "") + failed,
        supported=sum(supported),
        contradicted=sum(against),
        undecided=len(checks) - sum(supported) - sum(against),
        repetitions=min(each.measured.n for each in checks),
        needed=needed,
        **known,
    )


def _chance_places(question: Question, algorithms: Curves, names: Iterable[str]) -> list[Any]:
    """Places at which none of the algorithms has a better mean than `CHANCE`, on the repetitions that they share."""
    sign = -1.0 if question.greater_is_better else 1.0
    places = []
    for place, rows in algorithms.get(CHANCE, {}).items():
        constant = metric_values(rows, question.metric)
        gains = []
        for name in names:
            values = metric_values(algorithms.get(name, {}).get(place, ()), question.metric)
            shared = [sign * (constant[part] - value) for part, value in values.items() if part in constant]
            gains.append(fmean(shared) if shared else math.inf)
        if all(gain <= 0 for gain in gains):
            places.append(place)
    return places


def _spoken_of(expectation: Mapping[str, Any], row: Record) -> bool:
    fields = {"datasets": "dataset", "groups": "group", "adversaries": "adversary", "at": "axis_value"}
    for key, field in fields.items():
        if expectation[key] is not None and row.get(field) not in expectation[key]:
            return False
    return True
