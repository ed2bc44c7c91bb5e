"""What a claim's points come to on some records: a verdict, with its evidence in words."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any, Literal

from benchkit.journal import Record
from benchkit.report.claims.forms import (
    ClaimPoint,
    Curves,
    Estimator,
    Number,
    Panel,
    Yardstick,
    averaged,
    listed,
    points_of,
)
from benchkit.report.points import CHARGED, TRIVIAL_METHODS, curve_name
from benchkit.statistics.estimate import FEWEST, LEVEL, estimate
from benchkit.statistics.many_tests import holm
from benchkit.suite.claims import MEASURES, Claim, Comparing

SIGNAL = 0.02
"""By how much a mean has to be better than that of a method that looks at no feature for a point to say something.

Two in a hundred of all that the metric can be, or, where that has no end, of what that method has.
"""

_ROUNDING = 1e-12  # of .5 - .48


@dataclass(frozen=True)
class Examined:
    """A claim's comparisons on some records, before they are put together to a verdict.

    Attributes
    ----------
    points : list of ClaimPoint
        One for each place (and pair of algorithms) that it speaks of.
    at_chance : list of str
        Points left out because every algorithm of the claim is at chance there.
    n_trials, n_failed : int
        Trials of the claim's algorithms, and how many of them failed.
    axis_values : list
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

    points: list[ClaimPoint]
    at_chance: list[str]
    n_trials: int
    n_failed: int
    axis_values: list[Any]
    has_values: bool = False
    never_compared: tuple[str, ...] = ()
    not_at: tuple[str, ...] = ()


def examine(claim: Claim, yardstick: Yardstick, records: Iterable[Record], chance: bool = False) -> Examined:
    """Every comparison that a claim makes on some records. Parameters as for `benchkit.report.claims.verdict.judge`."""
    curves: dict[tuple[str, str], dict[str, dict[Any, list[Record]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    names = list(dict.fromkeys(claim.algorithms))
    points: dict[str, Any] = {}
    n_trials = n_failed = 0
    ended: list[Record] = []
    for row in records:
        points[str(row["axis_value"])] = row["axis_value"]
        if _spoken_of(claim, row):
            if row["algorithm"] in names:
                n_trials += 1
                n_failed += row["status"] in CHARGED
                if row["status"] == "ok":
                    ended.append(row)
            name = row["group"] or "" if claim.groups is not None else curve_name(row)
            curves[name, row["adversary"]][row["algorithm"]][row["axis_value"]].append(row)
    if yardstick.metric in MEASURES:
        yardstick, chance = replace(yardstick, limits=(0.0, math.inf)), False
    by_chance = chance and claim.learned and TRIVIAL_METHODS.keys().isdisjoint(names)
    by_curve: dict[str, list[ClaimPoint]] = {}
    at_chance: list[str] = []
    learned_nothing: list[Record] = []
    lacking: list[str] = []
    for (dataset, adversary), algorithms in curves.items():
        where = " ".join(name for name in (dataset, adversary) if name != "none")
        judged: Curves = algorithms
        if by_chance:
            nothing_at = _at_chance(yardstick, algorithms, names)
            at_chance += [where if each is None else f"{where} {listed([each])}" for each in nothing_at]
            trivial = [curve for name, curve in algorithms.items() if name in TRIVIAL_METHODS]
            learned_nothing += [row for each in nothing_at for curve in trivial for row in curve.get(each, ())]
            judged = {
                name: {axis_value: rows for axis_value, rows in curve.items() if axis_value not in nothing_at}
                for name, curve in algorithms.items()
            }
        by_curve[where] = points_of(claim, Panel(yardstick, judged, where))
        lacking += _lacking_data_sets(Panel(yardstick, algorithms, where), names)
    found = [point for each in by_curve.values() for point in each]
    if isinstance(claim, Comparing) and claim.on_average is not None:
        found = averaged(claim, yardstick, by_curve)
    compared = _compared_in(claim, found)
    with_value = {name for name, members in _by_algorithm(ended).items() if yardstick.values(members)}
    several = len(claim.algorithms) > 1
    never = (*(_never_compared(compared, with_value) if several else ()), *dict.fromkeys(lacking))
    seen: Compared = compared if found else {(): ended}
    not_at = tuple(_not_judged_at(claim, seen, learned_nothing))
    has_values = with_value.issuperset(names)
    return Examined(found, at_chance, n_trials, n_failed, list(points.values()), has_values, never, not_at)


def _by_algorithm(rows: Iterable[Record]) -> dict[str, list[Record]]:
    by_name: dict[str, list[Record]] = defaultdict(list)
    for row in rows:
        by_name[row["algorithm"]].append(row)
    return by_name


def _at_chance(yardstick: Yardstick, algorithms: Curves, names: Iterable[str]) -> list[Any]:
    """Axis values at which no algorithm is better by `SIGNAL` than what looks at no feature, on shared repetitions."""
    sign = -1.0 if yardstick.greater_is_better else 1.0
    width = yardstick.limits[1] - yardstick.limits[0]
    axis_values = []
    points = [point for name in TRIVIAL_METHODS for point in algorithms.get(name, {}).items()]
    for axis_value, rows in points:
        constant = yardstick.values(rows)
        if not constant or axis_value in axis_values:
            continue
        signal = SIGNAL * (width if math.isfinite(width) else abs(fmean(constant.values())))
        gains = []
        for name in names:
            values = yardstick.values(algorithms.get(name, {}).get(axis_value, ()))
            shared = [sign * (constant[part] - value) for part, value in values.items() if part in constant]
            gains.append(fmean(shared) if shared else math.inf)
        if all(gain < signal - _ROUNDING for gain in gains):
            axis_values.append(axis_value)
    return axis_values


def _spoken_of(claim: Claim, row: Record) -> bool:
    return all(values is None or row.get(field) in values for field, values in claim.speaks_of.items())


Compared = Mapping[tuple[str, ...], Sequence[Record]]


def _compared_in(claim: Claim, points: Iterable[ClaimPoint]) -> Compared:
    """The records that each comparison of a claim was judged on; none where it was not."""
    compared: dict[tuple[str, ...], list[Record]] = {names: [] for names in claim.comparisons}
    by_names = {frozenset(names): rows for names, rows in compared.items()}
    for each in points:
        by_names[frozenset(row["algorithm"] for row in each.evidence.rows)] += each.evidence.rows
    return compared


def _lacking_data_sets(panel: Panel, names: Sequence[str]) -> Iterator[str]:
    """Data sets of a group that one of a claim's algorithms has no value on, also where no other has."""
    known = dict.fromkeys(curve_name(row) for row in panel.rows(*names))
    for name in names:
        parts = {part for _, part in panel.yardstick.values(panel.rows(name))}
        absent = [part for part in known if part not in parts]
        if parts and absent:
            yield f"of {name} on {listed(absent)}"


def _never_compared(compared: Compared, with_value: Collection[str]) -> Iterator[str]:
    """Of what a claim compares, what no check speaks of."""
    apart = [pair for pair, rows in compared.items() if not rows]
    without = dict.fromkeys(name for pair in apart for name in pair if name not in with_value)
    if without:
        yield f"of {', '.join(without)}"
    yield from (f"that {' and '.join(pair)} share" for pair in apart if all(name in with_value for name in pair))


_AT = {"dataset": "on", "group": "on", "adversary": "under", "axis_value": "at"}


def _not_judged_at(claim: Claim, compared: Compared, learned_nothing: Sequence[Record]) -> Iterator[str]:
    """Where a claim speaks of more, by name, than was judged, or left out since nothing is learned there."""
    judged = {names: rows for names, rows in compared.items() if rows}
    for field, named in claim.speaks_of.items():
        absent: dict[tuple[tuple[str, ...], ...], list[Any]] = defaultdict(list)
        for value in named or ():
            lacking = [
                names
                for names, rows in judged.items()
                if all(row.get(field) != value for row in (*rows, *learned_nothing))
            ]
            if lacking:
                absent[tuple(lacking)].append(value)
        for pairs, values in absent.items():
            of = "" if len(pairs) == len(judged) else f"of {', '.join(' and '.join(names) for names in pairs)} "
            yield f"{of}{_AT[field]} {listed(values)}"


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
        """The numbers, and what is said beside them: what would decide, where all are at chance, a likely reason."""
        said = [self.evidence, self.lacking]
        if self.at_chance:
            places = ", ".join(self.at_chance[:5]) + (", ..." if len(self.at_chance) > 5 else "")
            said.append(f"every algorithm is at chance, which proves nothing, at {places}")
        said += [f"Reason: {self.explanation}"] if self.outcome == "contradicted" and not self.control else []
        return ". ".join(text for text in said if text)

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

    What supports a claim of which form is said in `benchkit.report.claims.forms`. One on ``groups`` is judged on the
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
    points, at_chance = examined.points, examined.at_chance
    known = {key: getattr(claim, key) for key in _TOLD}
    known |= {"expected": claim.expected(metric), "at_chance": tuple(at_chance)}
    if not points and at_chance:
        return Verdict(outcome="undecided", evidence="no point is left to judge", **known)
    if not points:
        evidence = "no trial that it speaks of has ended ok"
        if claim.groups is not None and examined.has_values:
            evidence = "no repetition has a value on every data set of the group"
        elif examined.never_compared:
            evidence = f"no trial {'; '.join(examined.never_compared)}"
        if claim.at is not None and not any(value in claim.at for value in examined.axis_values):
            evidence = f"no trial at {listed(claim.at)}: the axis has {listed(examined.axis_values)}"
        return Verdict(outcome="not run", evidence=evidence, **known)
    failed = f"; without {examined.n_failed} of {examined.n_trials} trials, which failed" if examined.n_failed else ""
    verdict = _decide(points, failed + _told_joined(points) + _told_absent(examined), known)
    if examined.never_compared and verdict.outcome == "supported":
        return replace(verdict, outcome="undecided")  # of some of its methods nothing is known
    return verdict


def _told_joined(points: Iterable[ClaimPoint]) -> str:
    """Of another suite's published rows, which stand among those that a claim was judged on, whose they are."""
    repetitions: dict[str, set[int]] = defaultdict(set)
    own: set[int] = set()
    for row in (row for point in points for row in point.evidence.rows):
        suite = row.get("published_with")
        (repetitions[suite] if suite else own).add(row["repetition"])
    total = len(own.union(*repetitions.values()))
    told = (f"{len(held)} of {total} repetitions with rows of {suite}" for suite, held in sorted(repetitions.items()))
    return f"; {', '.join(told)}" if repetitions else ""


def _told_absent(examined: Examined) -> str:
    absent = "; ".join((*examined.never_compared, *examined.not_at))
    return f"; no trial {absent}" if absent else ""


def _decide(points: Sequence[ClaimPoint], failed: str, known: Mapping[str, Any]) -> Verdict:
    """The verdict on a claim from its points."""
    # The interval is two-sided, and a claim is broken on one side of it: the p-value has half of what the level leaves.
    alpha = (1 - LEVEL) / 2
    against = [p <= alpha for p in holm([each.p_against for each in points])]
    supported = [each.supported for each in points]
    outcome: Outcome = "undecided"
    if any(against):
        outcome = "contradicted"
        decisive = min(points, key=lambda each: (each.p_against, each.slack))
    elif all(supported):
        outcome = "supported"
        decisive = min(points, key=lambda each: each.slack)
    else:
        unclear = [each for each, holds in zip(points, supported, strict=True) if not holds]
        decisive = min(unclear, key=lambda each: each.slack)
    return Verdict(
        outcome=outcome,
        evidence=decisive.text + (f" (decisive of {len(points)})" if len(points) > 1 else "") + failed,
        supported=sum(supported),
        contradicted=sum(against),
        undecided=len(points) - sum(supported) - sum(against),
        repetitions=min(each.measured.n for each in points),
        number=decisive.number,
        **known,
    )
