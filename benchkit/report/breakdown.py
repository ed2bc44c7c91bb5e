"""Breakdown points: how far along the axis a metric stays below a level."""

from __future__ import annotations

from collections import defaultdict

from benchkit.report.samples import Curves, Sample, is_number


def breakdown_points(curve: Curves, algorithm: str, level: float) -> Sample:
    """The first axis value at which the metric exceeds the level, by repetition and dataset.

    A curve that never does counts as breaking down at the last value: its breakdown point is at least that. Curves
    are compared with each other only where each has all axis values, so repetitions that lack one are left out.

    Parameters
    ----------
    curve : Curves
    algorithm : str
    level : float
    """
    points = [(float(value), sample) for value, sample in curve.along(algorithm) if is_number(value)]
    values: dict[tuple[int, str], list[tuple[float, float]]] = defaultdict(list)
    for position, sample in points:
        for key, value in sample.items():
            values[key].append((position, value))
    return {
        key: next((position for position, value in each if value > level), each[-1][0])
        for key, each in values.items()
        if len(each) == len(points)
    }
