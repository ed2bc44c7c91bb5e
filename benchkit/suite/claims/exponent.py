"""Claims that a metric grows with a power of the axis."""

from __future__ import annotations

from typing import ClassVar, Literal

from benchkit.suite.claims.claim import OfOne
from benchkit.suite.claims.interval import Interval


class Exponent(OfOne):
    """The ``exponent`` of the axis value with which one ``algorithm``'s metric grows, between two ends."""

    form: ClassVar[str] = "exponent"
    written: ClassVar[str] = "exponent: [low, high]"
    needs_axis: ClassVar[Literal["numbers", "positive numbers"] | None] = "positive numbers"

    exponent: Interval

    def expected(self, metric: str) -> str:
        """``cpu_seconds of lp grows with a power of the axis in [0.8, 1.2]``."""
        low, high = self.exponent
        return f"{metric} of {self.algorithm} grows with a power of the axis in [{low:g}, {high:g}]"
