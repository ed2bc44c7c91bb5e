"""Claims that algorithms are better, one than the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Annotated, ClassVar

from pydantic import Field

from benchkit.suite.claims.claim import Comparing


class Order(Comparing):
    """An ``order`` of algorithms, better first, each ``by`` so much at least."""

    form: ClassVar[str] = "order"
    written: ClassVar[str] = "order: [better, worse]"
    names_in: ClassVar[str] = "order"
    learned: ClassVar[bool] = True

    order: Annotated[list[str], Field(min_length=2)]
    by: float = Field(default=0.0, ge=0, allow_inf_nan=False)

    @property
    def algorithms(self) -> Sequence[str]:
        """The better first."""
        return self.order

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """Each with the next one."""
        return tuple(pairwise(self.order))

    def expected(self, metric: str) -> str:
        """``error better from left to right: lp, svm``."""
        by = f" by {self.by:g}" if self.by else ""
        better = f"better{by}" if by or not self.tolerance else "no worse"
        return f"{metric} {better}{self._on_average} from left to right: " + ", ".join(self.order) + self._within
