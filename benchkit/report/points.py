"""Where trials of several methods meet, their means along the axis, and which of these may be compared."""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from statistics import fmean
from typing import Any, NamedTuple

from benchkit.plugin.manager import registry
from benchkit.report.kept_rows import KeptRows
from benchkit.statistics.estimate import Estimate, mean_and_error
from benchkit.statistics.measurement import Measurement, combination
from benchkit.statistics.sampling import ROWS, UNKNOWN, Drawn, Part, Sampling, Scope, Values, complete_repetitions
from benchkit.suite.names import dataset_name, values_name
from benchkit.trial.record import Record

UNLIMITED = (-math.inf, math.inf)
CHARGED = ("failed", "timeout", "memory", "crashed")
"""The algorithm's doing. A trial that was skipped says nothing about the algorithm."""

FIELDS = (
    *("dataset", "dataset_params", "group", "adversary", "algorithm", "budget", "axis", "axis_value", "metric"),
    *("mean", "stderr", "n", "failed"),
)
"""Of a point, as reports in JSON and CSV have them."""


Params = tuple[tuple[str, str], ...]
"""Parameters by name, each value as JSON: they compare and hash, and 1, 1.0 and true are three values."""


_text = partial(json.dumps, sort_keys=True, default=str)


class Place(NamedTuple):
    """What the records of a place share, whatever the method and the repetition.

    Labels are the suite's. An axis value is JSON, as those of parameters are.
    """

    dataset: str
    dataset_params: Params
    group: str | None
    feature_values: str
    adversary: str
    adversary_params: Params
    axis: str
    axis_value: str

    @property
    def curve(self) -> Place:
        """The place without its point on the axis: what it shares with the others of its curve."""
        of, _, name = self.axis.partition(".")
        data, adversary = (
            tuple(each for each in params if of != what or each[0] != name)
            for what, params in (("dataset", self.dataset_params), ("adversary", self.adversary_params))
        )
        return self._replace(dataset_params=data, adversary_params=adversary, axis_value="")

    @property
    def of_group(self) -> Place:
        """The place of its group's mean, which members of other parameters and feature values share."""
        return self._replace(dataset=self.group or "", dataset_params=(), feature_values="")

    @property
    def attack(self) -> tuple[str, Params, str, str]:
        """What is done to the data, and how much of it: alike for all members of a group."""
        return self.adversary, self.adversary_params, self.axis, self.axis_value


def place_of(record: Record | Mapping[str, Any]) -> Place:
    """Where a record stands, or the fields of a trial that is yet to run."""
    data, adversary = (
        tuple(sorted((name, _text(value)) for name, value in params.items())) if params else ()
        for params in (record["dataset_params"], record["adversary_params"])
    )
    return Place(
        record["dataset"],
        data,
        record.get("group"),
        values_name(record.get("feature_values", "")),  # an earlier version wrote the list itself
        record["adversary"],
        adversary,
        record["axis"],
        _text(record["axis_value"]),
    )


def placed(records: Iterable[Record]) -> Iterator[tuple[Record, Place]]:
    """Each record with its place, which is made once for the records of a cell."""
    known: dict[str, Place] = {}
    for record in records:
        cell = record["cell"]
        place = known.get(cell)
        if place is None:
            place = known[cell] = place_of(record)
        yield record, place


def off_axis(params: Mapping[str, Any], axis: str) -> Mapping[str, Any]:
    """Parameters of a data set without the one that the axis runs over: of every point it is another."""
    of, _, along = axis.partition(".")
    return {name: value for name, value in params.items() if name != along} if of == "dataset" else params


@dataclass(frozen=True, eq=False)
class Point:
    """Mean of one metric over the repetitions of a cell, or over a group's cells.

    Attributes
    ----------
    mean : float or None
        None where no repetition ended ok.
    stderr : float or None
        Standard error of the mean over repetitions; None below two.
    n, failed : int
        Trials that ended ok with a value, and that did not end ok; a group's ``n`` counts repetitions.
    valueless : int
        Trials that ended ok, in which the metric came out as no number though it has a meaning there.
    measurement : Measurement
        The values that the mean is taken over, how their rows were drawn, and the rows' values where these were kept.
    rows : sequence of record
        Of all trials behind it, whatever came of them.
    records : mapping of (repetition, data set) to record
        Of those that ended ok; none of a group.
    scope : {"rows", "splits"}
        What `interval` speaks of.
    limits : tuple of float
        The metric's range.
    of_group : bool
        Whether it is the mean over a group's data sets.
    place : Place
        Where it stands beside the points of other algorithms.
    trivial : str
        What the method does, in words, where it looks at no feature; else empty.
    taken : float or None
        Of a budget that is a share of the features: the share that can be taken, as no part of one can. None of other
        budgets, and where the records do not tell how many features there are.
    """

    dataset: str
    dataset_params: Mapping[str, Any]
    group: str | None
    adversary: str
    algorithm: str
    budget: float | None
    axis: str
    axis_value: Any
    metric: str
    mean: float | None
    stderr: float | None
    n: int
    failed: int
    valueless: int = field(repr=False)
    measurement: Measurement = field(repr=False)
    rows: Sequence[Record] = field(repr=False)
    records: Mapping[Part, Record] = field(repr=False)
    scope: Scope = field(repr=False)
    limits: tuple[float, float] = field(repr=False)
    of_group: bool = field(repr=False)
    place: Place = field(repr=False)
    trivial: str = field(repr=False)
    taken: float | None = field(repr=False)

    @property
    def parts(self) -> Values:
        """The values by repetition and data set."""
        return self.measurement.values

    @property
    def drawn(self) -> Drawn:
        """How each data set's repetitions were drawn."""
        return self.measurement.drawn

    @cached_property
    def values(self) -> Mapping[int, float]:
        """What the mean is taken over, by repetition."""
        return by_repetition(self.parts)

    @property
    def sd(self) -> float | None:
        """Sample standard deviation over repetitions."""
        return None if self.stderr is None else self.stderr * math.sqrt(len(self.values))

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Interval of the mean in its scope, within the metric's range; None where nothing can be said."""
        mean = self._estimate  # of which pages and tables ask several times
        return None if mean is None or not math.isfinite(mean.stderr) else mean.interval(level, self.limits)

    @cached_property
    def _estimate(self) -> Estimate | None:
        return combination([(1.0, self.measurement)], self.scope)

    @property
    def ended(self) -> tuple[int, int]:
        """Trials that ended ok, of how many; of a group, repetitions in which those of all its data sets did."""
        if self.of_group:
            return len(self.values), len({row["repetition"] for row in self.rows})
        return len(self.rows) - self.failed, len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """As ``benchkit report --format json`` prints it."""
        return {name: getattr(self, name) for name in FIELDS}


def trivial_methods() -> dict[str, str]:
    """Names of the algorithms that look at no feature, as plugins declare them, and what they do, in words."""
    return {name: each.trivial for name, each in registry().algorithms.items() if each.trivial}


def points(
    records: Iterable[Record],
    metrics: Sequence[str],
    scope: Scope = ROWS,
    ranges: Mapping[str, tuple[float, float]] | None = None,
    kept: KeptRows | None = None,
    trivial: Mapping[str, str] | None = None,
) -> list[Point]:
    """One point per cell and metric, in the order of the records, then one per point of each group.

    Data sets of a group are averaged within a repetition, and the error is over repetitions.
    What the run has ``kept`` of its rows makes intervals on new rows; ``ranges`` are values that a metric can have,
    ``trivial`` the methods that look at no feature, and what they do (None: as plugins declare it).
    """
    trivial = trivial_methods() if trivial is None else trivial
    cells: dict[str, list[Record]] = defaultdict(list)
    groups: dict[tuple[str, Place], list[Record]] = defaultdict(list)
    places: dict[str, Place] = {}
    for row, place in placed(records):
        cells[row["cell"]].append(row)
        places[row["cell"]] = place
        if place.group:
            groups[row["algorithm"], place.of_group].append(row)
    by_dataset: dict[str, list[Record]] = defaultdict(list)
    for rows in cells.values():
        by_dataset[dataset_name(rows[0]["dataset"], rows[0]["dataset_params"])] += rows
    drawn = {name: sampling_of(rows) for name, rows in by_dataset.items()}
    made = [(rows, places[cell], False) for cell, rows in cells.items()]
    made += [(rows, place, True) for (_, place), rows in groups.items()]
    means = []
    for rows, place, of_group in made:
        first = rows[0]
        budgets = [budget for row in rows if (budget := row.get("budget")) is not None]
        shares = [share for row in rows if (share := _taken(row)) is not None]
        ended = [row for row in rows if row["status"] == "ok"]
        ways = {curve_name(row): drawn[dataset_name(row["dataset"], row["dataset_params"])] for row in rows}
        own_records = {} if of_group else {part_of(row): row for row in ended}
        for metric in metrics:
            parts = {part_of(row): value for row in ended if (value := row["metrics"].get(metric)) is not None}
            values = by_repetition(parts)
            mean, error = mean_and_error(list(values.values()))
            # A row that others have published may have been made without a metric of this run.
            own = (row for row in ended if metric in row["metrics"] or not row.get("published"))
            lacking = [row for row in own if row["metrics"].get(metric) is None]
            rows_of = None if kept is None or of_group else kept.of_method(metric, own_records)
            means.append(
                Point(
                    dataset=(of_group and first["group"]) or first["dataset"],
                    dataset_params={} if of_group else first["dataset_params"],
                    group=first["group"],
                    adversary=first["adversary"],
                    algorithm=first["algorithm"],
                    budget=fmean(budgets) if budgets else None,
                    axis=first["axis"],
                    axis_value=first["axis_value"],
                    metric=metric,
                    mean=mean,
                    stderr=error,
                    n=len(values),
                    failed=len(rows) - len(ended),
                    valueless=sum(metric not in (row.get("no_value") or {}) for row in lacking),
                    measurement=Measurement(parts, ways, rows_of),
                    rows=rows,
                    records=own_records,
                    scope=scope,
                    limits=(ranges or {}).get(metric, UNLIMITED),
                    of_group=of_group,
                    place=place,
                    trivial=trivial.get(first["algorithm"], ""),
                    taken=fmean(shares) if shares else None,
                )
            )
    return means


def sampling_of(records: Iterable[Record]) -> Sampling:
    """How the repetitions of one data set were drawn; `UNKNOWN` where no record tells."""
    telling = [record for record in records if record.get("n_rows") is not None]
    if not telling:
        return UNKNOWN
    first, units = telling[0], telling[0].get("units")
    free = (first["n_rows"] or 0) - (first.get("n_validation") or 0) - 1  # at least one row is left to train on
    return Sampling(
        first["n_rows"],
        first["n_test"],
        first["folds"],
        bool(first["generated"]),
        units["groups"] if isinstance(units, Mapping) else None,
        first.get("split") == "given",
        frozenset(n_test for record in telling if (n_test := record["n_test"]) is not None),
        room=free // (first["n_test"] or 1) if first.get("split") == "time" else math.inf,
    )


def curve_name(row: Record) -> str:
    """A record's data set with its parameters, without the one that the axis runs over."""
    if not row["dataset_params"]:  # of nearly all records, and asked of each several times
        return str(row["dataset"])
    return dataset_name(row["dataset"], off_axis(row["dataset_params"], row.get("axis", "")))


def part_of(row: Record) -> Part:
    """A record's repetition and data set."""
    return row["repetition"], sys.intern(curve_name(row))  # of many repetitions one name


def _taken(row: Record) -> float | None:
    """The share of the features that a budget is enough for, of a budget that is a share."""
    budget, share, count = row.get("budget"), row.get("axis_value"), row.get("n_features")
    if row.get("axis") != "budget" or budget is None or not count or not isinstance(share, float) or budget == share:
        return None
    if math.isclose(budget, share * count):  # each feature has the value 1
        return math.floor(budget * (1 + 1e-12)) / count
    return budget / count if budget == round(share * count) else share


def by_repetition(parts: Values) -> dict[int, float]:
    """Mean over the data sets of each repetition that has them all."""
    collected: dict[int, list[float]] = defaultdict(list)
    for (repetition, _), value in complete_repetitions(parts).items():
        collected[repetition].append(value)
    return {repetition: fmean(values) for repetition, values in collected.items()}


def mean_on(parts: Values, shared: Collection[Part]) -> float:
    """Mean over the repetitions that all methods have, so that these are compared; over all where none is."""
    means = by_repetition({part: parts[part] for part in sorted(shared)}) or by_repetition(parts)
    return fmean(means.values())


def by_place(points: Iterable[Point]) -> list[list[Point]]:
    """Points of different algorithms at the same dataset (or group), adversary, axis value and metric."""
    places: dict[tuple[str, Place], list[Point]] = defaultdict(list)
    for point in points:
        places[point.metric, point.place].append(point)
    return list(places.values())


def judged(points: Collection[Point]) -> list[Point]:
    """The points but those of metrics that have no value at all on a data set on which another has one.

    Such a metric judges what other data sets predict.
    """
    valued = {(point.metric, point.dataset) for point in points if point.values}
    datasets = {dataset for _, dataset in valued}
    return [point for point in points if (point.metric, point.dataset) in valued or point.dataset not in datasets]


def of_first_metric(shown: Collection[Any], metrics: Sequence[str]) -> list[Any]:
    """Points, or grids of them, of the metric that is shown of their data set and comes first in a list."""
    first: dict[str, str] = {}
    for each in sorted(shown, key=lambda each: metrics.index(each.metric)):
        first.setdefault(each.dataset, each.metric)
    return [each for each in shown if first[each.dataset] == each.metric]


def complete(values: Mapping[str, Values], flawless: Collection[str]) -> list[str]:
    """The methods whose means may be compared: whoever fails on the hard repetitions would look good on the rest.

    They have as many repetitions and data sets as any; or fewer repetitions were asked for (see
    `benchkit run --until-decided`), none of which failed: then they are ``flawless``.
    """
    fullest = max(values.values(), key=len, default={})
    everywhere = {name for _, name in fullest}
    return [
        method
        for method, own in values.items()
        if len(own) == len(fullest) or (method in flawless and {name for _, name in own} == everywhere)
    ]


def lacking_nothing(points: Iterable[Point]) -> list[Point]:
    """Of points at one place those whose means may be compared (`complete`)."""
    known = {point.algorithm: point for point in points if point.mean is not None}
    flawless = [name for name, point in known.items() if point.failed == 0 and point.valueless == 0]
    return [known[name] for name in complete({name: point.parts for name, point in known.items()}, flawless)]


def best_of(points: Iterable[Point], greater_is_better: bool) -> Point | None:
    """The point with the best mean on the repetitions that all have; of several, the first."""
    compared = lacking_nothing(points)
    if not compared:
        return None
    shared = set.intersection(*(set(point.parts) for point in compared))
    sign = -1 if greater_is_better else 1
    return min(compared, key=lambda point: sign * mean_on(point.parts, shared))
