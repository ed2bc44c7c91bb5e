"""Claims that a curve goes one way along the axis, or none."""

from __future__ import annotations

from typing import ClassVar, Literal

from benchkit.suite.claims.claim import OfOne


class Monotone(OfOne):
    """One ``algorithm``'s curve ``monotone`` along the axis, or constant, give or take the tolerance."""

    form: ClassVar[str] = "monotone"
    written: ClassVar[str] = "monotone: increasing"

    monotone: Literal["increasing", "decreasing", "constant"]

    def expected(self, metric: str) -> str:
        """``error of lp increasing along the axis``."""
        return f"{metric} of {self.algorithm} {self.monotone} along the axis{self._within}"
