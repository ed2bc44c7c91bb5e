"""Claims that algorithms last longer along the axis, one than the next."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field, model_validator

from benchkit.suite.claims.order import Order


class Breakdown(Order):
    """An ``order`` of algorithms, of which the one whose metric passes the ``breakdown`` later on the axis is better.

    ``by`` is in units of the axis.
    """

    form: ClassVar[str] = "breakdown"
    written: ClassVar[str] = "order: [better, worse] with breakdown: NUMBER"
    learned: ClassVar[bool] = False
    needs_axis: ClassVar[Literal["numbers", "positive numbers"] | None] = "numbers"

    breakdown: float = Field(allow_inf_nan=False)

    @model_validator(mode="after")
    def _one_value_for_each_curve(self) -> Breakdown:
        if self.on_average is not None:
            raise ValueError("'on_average' and 'breakdown' exclude each other: a curve passes the level once")
        return self

    def expected(self, metric: str) -> str:
        """``error passes 0.2 later from right to left: lp, svm``."""
        by = f" by {self.by:g} at least" if self.by else ""
        order = ", ".join(self.order)
        return f"{metric} passes {self.breakdown:g} later from right to left{by}: {order}{self._within}"
