"""Statistics of records: means along the axis, and paired differences between algorithms."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import fmean
from typing import Any

Record = Mapping[str, Any]


@dataclass(frozen=True)
class Point:
    """Mean of one metric over the repetitions of a cell, or over a group's cells.

    Attributes
    ----------
    mean : float or None
        None where no repetition ended ok.
    stderr : float or None
        Standard error of the mean over repetitions; None below two.
    n, failed : int
        Trials that ended ok, and that did not; a group's ``n`` counts repetitions.
    values : mapping of repetition to float
        What the mean is taken over: the repetitions that ended ok, and what the failure policy put in for the others.
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
    values: Mapping[int, float] = field(default_factory=dict, repr=False)

    @property
    def sd(self) -> float | None:
        """Sample standard deviation over repetitions."""
        return None if self.stderr is None else self.stderr * math.sqrt(len(self.values))

    def interval(self, level: float = 0.95) -> tuple[float, float] | None:
        """Student's t interval of the mean at a confidence level; None below two repetitions."""
        if self.mean is None or self.stderr is None:
            return None
        half = t_quantile(level, len(self.values) - 1) * self.stderr
        return self.mean - half, self.mean + half

    def to_dict(self) -> dict[str, Any]:
        """As ``benchkit report --format json`` prints it."""
        return {name: getattr(self, name) for name in FIELDS}


FIELDS = tuple(name for name in Point.__dataclass_fields__ if name != "values")


@lru_cache(maxsize=256)
def t_quantile(level: float, freedom: int) -> float:
    """Quantile that leaves (1 - level) / 2 above it in Student's t distribution."""
    from scipy.special import stdtrit

    return float(stdtrit(freedom, (1 + level) / 2))


def mean_and_error(values: Sequence[float]) -> tuple[float | None, float | None]:
    """Mean, and its standard error from the sample standard deviation (None below two values)."""
    if not values:
        return None, None
    n = len(values)
    mean = fmean(values)
    if n < 2:
        return mean, None
    # statistics.stdev works in fractions: exact, and twenty times slower.
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / (n - 1) / n)


def points(records: Iterable[Record], metrics: Sequence[str]) -> list[Point]:
    """One point per cell and metric, in the order of the records, then one per point of each group."""
    cells: dict[str, list[Record]] = defaultdict(list)
    groups: dict[str, list[Record]] = defaultdict(list)
    for row in records:
        cells[row["cell"]].append(row)
        if row.get("group"):
            groups[_group_key(row)].append(row)
    found = [_point(rows, metric) for rows in cells.values() for metric in metrics]
    return found + [_group_point(rows, metric) for rows in groups.values() for metric in metrics]


def _group_key(row: Record) -> str:
    fields = ("group", "adversary", "adversary_params", "algorithm", "axis", "axis_value")
    return json.dumps([row[name] for name in fields], sort_keys=True, default=str)


def values_by_repetition(rows: Iterable[Record], metric: str) -> dict[int, float]:
    """Metric of each repetition that has one: it ended ok, or the failure policy put a value in."""
    found = {}
    for row in rows:
        value = row["metrics"].get(metric)
        if value is not None:
            found[row["repetition"]] = value
    return found


def _missing(rows: Sequence[Record], metric: str) -> int:
    """Trials without a value of their own."""
    return sum(row["status"] != "ok" or row["metrics"].get(metric) is None for row in rows)


def _point(rows: Sequence[Record], metric: str) -> Point:
    failed = _missing(rows, metric)
    first, values = rows[0], values_by_repetition(rows, metric)
    return _make_point(rows, metric, values, len(rows) - failed, failed, first["dataset"], first["dataset_params"])


def _group_point(rows: Sequence[Record], metric: str) -> Point:
    """Mean over a group: datasets are averaged within a repetition, the error is over repetitions."""
    by_repetition: dict[int, list[float]] = defaultdict(list)
    own = set()
    for row in rows:
        value = row["metrics"].get(metric)
        if value is not None:
            by_repetition[row["repetition"]].append(value)
            if row["status"] == "ok":
                own.add(row["repetition"])
    values = {repetition: fmean(found) for repetition, found in by_repetition.items()}
    return _make_point(rows, metric, values, len(own), _missing(rows, metric), rows[0]["group"], {})


def _make_point(
    rows: Sequence[Record],
    metric: str,
    values: Mapping[int, float],
    n: int,
    failed: int,
    dataset: str,
    params: Mapping[str, Any],
) -> Point:
    first = rows[0]
    mean, error = mean_and_error(list(values.values()))
    budgets = [row["budget"] for row in rows if row.get("budget") is not None]
    return Point(
        dataset=dataset,
        dataset_params=params,
        group=first["group"],
        adversary=first["adversary"],
        algorithm=first["algorithm"],
        budget=fmean(budgets) if budgets else None,
        axis=first["axis"],
        axis_value=first["axis_value"],
        metric=metric,
        mean=mean,
        stderr=error,
        n=n,
        failed=failed,
        values=values,
    )


def best_of(points: Iterable[Point], greater_is_better: bool) -> Point | None:
    """The point with the best mean; of several, the first.

    Only points with as many repetitions as any can be best: whoever fails on the hard splits would look good on the
    rest.
    """
    known = [point for point in points if point.mean is not None]
    if not known:
        return None
    most = max(len(point.values) for point in known)
    sign = -1 if greater_is_better else 1
    return min((point for point in known if len(point.values) == most), key=lambda point: sign * (point.mean or 0.0))


@dataclass(frozen=True)
class PairedDifference:
    """Mean difference a - b over shared repetitions, with a two-sided t interval.

    Attributes
    ----------
    mean, low, high : float
        ``low`` and ``high`` are NaN below two repetitions.
    n : int
    """

    mean: float
    low: float
    high: float
    n: int


def paired_difference(a: Mapping[int, float], b: Mapping[int, float], level: float = 0.95) -> PairedDifference | None:
    """Difference of two algorithms on the same repetitions; None where they share none.

    Parameters
    ----------
    a, b : mapping of repetition to value
    level : float, default=0.95
        Confidence level of the t interval.
    """
    shared = sorted(a.keys() & b.keys())
    if not shared:
        return None
    differences = [a[repetition] - b[repetition] for repetition in shared]
    mean, error = mean_and_error(differences)
    assert mean is not None
    if error is None:
        return PairedDifference(mean, math.nan, math.nan, 1)
    half = t_quantile(level, len(shared) - 1) * error
    return PairedDifference(mean, mean - half, mean + half, len(shared))
