"""Runs side by side: metrics with paired tests where trials coincide, times where the machine was the same."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from benchkit.report.comparisons import ALPHA, holm, measure_samples
from benchkit.report.results import Results
from benchkit.report.statistics import Point, Record, points
from benchkit.suite.plan import dataset_name

TIMES = ("fit_seconds", "tune_seconds", "cpu_seconds")
# What two runs must share for their seconds to be comparable; versions may differ, they are what one compares.
_MACHINE = ("host", "cpu", "processors", "memory_mb", "platform")
# What decides which rows a repetition trains and tests on.
_DESIGN = ("seed", "split", "preprocess", "feature_values")


class IncomparableError(Exception):
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
    """

    before: Results
    after: Results
    sides: Sequence[Side]
    only_before: int
    only_after: int
    unpaired: str

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
    before = _cells(first.records, metrics)
    found = []
    for other in others:
        after = _cells(other.records, metrics)
        shared = [key for key in before if key in after]
        reason = _why_unpaired(first.manifest, other.manifest)
        pairs = [(before[key], after[key]) for key in shared]
        sides = [_unpaired(a, b) for a, b in pairs if a.mean is not None and b.mean is not None]
        if not reason:
            sides = _paired([(a, b) for a, b in pairs if a.values.keys() & b.values.keys()])
        found.append(RunComparison(first, other, sides, len(before) - len(shared), len(after) - len(shared), reason))
    return found


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
    found = []
    for name in _MACHINE:
        values = {json.dumps(environment.get(name), sort_keys=True) for environment in environments}
        if len(values) > 1:
            found.append(name)
    return found


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
        {json.dumps([entry.get(key) for key in decisive], sort_keys=True) for entry in suite.get("datasets", ())}
        for suite in suites
    ]
    if not differing and any(not a & b for a, b in pairwise(entries)):
        differing = ["datasets"]
    return f"{', '.join(differing)} of the suites differ, so repetitions do not coincide" if differing else ""


def _cells(records: Iterable[Record], metrics: Sequence[str]) -> dict[str, Point]:
    """Points by what a cell is, whatever run and suite it belongs to; times are metrics like others."""
    rows = []
    for row in records:
        if row["status"] == "ok":
            times = {name: row[name] for name in TIMES if row.get(name) is not None}
            rows.append({**row, "group": None, "metrics": {**row["metrics"], **times}})
    return {_identity(point): point for point in points(rows, metrics)}


def _identity(point: Point) -> str:
    fields = ("dataset", "dataset_params", "adversary", "algorithm", "axis", "axis_value", "metric")
    return json.dumps([getattr(point, name) for name in fields], sort_keys=True, default=str)


def _facts(point: Point) -> dict[str, Any]:
    return {
        "dataset": dataset_name(point.dataset, point.dataset_params),
        "adversary": point.adversary,
        "axis": point.axis,
        "axis_value": point.axis_value,
        "algorithm": point.algorithm,
        "metric": point.metric,
    }


def _unpaired(a: Point, b: Point) -> Side:
    assert a.mean is not None
    assert b.mean is not None
    return Side(**_facts(a), before=a.mean, after=b.mean, difference=b.mean - a.mean)


def _paired(pairs: Sequence[tuple[Point, Point]]) -> list[Side]:
    samples = [[b.values[r] - a.values[r] for r in sorted(a.values.keys() & b.values.keys())] for a, b in pairs]
    measured = measure_samples(samples)
    adjusted: dict[int, float] = {}
    families: dict[tuple[str, str], list[int]] = defaultdict(list)
    for place, (a, _) in enumerate(pairs):
        families[a.metric, a.algorithm].append(place)
    for family in families.values():
        adjusted |= zip(family, holm([measured[place]["wilcoxon"] for place in family]), strict=True)
    found = []
    for place, (a, b) in enumerate(pairs):
        assert a.mean is not None
        assert b.mean is not None
        kept = {name: measured[place][name] for name in ("difference", "n", "low", "high", "wilcoxon", "dz")}
        found.append(Side(**_facts(a), before=a.mean, after=b.mean, holm=adjusted[place], **kept))
    return found
