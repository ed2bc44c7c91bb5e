"""What a claim comes to on some records: a verdict, with its evidence in words."""

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean
from typing import Any, Literal

from benchkit.report.claims.forms import ClaimPoint, Estimator, Number, Panel, averaged, expected, listed, points_of
from benchkit.report.points import CHARGED, Point, curve_name, points
from benchkit.statistics.estimate import FEWEST, LEVEL, UNLIMITED, Range, estimate, holm
from benchkit.statistics.sampling import SPLITS, paired
from benchkit.suite.claims import MEASURES, Claim
from benchkit.trial.record import Record, changed

SIGNAL = 0.02
"""By how much a mean has to be better than that of a method that looks at no feature for a point to say something.

Two in a hundred of all that the metric can be, or, where that has no end, of what that method has.
"""

_ROUNDING = 1e-12  # of .5 - .48

Outcome = Literal["supported", "contradicted", "undecided", "not run"]


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
            return f"Unknown; not {tested}." if tested else "Unknown."
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
    if metric in MEASURES:
        limits, trivial = (0.0, math.inf), ()
        records = [changed(row, {"metrics": {metric: row.get(metric), **row["metrics"]}}) for row in records]
    speaks_of = {key: values for key, values in claim.speaks_of.items() if values is not None}
    spoken_of = [row for row in records if all(row.get(key) in values for key, values in speaks_of.items())]
    panel = Panel("", {}, greater_is_better, limits, estimator)
    by_chance = claim.form in ("order", "alike") and not set(trivial) & set(names)
    by_curve: dict[str, list[ClaimPoint]] = {}
    at_chance: list[str] = []
    learned_nothing: list[Record] = []
    lacking: dict[str, None] = {}
    with_value: set[str] = set()
    for where, curves in _curves(claim, points(spoken_of, [metric], SPLITS, {metric: limits}, trivial={})).items():
        here = replace(panel, where=where, curves=curves)
        with_value |= {name for name in names if any(point.parts for point in here.points(name))}
        lacking |= dict.fromkeys(_lacking_data_sets(here, names))
        nothing_at = _at_chance(here, names, trivial) if by_chance else {}
        at_chance += [here.place(value) for value in nothing_at]
        learned_nothing += [row for point in nothing_at.values() for row in point.rows]
        learned = {
            name: {value: point for value, point in curve.items() if value not in nothing_at}
            for name, curve in curves.items()
        }
        by_curve[where] = points_of(claim, replace(here, curves=learned))
    judged = [point for of_curve in by_curve.values() for point in of_curve]
    if claim.on_average is not None:
        judged = averaged(claim, panel, by_curve)
    judged_rows = {
        pair: [row for point in judged if point.names == pair for row in point.rows] for pair in claim.comparisons
    }
    absent = [*(_never_compared(judged_rows, with_value) if len(names) > 1 else ()), *lacking]
    about: dict[str, Any] = {"stated": claim, "expected": expected(claim, metric), "at_chance": tuple(at_chance)}
    if not judged and at_chance:
        return Verdict(outcome="undecided", evidence="no point is left to judge", **about)
    if not judged:
        evidence = "no trial that the claim needs has ended ok"
        axis_values = list({str(row["axis_value"]): row["axis_value"] for row in records}.values())
        if claim.at is not None and axis_values and not any(value in claim.at for value in axis_values):
            evidence = f"no trial at {listed(claim.at)}: the axis has {listed(axis_values)}"
        elif claim.groups is not None and with_value.issuperset(names):
            evidence = "no repetition has a value on every data set of the group"
        elif absent:
            evidence = f"no trial {'; '.join(absent)}"
        return Verdict(outcome="not run", evidence=evidence, **about)
    own = [row for row in spoken_of if row["algorithm"] in names]
    failed = sum(row["status"] in CHARGED for row in own)
    beside = f"; without {failed} of {len(own)} trials, which failed" if failed else ""
    beside += _published(judged)
    nowhere = [*absent, *_not_judged_at(speaks_of, judged_rows, learned_nothing)]
    beside += f"; no trial {'; '.join(nowhere)}" if nowhere else ""
    verdict = _decide(judged, beside, about)
    if absent and verdict.outcome == "supported":
        return replace(verdict, outcome="undecided")  # of some of its methods nothing is known
    return verdict


Curves = dict[str, dict[Any, Point]]
"""Points by algorithm and axis value."""


def _curves(claim: Claim, measured: Iterable[Point]) -> Mapping[str, Curves]:
    """The curves of each data set, or of each group where a claim is on these, under each adversary."""
    curves: dict[str, Curves] = defaultdict(lambda: defaultdict(dict))
    for point in measured:
        if point.of_group != (claim.groups is not None):
            continue
        # How a file is read, with its path, says nothing to a reader.
        name = point.dataset if point.of_group or "path" in point.dataset_params else curve_name(point.rows[0])
        where = " ".join(part for part in (name, point.adversary) if part != "none")
        curves[where][point.algorithm][point.axis_value] = point
    return curves


def _at_chance(panel: Panel, names: Sequence[str], trivial: Iterable[str]) -> dict[Any, Point]:
    """Axis values at which no algorithm is better by `SIGNAL` than what looks at no feature, with the point of that.

    On the repetitions that both have.
    """
    sign, width = -1.0 if panel.greater_is_better else 1.0, panel.limits[1] - panel.limits[0]
    nothing_at = {}
    for value, blind in ((value, point) for name in trivial for value, point in panel.curves.get(name, {}).items()):
        points = [panel.curves[name][value] for name in names if value in panel.curves.get(name, ())]
        shared = [paired(blind.parts, point.parts).values() for point in points]
        unit = width if math.isfinite(width) or not blind.parts else abs(fmean(blind.parts.values()))
        at_most = SIGNAL * unit * (1 - _ROUNDING)
        if len(points) == len(names) and all(gains and sign * fmean(gains) < at_most for gains in shared):
            nothing_at[value] = blind
    return nothing_at


JudgedRows = Mapping[tuple[str, ...], Sequence[Record]]
"""The records that each comparison of a claim was judged on; none where it was not."""


def _lacking_data_sets(panel: Panel, names: Sequence[str]) -> Iterator[str]:
    """Data sets of a group that one of a claim's algorithms has no value on, also where no other has."""
    data_sets = dict.fromkeys(name for point in panel.points(*names) for name in point.drawn)
    for name in names:
        parts = {part for point in panel.points(name) for _, part in point.parts}
        absent = [part for part in data_sets if part not in parts]
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


def _not_judged_at(
    speaks_of: Mapping[str, Sequence[Any]], judged_rows: JudgedRows, learned_nothing: Sequence[Record]
) -> Iterator[str]:
    """Where a claim speaks of more, by name, than was judged, or left out since nothing is learned there."""
    judged = {names: [*rows, *learned_nothing] for names, rows in judged_rows.items() if rows}
    for key, named in speaks_of.items():
        absent: dict[tuple[tuple[str, ...], ...], list[Any]] = defaultdict(list)
        for value in named:
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
    for row in (row for point in points for row in point.rows):
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
        evidence=decisive.text + (f" (the point that decides, of {len(points)})" if len(points) > 1 else "") + beside,
        supported=len(points) - len(unclear),
        contradicted=contradicted,
        undecided=len(unclear) - contradicted,
        repetitions=min(point.measured.n for point in points),
        number=decisive.number,
        judged=points,
        **about,
    )
