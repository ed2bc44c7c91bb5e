"""Runs side by side: metrics with paired tests where trials coincide, times where the machine was the same."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from benchkit.document import Block, Document, Heading, Table, Text
from benchkit.document.text import number, p_value
from benchkit.errors import RequestError
from benchkit.plugin.declarations import ReportTable
from benchkit.report.comparisons import ALPHA, tested_differences
from benchkit.report.grid import ShownParams, shown_params_among
from benchkit.report.points import Place, Point, points
from benchkit.report.results import Results
from benchkit.statistics.estimate import holm
from benchkit.statistics.sampling import SPLITS
from benchkit.suite.names import dataset_name
from benchkit.trial.record import changed

_LONGEST = 160  # characters of a value
_BEFORE = 40  # of them what comes before the first difference
_MOST = 10  # cells that differ, where none does significantly
TIMES = ("fit_seconds", "tune_seconds", "cpu_seconds")
# What two runs must share for their seconds to be comparable; versions may differ, they are what one compares.
_MACHINE = ("host", "cpu", "processors", "memory_mb", "platform")
# What decides which rows a repetition trains and tests on.
_DESIGN = ("seed", "split", "preprocess", "feature_values")


@dataclass(frozen=True)
class Side:
    """One cell in two runs: means before and after, and the difference, over shared repetitions where they are paired.

    Where trials do not coincide, ``n`` is 0, and interval, p-values and effect size are None. Holm's correction is over
    the cells of one algorithm and metric: did this algorithm change?
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
    """A later run against the first."""

    before: Results
    after: Results
    sides: Sequence[Side]
    only_before: int  # cells that the other run lacks
    only_after: int
    unpaired: str  # why trials do not coincide; empty where they do
    other_code: tuple[str, ...]  # metrics that other code, or other versions of what it imports, computed in one run

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
    """Metrics, and times where the machine was the same or the reader says so; an `RequestError` for others."""
    shared = [name for name in runs[0].metrics if all(name in run.metrics for run in runs)]
    differing = machine_differences([run.manifest for run in runs])
    times = [] if differing and not across_machines else list(TIMES)
    for name in wanted or ():
        if name in TIMES and name not in times:
            what = ", ".join(differing)
            raise RequestError(
                f"{name} of different machines cannot be compared ({what} differ); --across-machines does it anyway"
            )
        if name not in shared and name not in TIMES:
            raise RequestError(f"metric {name!r} is not in all runs; they share {', '.join([*shared, *times])}")
    return shared + times if wanted is None else list(wanted)


def compare_runs(runs: Sequence[Results], metrics: Sequence[str]) -> list[RunComparison]:
    """Every later run, of one or more, against the first; metrics are from `comparable_metrics`."""
    first, *others = runs
    before = _cells(first, metrics)
    comparisons = []
    for other in others:
        after = _cells(other, metrics)
        pairs = [(before[key], after[key]) for key in before if key in after]
        unpaired = _why_unpaired(first.manifest, other.manifest)
        labels = {*first.labels} & {*other.labels}
        shown_params = shown_params_among([*before.values(), *after.values()], labels, along_axis=True)
        sides = _sides(pairs, shown_params, not unpaired)
        only = len(before) - len(pairs), len(after) - len(pairs)
        other_code = tuple(name for name in metrics if _codes(first, name) != _codes(other, name))
        comparisons.append(RunComparison(first, other, sides, *only, unpaired, other_code))
    return comparisons


def _codes(results: Results, metric: str) -> set[str]:
    """By which code a metric's values were computed, as the records say; times are no code's."""
    return {row["metric_code"][metric] for row in results.rows if metric in (row.get("metric_code") or {})}


def same_suites(runs: Sequence[Results]) -> list[list[Results]]:
    """The runs to compare with each other: where collections are among them, suite by suite."""
    if not any(run.members for run in runs):
        return [list(runs)]
    by_name = [{each.suite: each for each in run.suites} for run in runs]
    shared = [name for name in by_name[0] if all(name in suites for suites in by_name)]
    if not shared:
        raise RequestError("the runs have no suite in common")
    return [[suites[name] for suites in by_name] for name in shared]


def environment_differences(manifests: Sequence[Mapping[str, Any]]) -> list[tuple[str, list[str]]]:
    """(what, its value in every run) for whatever differs in environment, source, command and suite."""
    kept = ("command", "profile", "environment", "source", "suite_as_run")
    flat = [dict(_flattened({key: manifest.get(key) for key in kept})) for manifest in manifests]
    shown = {key: [values.get(key, "-") for values in flat] for values in flat for key in values}
    return [(key.removeprefix("environment."), values) for key, values in shown.items() if len(set(values)) > 1]


def _flattened(value: Any, prefix: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _flattened(item, f"{prefix}.{key}" if prefix else str(key))
    else:
        yield prefix, value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str)


def machine_differences(manifests: Sequence[Mapping[str, Any]]) -> list[str]:
    """Facts of the machine in which the runs differ, or which some of them do not tell."""
    environments = [manifest.get("environment", {}) for manifest in manifests]
    return [name for name in _MACHINE if any(each.get(name) != environments[0].get(name) for each in environments)]


def _why_unpaired(before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    suites = [manifest["suite_as_run"] for manifest in (before, after)]
    differing = [key for key in _DESIGN if suites[0].get(key) != suites[1].get(key)]
    drawn = [
        {
            json.dumps([entry.get(key) for key in ("name", "params", *_DESIGN)], sort_keys=True)
            for entry in ({"name": each} if isinstance(each, str) else each for each in suite.get("datasets", ()))
        }
        for suite in suites
    ]
    if not differing and drawn[0].isdisjoint(drawn[1]):
        differing = ["datasets"]
    return f"{', '.join(differing)} of the suites differ, so repetitions do not coincide" if differing else ""


def _cells(results: Results, metrics: Sequence[str]) -> dict[tuple[Place, str, str], Point]:
    """Points by what a cell is, whatever run and suite it belongs to; times are metrics like others."""
    rows = []
    for row in results.rows:
        if row["status"] == "ok":
            times = {name: seconds for name in TIMES if (seconds := row.get(name)) is not None}
            rows.append(changed(row, {"group": None, "metrics": {**row["metrics"], **times}}))
    by_name = {}
    for point in points(rows, metrics, ranges=results.ranges):
        # Two runs share names where their suites group and attack in other ways.
        place = point.place._replace(group=None, feature_values="", adversary_params=())
        by_name[place, point.algorithm, point.metric] = point
    return by_name


def _sides(pairs: Sequence[tuple[Point, Point]], shown_params: ShownParams, paired: bool) -> list[Side]:
    valued = [(a, b) for a, b in pairs if not paired or a.parts.keys() & b.parts.keys()]
    # Whether an algorithm changed is asked of the rows that both runs drew their splits from.
    tested = tested_differences([(b, a) for a, b in valued], SPLITS) if paired else []
    pvalues: dict[tuple[str, str], list[float]] = defaultdict(list)
    for (a, _), each in zip(valued, tested, strict=False):
        pvalues[a.metric, a.algorithm].append(each.wilcoxon)
    adjusted = {family: iter(holm(own)) for family, own in pvalues.items()}
    sides = []
    for (a, b), each in zip_longest(valued, tested):
        if a.mean is None or b.mean is None:
            continue
        change, evidence = b.mean - a.mean, dict[str, Any]()
        if each is not None:
            width, change = a.limits[1] - a.limits[0], each.estimate.mean
            low, high = each.estimate.interval(limits=(-width, width))
            evidence = {"n": each.estimate.n, "low": low, "high": high, "wilcoxon": each.wilcoxon, "dz": each.dz}
            evidence["holm"] = next(adjusted[a.metric, a.algorithm])
        name = dataset_name(a.dataset, shown_params(a))
        where = name, a.adversary, a.axis, a.axis_value, a.algorithm, a.metric
        sides.append(Side(*where, a.mean, b.mean, change, **evidence))
    return sides


def environment_document(runs: Sequence[str], differences: Sequence[tuple[str, list[str]]]) -> Document:
    """What differs between runs in environment, source, command and suite; long values are whole with ``--json``."""
    if not differences:
        return Document("What differs", [Text("same command, environment, source and suite")])
    rows = []
    for key, values in differences:
        # Long values from shortly before their first difference on.
        same = next((at for at, signs in enumerate(zip(*values, strict=False)) if len(set(signs)) > 1), 0)
        start = max(0, same - _BEFORE) if max(map(len, values)) > _LONGEST else 0
        cut = [value[start : start + _LONGEST] for value in values]
        ends = ["..." if len(value) > start + _LONGEST else "" for value in values]
        parts = [f"{'...' if start else ''}{part}{end}" for part, end in zip(cut, ends, strict=True)]
        rows.append([key, *parts])
    return Document("What differs", [Table(ReportTable(title="What differs", columns=["", *runs], rows=rows))])


def comparison_document(comparison: RunComparison, title: str, everything: bool) -> Document:
    """The cells of two runs that differ, metric by metric: those that do significantly, or else the ten largest.

    ``everything`` lists those that do not differ, too.
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
        shown = sides if everything else certain or sorted(differing, key=lambda side: -abs(side.difference))[:_MOST]
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
    p = "-" if side.holm is None else p_value(side.holm)
    where = f"{side.dataset}{adversary}{at}"
    return [where, side.algorithm, number(side.before), number(side.after), difference, p]
