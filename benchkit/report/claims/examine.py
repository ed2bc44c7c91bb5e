"""Every comparison that a claim makes on some records, and what of them it cannot be judged on."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from benchkit.journal import Record
from benchkit.report.claims.check import Check, listed
from benchkit.report.claims.checks import averaged, checks_of
from benchkit.report.claims.curves import Curves, metric_values, rows_of
from benchkit.report.claims.yardstick import Yardstick
from benchkit.report.points import CHARGED, YARDSTICKS, curve_name
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
    checks : list of Check
        One for each point (and pair of algorithms) that it speaks of.
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

    checks: list[Check]
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
    by_chance = chance and claim.learned and YARDSTICKS.keys().isdisjoint(names)
    by_curve: dict[str, list[Check]] = {}
    at_chance: list[str] = []
    learned_nothing: list[Record] = []
    lacking: list[str] = []
    for (dataset, adversary), algorithms in curves.items():
        where = " ".join(name for name in (dataset, adversary) if name != "none")
        judged: Curves = algorithms
        if by_chance:
            nothing_at = _at_chance(yardstick, algorithms, names)
            at_chance += [where if each is None else f"{where} {listed([each])}" for each in nothing_at]
            trivial = [curve for name, curve in algorithms.items() if name in YARDSTICKS]
            learned_nothing += [row for each in nothing_at for curve in trivial for row in curve.get(each, ())]
            judged = {
                name: {axis_value: rows for axis_value, rows in curve.items() if axis_value not in nothing_at}
                for name, curve in algorithms.items()
            }
        by_curve[where] = checks_of(claim, yardstick, judged, where)
        lacking += lacking_data_sets(algorithms, names, yardstick.metric)
    checks = [check for each in by_curve.values() for check in each]
    if isinstance(claim, Comparing) and claim.on_average is not None:
        checks = averaged(claim, yardstick, by_curve)
    compared = compared_in(claim, checks)
    with_value = {name for name, members in _by_algorithm(ended).items() if metric_values(members, yardstick.metric)}
    several = len(claim.algorithms) > 1
    never = (*(never_compared(compared, with_value) if several else ()), *dict.fromkeys(lacking))
    seen: Compared = compared if checks else {(): ended}
    not_at = tuple(not_judged_at(claim, seen, learned_nothing))
    has_values = with_value.issuperset(names)
    return Examined(checks, at_chance, n_trials, n_failed, list(points.values()), has_values, never, not_at)


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
    points = [point for name in YARDSTICKS for point in algorithms.get(name, {}).items()]
    for axis_value, rows in points:
        constant = metric_values(rows, yardstick.metric)
        if not constant or axis_value in axis_values:
            continue
        signal = SIGNAL * (width if math.isfinite(width) else abs(fmean(constant.values())))
        gains = []
        for name in names:
            values = metric_values(algorithms.get(name, {}).get(axis_value, ()), yardstick.metric)
            shared = [sign * (constant[part] - value) for part, value in values.items() if part in constant]
            gains.append(fmean(shared) if shared else math.inf)
        if all(gain < signal - _ROUNDING for gain in gains):
            axis_values.append(axis_value)
    return axis_values


def _spoken_of(claim: Claim, row: Record) -> bool:
    return all(values is None or row.get(field) in values for field, values in claim.speaks_of.items())


Compared = Mapping[tuple[str, ...], Sequence[Record]]


def compared_in(claim: Claim, checks: Iterable[Check]) -> Compared:
    """The records that each comparison of a claim was judged on; none where it was not."""
    compared: dict[tuple[str, ...], list[Record]] = {names: [] for names in claim.comparisons}
    by_names = {frozenset(names): rows for names, rows in compared.items()}
    for each in checks:
        by_names[frozenset(row["algorithm"] for row in each.basis.rows)] += each.basis.rows
    return compared


def lacking_data_sets(algorithms: Curves, names: Iterable[str], metric: str) -> Iterator[str]:
    """Data sets of a group that one of a claim's algorithms has no value on, also where no other has."""
    rows = {name: rows_of(algorithms, name) for name in names}
    known = dict.fromkeys(curve_name(row) for each in rows.values() for row in each)
    for name, each in rows.items():
        parts = {part for _, part in metric_values(each, metric)}
        absent = [part for part in known if part not in parts]
        if parts and absent:
            yield f"of {name} on {listed(absent)}"


def never_compared(compared: Compared, with_value: Collection[str]) -> Iterator[str]:
    """Of what a claim compares, what no check speaks of."""
    apart = [pair for pair, rows in compared.items() if not rows]
    without = dict.fromkeys(name for pair in apart for name in pair if name not in with_value)
    if without:
        yield f"of {', '.join(without)}"
    yield from (f"that {' and '.join(pair)} share" for pair in apart if all(name in with_value for name in pair))


_AT = {"dataset": "on", "group": "on", "adversary": "under", "axis_value": "at"}


def not_judged_at(claim: Claim, compared: Compared, learned_nothing: Sequence[Record]) -> Iterator[str]:
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
