"""Claims that a mean is a number."""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field

from benchkit.suite.claims.claim import OfOne


class Value(OfOne):
    """One ``algorithm``'s mean equal to a ``value``, give or take the tolerance."""

    form: ClassVar[str] = "value"
    written: ClassVar[str] = "value: NUMBER"

    value: float = Field(allow_inf_nan=False)

    def expected(self, metric: str) -> str:
        """``lp = 0.22 ± 0.01``."""
        return f"{self.algorithm} = {self.value:g} ± {self.tolerance:g}"
