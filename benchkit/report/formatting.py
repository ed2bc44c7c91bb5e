"""Numbers and cells as people read them, alike in every kind of table."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from benchkit.report.points import Point

# Smaller than this is what is left of zero after sums in floating point.
ROUNDING = 1e-14


def number(value: float) -> str:
    """Three decimals, where they say something."""
    if abs(value) < ROUNDING:
        value = 0.0
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    if value != 0 and not 0.0005 <= abs(value) < 1000:
        return f"{value:.2g}" if abs(value) < 1 else f"{value:.4g}"
    return f"{value:.3f}"


def percent(share: float) -> str:
    """``19.9%``, and of less than a thousandth the digits that say something."""
    value = 100 * share
    return f"{value:.1f}%" if abs(value) >= 0.05 or abs(share) < ROUNDING else f"{value:.2g}%"


def p_value(value: float) -> str:
    """A p-value; below a thousandth only that it is."""
    if math.isnan(value):
        return "-"
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def interval_text(low: float, high: float) -> str:
    """``[0.1, 0.2]``, or nothing where nothing can be said."""
    return f"[{number(low)}, {number(high)}]" if math.isfinite(low) and math.isfinite(high) else "-"


def counts(point: Point) -> str:
    """``9 of 10``: trials that ended ok, of all."""
    return f"{point.n} of {point.n + point.failed}"


def heading(value: Any, points: Iterable[Point], shares: bool = False) -> str:
    """An axis value as a column heading; a budget that is a share as a percentage, and any number beside shares."""
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{100 * value:.3g}%" if shares or are_shares(points) else f"{value:g}"
    return str(value)


def are_shares(points: Iterable[Point]) -> bool:
    """Whether the budget of points is said as a share of what the data set has."""
    return any(point.axis == "budget" and point.budget not in (None, point.axis_value) for point in points)


def breakdown_text(value: float | None, shares: bool = False) -> str:
    """Where a curve breaks down, a percentage where the axis counts shares; ``never`` within the axis."""
    if value is None:
        return "-"
    if value == float("inf"):
        return "never"
    return f"{100 * value:.3g}%" if shares else f"{value:.3g}"


def duration(seconds: float) -> str:
    """In seconds, minutes or hours, for people."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"


def rank_text(value: float | None) -> str:
    """A rank, of which a half is a tie."""
    return "-" if value is None else f"{value:g}"
