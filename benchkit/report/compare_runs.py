"""Runs side by side: metrics with paired tests where trials coincide, times where the machine was the same."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from benchkit.document import Block, Document, Heading, Table, Text
from benchkit.document.text import number, p_value
from benchkit.errors import RequestError
from benchkit.journal import changed
from benchkit.journal.place import Place
from benchkit.plugin.declarations import ReportTable
from benchkit.report.comparisons import ALPHA, effect_size, tested_differences
from benchkit.report.grid import shown_params_among
from benchkit.report.points import Point, points
from benchkit.report.results import Results
from benchkit.statistics.many_tests import holm
from benchkit.statistics.sampling import SPLITS
from benchkit.suite.names import dataset_name

_LONGEST = 160  # characters of a value
_BEFORE = 40  # of them what comes before the first difference
TIMES = ("fit_seconds", "tune_seconds", "cpu_seconds")
# What two runs must share for their seconds to be comparable; versions may differ, they are what one compares.
_MACHINE = ("host", "cpu", "processors", "memory_mb", "platform")
# What decides which rows a repetition trains and tests on.
_DESIGN = ("seed", "split", "preprocess", "feature_values")


class IncomparableError(RequestError):
    """The runs cannot be compared as asked; the message is one line for the user."""


@dataclass(frozen=True)
class Side:
    """One cell in two runs.

    Attributes
    ----------
    dataset, adversary, algorithm, metric : str
    axis_value : object
    before, after : float
        Means in the first run and in the other.
    difference : float
        Mean of after minus before: over shared repetitions where they are paired.
    low, high, wilcoxon, holm, dz : float or None
        Interval, p-values and effect size; None where trials do not coincide. Holm's correction is over the cells of
        one algorithm and metric: did this algorithm change?
    n : int
        Shared repetitions; 0 where trials do not coincide.
    """

    dataset: str
    adversary: str
    axis: str
    axis_value: Any
    algorithm: str
    metric: str
    before: float
    after: float
    difference: float
    n: int = 0
    low: float | None = None
    high: float | None = None
    wilcoxon: float | None = None
    holm: float | None = None
    dz: float | None = None

    @property
    def significant(self) -> bool:
        """Whether the difference stands after Holm's correction."""
        return self.holm is not None and self.holm < ALPHA


@dataclass(frozen=True)
class RunComparison:
    """A later run against the first.

    Attributes
    ----------
    sides : list of Side
    only_before, only_after : int
        Cells that one run has and the other lacks.
    unpaired : str
        Why trials do not coincide; empty where they do.
    other_code : tuple of str, default=()
        Metrics that other code, or other versions of what it imports, computed in the one run than in the other.
    """

    before: Results
    after: Results
    sides: Sequence[Side]
    only_before: int
    only_after: int
    unpaired: str
    other_code: tuple[str, ...] = ()

    @property
    def notes(self) -> list[str]:
        """What a reader of the numbers has to know, in sentences."""
        notes = [f"no paired tests: {self.unpaired}"] if self.unpaired else []
        if self.other_code:
            names = ", ".join(self.other_code)
            notes.append(f"{names}: the two runs computed it by other code, which may be what differs")
        return notes

    @property
    def worse(self) -> list[Side]:
        """Cells that are significantly worse than they were; more of a time is worse."""
        rising = self.after.greater_is_better
        certain = [side for side in self.sides if side.significant]
        return [side for side in certain if (side.difference < 0) == rising.get(side.metric, False)]


def comparable_metrics(runs: Sequence[Results], wanted: Sequence[str] | None, across_machines: bool) -> list[str]:
    """Metrics, and times where the machine was the same or the reader says so.

    Raises
    ------
    IncomparableError
        A metric that no run has, or times of different machines, were asked for.
    """
    shared = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    differing = machine_differences([run.manifest for run in runs])
    times = [] if differing and not across_machines else list(TIMES)
    if wanted is None:
        return shared + times
    for name in wanted:
        if name in TIMES and name not in times:
            what = ", ".join(differing)
            raise IncomparableError(
                f"{name} of different machines cannot be compared ({what} differ); --across-machines does it anyway"
            )
        if name not in shared and name not in TIMES:
            raise IncomparableError(f"metric {name!r} is not in all runs; they share {', '.join([*shared, *times])}")
    return list(wanted)


def compare_runs(runs: Sequence[Results], metrics: Sequence[str]) -> list[RunComparison]:
    """Every later run against the first.

    Parameters
    ----------
    runs : sequence of Results
        At least two.
    metrics : sequence of str
        From `comparable_metrics`.
    """
    first, *others = runs
    before = _cells(first, metrics)
    comparisons = []
    for other in others:
        after = _cells(other, metrics)
        shared = [key for key in before if key in after]
        reason = _why_unpaired(first.manifest, other.manifest)
        pairs = [(before[key], after[key]) for key in shared]
        name_of = _names_for_readers([*before.values(), *after.values()], {*first.labels} & {*other.labels})
        sides = [_unpaired(a, b, name_of) for a, b in pairs if a.mean is not None and b.mean is not None]
        if not reason:
            sides = _paired([(a, b) for a, b in pairs if a.parts.keys() & b.parts.keys()], name_of)
        comparisons.append(
            RunComparison(
                *(first, other, sides, len(before) - len(shared), len(after) - len(shared), reason),
                tuple(name for name in metrics if _codes(first, name) != _codes(other, name)),
            )
        )
    return comparisons


def _codes(results: Results, metric: str) -> set[str]:
    """By which code a metric's values were computed, as the records say; times are no code's."""
    return {row["metric_code"][metric] for row in results.rows if metric in (row.get("metric_code") or {})}


def same_suites(runs: Sequence[Results]) -> list[list[Results]]:
    """The runs to compare with each other: where collections are among them, suite by suite.

    Raises
    ------
    IncomparableError
        The collections have no suite in common.
    """
    if not any(run.members for run in runs):
        return [list(runs)]
    by_name = [{each.suite: each for each in run.suites} for run in runs]
    shared = [name for name in by_name[0] if all(name in suites for suites in by_name)]
    if not shared:
        raise IncomparableError("the runs have no suite in common")
    return [[suites[name] for suites in by_name] for name in shared]


def environment_differences(manifests: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """(what, its value in every run) for whatever differs in environment, source, command and suite."""
    kept = ("command", "profile", "environment", "source", "suite_as_run")
    flat = [dict(_flattened({key: manifest.get(key) for key in kept})) for manifest in manifests]
    keys = dict.fromkeys(key for values in flat for key in values)
    shown = ((key, [values.get(key, "-") for values in flat]) for key in keys)
    return [(key.removeprefix("environment."), values) for key, values in shown if len(set(values)) > 1]


def machine_differences(manifests: Sequence[Mapping[str, Any]]) -> list[str]:
    """Facts of the machine in which the runs differ, or which some of them do not tell."""
    environments = [manifest.get("environment", {}) for manifest in manifests]
    differing = []
    for name in _MACHINE:
        values = {json.dumps(environment.get(name), sort_keys=True) for environment in environments}
        if len(values) > 1:
            differing.append(name)
    return differing


def _flattened(value: Any, prefix: str = "") -> Iterable[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flattened(item, f"{prefix}.{key}" if prefix else str(key))
    else:
        yield prefix, value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def _why_unpaired(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    suites = [manifest["suite_as_run"] for manifest in (before, after)]
    differing = [key for key in _DESIGN if suites[0].get(key) != suites[1].get(key)]
    decisive = ("name", "params", *_DESIGN)
    entries = [
        {
            json.dumps([_entry(entry).get(key) for key in decisive], sort_keys=True)
            for entry in suite.get("datasets", ())
        }
        for suite in suites
    ]
    if not differing and any(not a & b for a, b in pairwise(entries)):
        differing = ["datasets"]
    return f"{', '.join(differing)} of the suites differ, so repetitions do not coincide" if differing else ""


def _entry(entry: str | Mapping[str, Any]) -> Mapping[str, Any]:
    """An entry of a suite, for which its name may stand."""
    return {"name": entry} if isinstance(entry, str) else entry


def _cells(results: Results, metrics: Sequence[str]) -> dict[tuple[Place, str, str], Point]:
    """Points by what a cell is, whatever run and suite it belongs to; times are metrics like others."""
    rows = []
    for row in results.rows:
        if row["status"] == "ok":
            fields: Mapping[str, Any] = row
            times = {name: fields[name] for name in TIMES if fields.get(name) is not None}
            rows.append(changed(row, {"group": None, "metrics": {**row["metrics"], **times}}))
    found = points(rows, metrics, ranges=results.ranges)
    return {(point.place.as_named, point.algorithm, point.metric): point for point in found}


def _names_for_readers(known: Iterable[Point], labels: Collection[str]) -> Callable[[Point], str]:
    """What names a point's data set: its parameters, too, but under a label those alone that tell data sets apart."""
    shown_params = shown_params_among([(point.dataset, point.dataset_params) for point in known], labels)
    return lambda point: dataset_name(point.dataset, shown_params(point.dataset, point.dataset_params))


def _unpaired(a: Point, b: Point, name_of: Callable[[Point], str]) -> Side:
    assert a.mean is not None
    assert b.mean is not None
    place = a.adversary, a.axis, a.axis_value, a.algorithm, a.metric
    return Side(name_of(a), *place, before=a.mean, after=b.mean, difference=b.mean - a.mean)


def _paired(pairs: Sequence[tuple[Point, Point]], name_of: Callable[[Point], str]) -> list[Side]:
    # Whether an algorithm changed is asked of the rows that both runs drew their splits from.
    tested = tested_differences([(b, a) for a, b in pairs], SPLITS)
    adjusted: dict[int, float] = {}
    families: dict[tuple[str, str], list[int]] = defaultdict(list)
    for position, (a, _) in enumerate(pairs):
        families[a.metric, a.algorithm].append(position)
    for family in families.values():
        adjusted |= zip(family, holm([tested[position].wilcoxon for position in family]), strict=True)
    sides = []
    for position, ((a, b), each) in enumerate(zip(pairs, tested, strict=True)):
        width = a.limits[1] - a.limits[0]
        low, high = each.estimate.interval(limits=(-width, width))
        side = _unpaired(a, b, name_of)
        sides.append(
            replace(
                side,
                difference=each.estimate.mean,
                n=each.estimate.n,
                low=low,
                high=high,
                wilcoxon=each.wilcoxon,
                holm=adjusted[position],
                dz=effect_size(each.estimate),
            )
        )
    return sides


def environment_document(runs: Sequence[str], differences: Sequence[tuple[str, list[str]]]) -> Document:
    """What differs between runs in environment, source, command and suite."""
    if not differences:
        return Document("What differs", [Text("same command, environment, source and suite")])
    rows = [[key, *_where_they_differ(values)] for key, values in differences]
    return Document("What differs", [Table(ReportTable(title="What differs", columns=["", *runs], rows=rows))])


def _where_they_differ(values: Sequence[str]) -> list[str]:
    """Long values from shortly before their first difference on; they are whole with ``--json``."""
    columns = zip(*values, strict=False)
    alike = next((place for place, column in enumerate(columns) if len(set(column)) > 1), min(map(len, values)))
    start = max(0, alike - _BEFORE) if max(map(len, values)) > _LONGEST else 0
    parts = [value[start : start + _LONGEST] for value in values]
    return [
        ("..." if start else "") + part + ("..." if len(value) > start + _LONGEST else "")
        for part, value in zip(parts, values, strict=True)
    ]


def comparison_document(comparison: RunComparison, title: str, everything: bool) -> Document:
    """The cells of two runs that differ, metric by metric: those that do significantly, or else the ten largest.

    Parameters
    ----------
    comparison : RunComparison
    title : str
    everything : bool
        Whether cells that do not differ are listed, too.
    """
    blocks: list[Block] = [Heading(title), *map(Text, comparison.notes)]
    if comparison.only_before or comparison.only_after:
        counts = f"{comparison.only_before} cells only in the first run, {comparison.only_after} only in this one"
        blocks.append(Text(counts))
    for metric in dict.fromkeys(side.metric for side in comparison.sides):
        sides = [side for side in comparison.sides if side.metric == metric]
        differing = [side for side in sides if side.difference != 0]
        certain = [side for side in sides if side.significant]
        tested = f", {len(certain)} significantly (Wilcoxon, Holm over the cells of an algorithm, p < 0.05)"
        counts = f"{metric}: {len(sides)} cells, {len(differing)} differ{'' if comparison.unpaired else tested}"
        blocks.append(Text(counts))
        shown = sides if everything else certain or sorted(differing, key=lambda side: -abs(side.difference))[:10]
        if shown:
            table = ReportTable(
                title=metric if len(shown) == len(sides) else f"{metric}: {len(shown)} cells that differ",
                columns=("where", "algorithm", "first", "this", "difference", "p Holm"),
                rows=[_row(side) for side in shown],
                align=("text", "left", "right", "right", "right", "right"),
            )
            blocks.append(Table(table))
    return Document(title, blocks)


def _row(side: Side) -> list[str]:
    place = f"{side.axis_value:g}" if isinstance(side.axis_value, float) else str(side.axis_value)
    adversary = "" if side.adversary == "none" else f" under {side.adversary}"
    at = "" if side.axis_value is None else f", {side.axis} {place}"
    difference = f"{side.difference:+.3g}"
    if side.low is not None and side.low == side.low and side.high is not None:
        difference += f" [{side.low:+.3g}, {side.high:+.3g}]"
    where = f"{side.dataset}{adversary}{at}"
    p = "-" if side.holm is None else p_value(side.holm)
    return [where, side.algorithm, number(side.before), number(side.after), difference, p]
