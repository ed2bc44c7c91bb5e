"""What a suite claims: the entries of ``expect``, in any of the forms that they may have."""

from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from benchkit.suite.schema import Names, Number, Strict

MEASURES = ("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")
"""What every record measures, whatever the metrics: claims may speak of them too, as losses."""

FORMS = {
    "breakdown": ("order", "by"),  # before the order, of which it is a special case
    "order": ("by", "on_average"),
    "alike": ("on_average",),
    "between": ("algorithm",),
    "value": ("algorithm", "stderr", "minus"),
    "monotone": ("algorithm",),
    "exponent": ("algorithm",),
}
"""The key that says what form a claim has, and what else only claims of this form may say.

How a form is worded and judged is in `benchkit.report.claims.forms`.
"""
_ABSENT: Any = None  # what belongs to another form: readers look at the form first
_KEYS = dict.fromkeys([*FORMS, *(key for keys in FORMS.values() for key in keys)])


def _in_order(ends: tuple[float, float]) -> tuple[float, float]:
    if not ends[0] <= ends[1]:
        raise ValueError(f"the ends are {list(ends)}: the lower end comes first")
    return ends


Interval = Annotated[tuple[float, float], AfterValidator(_in_order)]


class Claim(Strict):
    """A claim to be checked, of one of the `FORMS`; what belongs to another form is None.

    ``groups`` makes it a claim on their means. ``paper`` is what the paper reports; a ``control`` is no paper's claim,
    but ours, and counted apart. ``reason`` is why the claim may not hold, for reports: a conjecture, unless
    ``tested_by`` says which experiment of ours it comes from; without a reason, that is what was tried and is none.
    ``needs`` is what it takes to judge it, for reports where it could not be. ``profiles`` names those that it is
    judged in, where it speaks of a size that others lack; ``default`` is the suite without one.

    An ``order`` names algorithms, better first, each ``by`` so much at least; with a ``breakdown`` the one is better
    whose metric passes this level later on the axis, ``by`` in units of the axis. Algorithms are ``alike`` within the
    tolerance. One ``algorithm``'s mean lies ``between`` two ends; or, ``minus`` that of another where one is named, is
    a ``value``, give or take the tolerance, or where a paper prints a standard error, ``stderr``, consistent with it:
    the 95 % interval of the difference, with both errors in it, contains 0. An error of 0 is one that the paper does
    not print: then its number is taken as exact. A curve is ``monotone`` along the axis, or constant; it grows with a
    power of the axis value whose ``exponent`` lies between two ends.

    ``on_average`` makes it a claim on the mean over the points that it speaks of, as readers of a figure judge it: of
    ``all`` of them, or of each ``curve`` (data set or group, and adversary) by itself; absent, on every point. Points
    where nothing is learned count for nothing in either.
    """

    claim: str
    source: str = ""
    paper: str = ""
    control: bool = False
    reason: str = ""
    tested_by: str = ""
    needs: str = ""
    metric: str | None = None
    tolerance: Number = Field(default=0.0, ge=0)
    datasets: Names | None = None
    groups: Names | None = None
    adversaries: list[str] | None = None
    at: list[Any] | None = None
    profiles: Names | None = None
    on_average: Literal["all", "curve"] | None = None
    order: list[str] = Field(default=_ABSENT, min_length=2)
    by: Number = Field(default=0.0, ge=0)
    breakdown: Number = Field(default=_ABSENT)
    alike: list[str] = Field(default=_ABSENT, min_length=2)
    algorithm: str = Field(default=_ABSENT)
    between: Interval = Field(default=_ABSENT)
    value: Number = Field(default=_ABSENT)
    stderr: Number | None = Field(default=None, ge=0)
    minus: str | None = None
    monotone: Literal["increasing", "decreasing", "constant"] = Field(default=_ABSENT)
    exponent: Interval = Field(default=_ABSENT)

    @model_validator(mode="after")
    def _has_one_form(self) -> Self:
        """Refuse what is of no form, or of two."""
        forms = [form for form in FORMS if getattr(self, form) is not None]
        if forms[:2] == ["breakdown", "order"]:
            forms.remove("order")
        if len(forms) != 1:
            raise ValueError(
                "give one of 'order: [better, worse]', also with 'breakdown: NUMBER', 'alike: [one, other]', 'between: "
                "[low, high]', 'value: NUMBER', 'monotone: increasing' and 'exponent: [low, high]'; "
                f"{' and '.join(map(repr, forms)) or 'none'} {'are' if forms else 'is'} given"
            )
        form = forms[0]
        if missing := [key for key in ("order", "algorithm") if key in FORMS[form] and getattr(self, key) is None]:
            raise ValueError(f"key {missing[0]!r} is missing")
        if strange := [key for key in _KEYS if key in self.model_fields_set and key not in (form, *FORMS[form])]:
            raise ValueError(f"{strange[0]!r} and {form!r} exclude each other")
        if self.stderr is not None and self.tolerance:
            raise ValueError("'stderr' and 'tolerance' exclude each other: the paper's error says how close is close")
        return self

    @property
    def form(self) -> str:
        """Which of the `FORMS` it has."""
        return next(form for form in FORMS if getattr(self, form) is not None)

    @property
    def algorithms(self) -> Sequence[str]:
        """Names of the algorithms that it is about."""
        return self.order or self.alike or [name for name in (self.algorithm, self.minus) if name is not None]

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """The algorithms of each of its comparisons: in an order each with the next one, of those alike all pairs."""
        if self.order:
            return tuple(pairwise(self.order))
        return tuple(combinations(self.alike, 2)) if self.alike else (tuple(self.algorithms),)

    @property
    def speaks_of(self) -> Mapping[str, Sequence[Any] | None]:
        """The values of a record's fields that it speaks of; None where of all."""
        return {"dataset": self.datasets, "group": self.groups, "adversary": self.adversaries, "axis_value": self.at}
