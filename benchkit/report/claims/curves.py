"""Curves that claims are judged on: records by algorithm and place on the axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchkit.report.statistics.points import Record, curve_name
from benchkit.report.statistics.sampling import Values
from benchkit.suite.claims.claim import MEASURES

Curve = Mapping[Any, Sequence[Record]]
"""Records of one algorithm by axis value."""

Curves = Mapping[str, Curve]
"""Curves by algorithm."""


def metric_values(rows: Iterable[Record], metric: str) -> Values:
    """Metric (or measure) of each trial that ended ok, by repetition and data set."""
    values = {}
    for row in rows:
        value = row["metrics"].get(metric, row.get(metric) if metric in MEASURES else None)
        if row["status"] == "ok" and value is not None:
            values[row["repetition"], curve_name(row)] = value
    return values


def rows_of(algorithms: Curves, name: str) -> list[Record]:
    """All records of an algorithm."""
    return [row for rows in algorithms.get(name, {}).values() for row in rows]


def places_of(algorithms: Curves, names: Iterable[str]) -> list[Any]:
    """Axis values that any of the algorithms has."""
    return list(dict.fromkeys(place for name in names for place in algorithms.get(name, {})))


def span(algorithms: Curves, names: Iterable[str]) -> float:
    """Length of the axis."""
    places = [place for place in places_of(algorithms, names) if isinstance(place, int | float)]
    return max(places) - min(places) if places else math.inf


def is_numeric(places: Iterable[Any]) -> bool:
    """Whether they are numbers."""
    return all(isinstance(place, int | float) for place in places)


def along_the_axis(places: Iterable[Any]) -> list[Any]:
    """Places in order: numbers by size, others as they come."""
    places = list(places)
    return sorted(places) if is_numeric(places) else places
