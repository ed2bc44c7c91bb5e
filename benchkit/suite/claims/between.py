"""Claims that a mean lies between two numbers."""

from __future__ import annotations

from typing import ClassVar

from benchkit.suite.claims.claim import OfOne
from benchkit.suite.claims.interval import Interval


class Between(OfOne):
    """One ``algorithm``'s mean ``between`` two ends, give or take the tolerance."""

    form: ClassVar[str] = "between"
    written: ClassVar[str] = "between: [low, high]"

    between: Interval

    @property
    def widened(self) -> tuple[float, float]:
        """The ends, give or take the tolerance."""
        low, high = self.between
        return low - self.tolerance, high + self.tolerance

    def expected(self, metric: str) -> str:
        """``lp in [0.19, 0.27]``."""
        low, high = self.widened
        return f"{self.algorithm} in [{low:g}, {high:g}]"
