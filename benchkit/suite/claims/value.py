"""Claims that a mean, or a difference of two, is a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from pydantic import Field, model_validator

from benchkit.suite.claims.claim import OfOne


class Value(OfOne):
    """One ``algorithm``'s mean, ``minus`` that of another where one is named, equal to a ``value``.

    Give or take the tolerance; or, where a paper prints its number with a standard error, ``stderr``, consistent with
    it: the 95 % interval of the difference, with both errors in it, contains 0. An error of 0 is one that the paper
    does not print: then its number is taken as exact.
    """

    form: ClassVar[str] = "value"
    written: ClassVar[str] = "value: NUMBER"

    value: float = Field(allow_inf_nan=False)
    stderr: float | None = Field(default=None, ge=0, allow_inf_nan=False)
    minus: str | None = None

    @model_validator(mode="after")
    def _one_measure_of_likeness(self) -> Value:
        if self.stderr is not None and self.tolerance:
            raise ValueError("'stderr' and 'tolerance' exclude each other: the paper's error says how close is close")
        return self

    @property
    def printed(self) -> bool:
        """Where it has an error."""
        return self.stderr is not None

    @property
    def algorithms(self) -> Sequence[str]:
        """It, and the one that is taken from it."""
        return (self.algorithm,) if self.minus is None else (self.algorithm, self.minus)

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """It alone, with a number, or the two."""
        return (tuple(self.algorithms),)

    def expected(self, metric: str) -> str:
        """``lp = 0.22 ± 0.01``."""
        around = f" ± {self.tolerance if self.stderr is None else self.stderr:g}" if self.stderr != 0 else ""
        return f"{' - '.join(self.algorithms)} = {self.value:g}{around}"
