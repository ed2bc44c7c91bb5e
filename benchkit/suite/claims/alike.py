"""Claims that algorithms are alike."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Annotated, ClassVar

from pydantic import Field

from benchkit.suite.claims.claim import Comparing


class Alike(Comparing):
    """Algorithms that are ``alike`` within the tolerance."""

    form: ClassVar[str] = "alike"
    written: ClassVar[str] = "alike: [one, other]"
    names_in: ClassVar[str] = "alike"
    learned: ClassVar[bool] = True

    alike: Annotated[list[str], Field(min_length=2)]

    @property
    def algorithms(self) -> Sequence[str]:
        """As they are listed."""
        return self.alike

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """Each with every other."""
        return tuple(combinations(self.alike, 2))

    def expected(self, metric: str) -> str:
        """``error alike: lp, svm within 0.01``."""
        return f"{metric} alike{self._on_average}: " + ", ".join(self.alike) + self._within
