"""What a suite claims: the entries of ``expect``."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from benchkit.suite.strict import Strict

MEASURES = ("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")
"""What every record measures, whatever the metrics: claims may speak of them too, as losses."""

_OF_SEVERAL = ("order", "alike")
_FORMS = (*_OF_SEVERAL, "between", "value", "monotone", "exponent")


class Expectation(Strict):
    """A claim to be checked, in one of six forms.

    An ``order`` of algorithms (better first, each ``by`` so much at least; with ``breakdown`` the one whose metric
    passes that level later on the axis is better); algorithms that are ``alike`` within the tolerance; one
    ``algorithm``'s mean ``between`` two ends, or equal to a ``value``, give or take the tolerance; its curve
    ``monotone`` along the axis; or the ``exponent`` of the axis value with which it grows. ``groups`` makes it a claim
    on their means. ``paper`` is what the paper reports; a ``control`` is no paper's claim, but ours, and counted apart.
    ``reason`` is why the claim may not hold, for reports: a conjecture, unless ``tested_by`` says which experiment of
    ours it comes from. ``needs`` is what it takes to judge it, for reports where it could not be. ``profiles`` names
    those that it is judged in, where it speaks of a size that others lack; ``default`` is the suite without one.
    """

    claim: str
    source: str = ""
    paper: str = ""
    control: bool = False
    reason: str = ""
    tested_by: str = ""
    needs: str = ""
    metric: str | None = None
    order: Annotated[list[str], Field(min_length=2)] | None = None
    alike: Annotated[list[str], Field(min_length=2)] | None = None
    algorithm: str | None = None
    between: tuple[float, float] | None = None
    value: float | None = Field(default=None, allow_inf_nan=False)
    monotone: Literal["increasing", "decreasing", "constant"] | None = None
    exponent: tuple[float, float] | None = None
    by: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    breakdown: float | None = Field(default=None, allow_inf_nan=False)
    tolerance: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    datasets: Annotated[list[str], Field(min_length=1)] | None = None
    groups: Annotated[list[str], Field(min_length=1)] | None = None
    adversaries: list[str] | None = None
    at: list[Any] | None = None
    profiles: Annotated[list[str], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Expectation:
        given = [form for form in _FORMS if getattr(self, form) is not None]
        if len(given) != 1:
            problem = f"both {given[0]!r} and {given[1]!r} are given" if given else "none is given"
            raise ValueError(
                "give one of 'order: [better, worse]', 'alike: [one, other]', 'between: [low, high]', 'value: NUMBER', "
                f"'monotone: increasing' and 'exponent: [low, high]'; {problem}"
            )
        for form in ("between", "exponent"):
            ends = getattr(self, form)
            if ends is not None and not ends[0] <= ends[1]:
                raise ValueError(f"{form!r} is {list(ends)}: the lower end comes first")
        if (given[0] in _OF_SEVERAL) == (self.algorithm is not None):
            exclusive = given[0] in _OF_SEVERAL
            raise ValueError(f"'algorithm' and {given[0]!r} " + ("exclude each other" if exclusive else "go together"))
        if self.order is None and (self.by or self.breakdown is not None):
            raise ValueError("'by' and 'breakdown' go together with 'order'")
        return self
