"""What a claim comes to on some records: a verdict, with its evidence in words."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Literal

from benchkit.report.claims.forms import ClaimPoint, Estimator, Number, Panel, averaged, listed, points_of
from benchkit.report.points import CHARGED, curve_name
from benchkit.statistics.estimate import FEWEST, LEVEL, UNLIMITED, Range, estimate
from benchkit.statistics.many_tests import holm
from benchkit.suite.claims import MEASURES, Claim
from benchkit.trial.record import Record

SIGNAL = 0.02
"""By how much a mean has to be better than that of a method that looks at no feature for a point to say something.

Two in a hundred of all that the metric can be, or, where that has no end, of what that method has.
"""

_ROUNDING = 1e-12  # of .5 - .48

Outcome = Literal["supported", "contradicted", "undecided", "not run"]

CLAIMS_NOTE = (
    "Claims are judged on these rows, over random splits (or fresh data), by 95 % intervals: supported where the "
    "intervals of all points lie within what is claimed, contradicted where one lies outside (after Holm's correction "
    "over the points), else undecided."
)


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds on these rows, and the numbers that decide it.

    Attributes
    ----------
    stated : Claim
        What the suite claims: source, what the paper reports, and why it may not hold here.
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
    number : Number or None
        Of a claim that is a printed number with its error: that, and ours.
    judged : sequence of ClaimPoint
        The points.
    """

    stated: Claim
    outcome: Outcome
    expected: str
    evidence: str
    supported: int = 0
    contradicted: int = 0
    undecided: int = 0
    repetitions: int = 0
    at_chance: tuple[str, ...] = ()
    number: Number | None = None
    judged: Sequence[ClaimPoint] = field(default=(), repr=False, compare=False)

    @property
    def claim(self) -> str:
        """The claim in the suite's words."""
        return self.stated.claim

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
            said.append(f"every algorithm is at chance, where nothing can be concluded, at {places}")
        said += [f"Reason: {self.explanation}"] if self.outcome == "contradicted" and not self.stated.control else []
        return ". ".join(text for text in said if text)

    @property
    def explanation(self) -> str:
        """Why the claim may not hold, and how far that is known."""
        tested, reason = self.stated.tested_by, self.stated.reason
        if not reason:
            return "Unknown."
        return f"Tested by {tested}: {reason}." if tested else f"Conjecture: {reason}."

    @property
    def lacking(self) -> str:
        """What an undecided claim needs, or one that was not run."""
        if self.outcome == "not run" and self.stated.needs:
            return f"needs {self.stated.needs}"
        if self.outcome != "undecided" or not 0 < self.repetitions < FEWEST:
            return ""
        times = "1 repetition decides" if self.repetitions == 1 else f"{self.repetitions} repetitions decide"
        return f"{times} nothing: run {FEWEST} at least"


def judge(
    claim: Claim,
    records: Iterable[Record],
    metric: str,
    greater_is_better: bool,
    limits: Range = UNLIMITED,
    trivial: Collection[str] = (),
    estimator: Estimator = estimate,
) -> Verdict:
    """Judge a claim at every point that it speaks of, on these rows; of groups on the mean over their data sets.

    Of the ``trivial`` methods, which look at no feature, a metric no better than theirs shows that nothing was learned:
    orders and likeness are not judged where all their algorithms are no better. The estimator is
    `benchkit.statistics.time_uniform.sequential_estimate` where repetitions were run until the claim was decided.
    """
    records, names = list(records), list(dict.fromkeys(claim.algorithms))
    spoken_of = [
        row
        for row in records
        if all(values is None or row.get(key) in values for key, values in claim.speaks_of.items())
    ]
    own = [row for row in spoken_of if row["algorithm"] in names]
    if metric in MEASURES:
        limits, trivial = (0.0, math.inf), ()
    measured_by = Panel(metric, greater_is_better, limits, estimator)
    by_chance = claim.form in ("order", "alike") and not set(trivial) & set(names)
    by_curve: dict[str, list[ClaimPoint]] = {}
    at_chance: list[str] = []
    learned_nothing: list[Record] = []
    lacking: dict[str, None] = {}
    for panel in _panels(claim, measured_by, spoken_of):
        lacking |= dict.fromkeys(_lacking_data_sets(panel, names))
        nothing_at = _at_chance(panel, names, trivial) if by_chance else {}
        at_chance += [panel.place(value) for value in nothing_at]
        learned_nothing += [row for rows in nothing_at.values() for row in rows]
        curves = {
            name: {value: rows for value, rows in curve.items() if value not in nothing_at}
            for name, curve in panel.curves.items()
        }
        by_curve[panel.where] = points_of(claim, replace(panel, curves=curves))
    points = [point for points in by_curve.values() for point in points]
    if claim.on_average is not None:
        points = averaged(claim, measured_by, by_curve)
    with_value = {name for name in names if measured_by.values(row for row in own if row["algorithm"] == name)}
    judged_rows = {
        pair: [row for point in points if point.names == pair for row in point.evidence.rows]
        for pair in claim.comparisons
    }
    absent = [*(_never_compared(judged_rows, with_value) if len(names) > 1 else ()), *lacking]
    about: dict[str, Any] = {"stated": claim, "expected": claim.expected(metric), "at_chance": tuple(at_chance)}
    if not points and at_chance:
        return Verdict(outcome="undecided", evidence="no point is left to judge", **about)
    if not points:
        evidence = "no trial that the claim needs has ended ok"
        axis_values = list({str(row["axis_value"]): row["axis_value"] for row in records}.values())
        if claim.at is not None and not any(value in claim.at for value in axis_values):
            evidence = f"no trial at {listed(claim.at)}: the axis has {listed(axis_values)}"
        elif claim.groups is not None and with_value.issuperset(names):
            evidence = "no repetition has a value on every data set of the group"
        elif absent:
            evidence = f"no trial {'; '.join(absent)}"
        return Verdict(outcome="not run", evidence=evidence, **about)
    failed = sum(row["status"] in CHARGED for row in own)
    beside = f"; without {failed} of {len(own)} trials, which failed" if failed else ""
    beside += _published(points)
    nowhere = [*absent, *_not_judged_at(claim, judged_rows, learned_nothing)]
    beside += f"; no trial {'; '.join(nowhere)}" if nowhere else ""
    verdict = _decide(points, beside, about)
    if absent and verdict.outcome == "supported":
        return replace(verdict, outcome="undecided")  # of some of its methods nothing is known
    return verdict


def _panels(claim: Claim, measured_by: Panel, rows: Iterable[Record]) -> Iterator[Panel]:
    """The curves of each data set (or group) under each adversary."""
    curves: dict[tuple[str, str], dict[str, dict[Any, list[Record]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for row in rows:
        name = row["group"] or "" if claim.groups is not None else curve_name(row)
        curves[name, row["adversary"]][row["algorithm"]][row["axis_value"]].append(row)
    for key, algorithms in curves.items():
        yield replace(measured_by, curves=algorithms, where=" ".join(name for name in key if name != "none"))


def _at_chance(panel: Panel, names: Iterable[str], trivial: Iterable[str]) -> dict[Any, list[Record]]:
    """Axis values at which no algorithm is better by `SIGNAL` than what looks at no feature, with the records of that.

    On the repetitions that both have.
    """
    blind = [panel.curves[name] for name in trivial if name in panel.curves]
    sign = -1.0 if panel.greater_is_better else 1.0
    width = panel.limits[1] - panel.limits[0]

    def learned_nothing(axis_value: Any, rows: Sequence[Record]) -> bool:
        constant = panel.values(rows)
        gains = []
        for name in names:
            values = panel.values(panel.curves.get(name, {}).get(axis_value, ()))
            shared = [sign * (constant[part] - value) for part, value in values.items() if part in constant]
            gains.append(fmean(shared) if shared else math.inf)
        unit = width if math.isfinite(width) or not constant else abs(fmean(constant.values()))
        return all(gain < SIGNAL * unit - _ROUNDING for gain in gains)

    places = dict.fromkeys(value for curve in blind for value, rows in curve.items() if learned_nothing(value, rows))
    return {value: [row for curve in blind for row in curve.get(value, ())] for value in places}


JudgedRows = Mapping[tuple[str, ...], Sequence[Record]]
"""The records that each comparison of a claim was judged on; none where it was not."""


def _lacking_data_sets(panel: Panel, names: Sequence[str]) -> Iterator[str]:
    """Data sets of a group that one of a claim's algorithms has no value on, also where no other has."""
    all_parts = dict.fromkeys(curve_name(row) for row in panel.rows(*names))
    for name in names:
        parts = {part for _, part in panel.values(panel.rows(name))}
        absent = [part for part in all_parts if part not in parts]
        if parts and absent:
            yield f"of {name} on {listed(absent)}"


def _never_compared(judged_rows: JudgedRows, with_value: Collection[str]) -> Iterator[str]:
    """Of what a claim compares, what no point speaks of."""
    apart = [pair for pair, rows in judged_rows.items() if not rows]
    without = dict.fromkeys(name for pair in apart for name in pair if name not in with_value)
    if without:
        yield f"of {', '.join(without)}"
    yield from (f"that {' and '.join(pair)} share" for pair in apart if without.keys().isdisjoint(pair))


_AT = {"dataset": "on", "group": "on", "adversary": "under", "axis_value": "at"}


def _not_judged_at(claim: Claim, judged_rows: JudgedRows, learned_nothing: Sequence[Record]) -> Iterator[str]:
    """Where a claim speaks of more, by name, than was judged, or left out since nothing is learned there."""
    judged = {names: [*rows, *learned_nothing] for names, rows in judged_rows.items() if rows}
    for key, named in claim.speaks_of.items():
        absent: dict[tuple[tuple[str, ...], ...], list[Any]] = defaultdict(list)
        for value in named or ():
            absent[tuple(pair for pair, rows in judged.items() if all(row.get(key) != value for row in rows))] += [
                value
            ]
        for pairs, values in absent.items():
            of = "" if len(pairs) == len(judged) else f"of {', '.join(' and '.join(names) for names in pairs)} "
            if pairs:
                yield f"{of}{_AT[key]} {listed(values)}"


def _published(points: Iterable[ClaimPoint]) -> str:
    """Of another suite's published rows, which stand among those that a claim was judged on, whose they are."""
    repetitions: dict[str, set[int]] = defaultdict(set)
    for row in (row for point in points for row in point.evidence.rows):
        repetitions[row.get("published_with") or ""].add(row["repetition"])
    total = len(set().union(*repetitions.values()))
    suites = sorted(repetitions.keys() - {""})
    return "".join(
        f"{',' if place else ';'} {len(repetitions[suite])} of {total} repetitions with rows of {suite}"
        for place, suite in enumerate(suites)
    )


def _decide(points: Sequence[ClaimPoint], beside: str, about: Mapping[str, Any]) -> Verdict:
    """The verdict on a claim from its points."""
    # The interval is two-sided, and a claim is broken on one side of it: the p-value has half of what the level leaves.
    alpha = (1 - LEVEL) / 2
    contradicted = sum(p <= alpha for p in holm([point.p_against for point in points]))
    unclear = [point for point in points if not point.supported]
    outcome: Outcome = "contradicted" if contradicted else "undecided" if unclear else "supported"
    decisive = min(unclear or points, key=lambda point: point.slack)
    if contradicted:
        decisive = min(points, key=lambda point: (point.p_against, point.slack))
    return Verdict(
        outcome=outcome,
        evidence=decisive.text + (f" (decisive of {len(points)})" if len(points) > 1 else "") + beside,
        supported=len(points) - len(unclear),
        contradicted=contradicted,
        undecided=len(unclear) - contradicted,
        repetitions=min(point.measured.n for point in points),
        number=decisive.number,
        judged=points,
        **about,
    )
