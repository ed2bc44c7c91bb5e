"""Numbers of a claim's evidence, as people read them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from benchkit.report.formatting import ROUNDING
from benchkit.statistics.estimate import LEVEL, Estimate


def decimal(value: float, sign: str = "-") -> str:
    """Four decimals, or three digits where these would all be zero."""
    if abs(value) < ROUNDING:
        value = 0.0
    return f"{value:{sign}.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:{sign}.3g}"


def with_interval(mean: Estimate, limits: tuple[float, float], sign: str = "-") -> str:
    """A mean and its interval: ``0.4000 [0.3938, 0.4062]``."""
    if not math.isfinite(mean.stderr):
        return decimal(mean.mean, sign)
    low, high = mean.interval(LEVEL, limits)
    return f"{decimal(mean.mean, sign)} [{decimal(low, sign)}, {decimal(high, sign)}]"


def signed(difference: Estimate, limits: tuple[float, float]) -> str:
    """A difference and its interval: ``+0.0200 [+0.0138, +0.0262]``."""
    return with_interval(difference, limits, "+")


def at(where: str, axis_value: Any) -> str:
    """Data set, adversary and point on the axis, where there is one."""
    shown = f"{axis_value:g}" if isinstance(axis_value, float) else axis_value
    return where if axis_value is None else f"{where} {shown}"


def listed(values: Iterable[Any]) -> str:
    """``5, 0.25, usps``."""
    return ", ".join(f"{value:g}" if isinstance(value, float) else str(value) for value in values)
