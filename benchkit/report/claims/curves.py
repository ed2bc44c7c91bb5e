"""Curves that claims are judged on: records by algorithm and point on the axis."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from benchkit.journal import Record
from benchkit.report.points import part_of
from benchkit.statistics.sampling import Values
from benchkit.suite.claims import MEASURES

Curve = Mapping[Any, Sequence[Record]]
"""Records of one algorithm by axis value."""

Curves = Mapping[str, Curve]
"""Curves by algorithm."""


def metric_values(rows: Iterable[Record], metric: str) -> Values:
    """Metric (or measure) of each trial that ended ok, by repetition and data set."""
    values = {}
    for row in rows:
        fields: Mapping[str, Any] = row
        value = row["metrics"].get(metric, fields.get(metric) if metric in MEASURES else None)
        if row["status"] == "ok" and value is not None:
            values[part_of(row)] = value
    return values


def rows_of(algorithms: Curves, name: str) -> list[Record]:
    """All records of an algorithm."""
    return [row for rows in algorithms.get(name, {}).values() for row in rows]


def axis_values_of(algorithms: Curves, names: Iterable[str]) -> list[Any]:
    """Axis values that any of the algorithms has."""
    return list(dict.fromkeys(axis_value for name in names for axis_value in algorithms.get(name, {})))


def span(algorithms: Curves, names: Iterable[str]) -> float:
    """Length of the axis."""
    numbers = [value for value in axis_values_of(algorithms, names) if isinstance(value, int | float)]
    return max(numbers) - min(numbers) if numbers else math.inf


def is_numeric(axis_values: Iterable[Any]) -> bool:
    """Whether they are numbers."""
    return all(isinstance(axis_value, int | float) for axis_value in axis_values)


def along_the_axis(axis_values: Iterable[Any]) -> list[Any]:
    """Axis values in order: numbers by size, others as they come."""
    axis_values = list(axis_values)
    return sorted(axis_values) if is_numeric(axis_values) else axis_values
