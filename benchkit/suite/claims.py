"""What a suite claims: the entries of ``expect``, in any of the forms that they may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, pairwise
from typing import Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import AfterValidator, Field, TypeAdapter, ValidatorFunctionWrapHandler, WrapValidator, model_validator

from benchkit.suite.schema import Names, Number, Strict, refuse_unknown_keys

MEASURES = ("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")
"""What every record measures, whatever the metrics: claims may speak of them too, as losses."""


class Claim(Strict):
    """A claim to be checked; each form of claims adds the fields that say what is claimed.

    ``groups`` makes it a claim on their means. ``paper`` is what the paper reports; a ``control`` is no paper's claim,
    but ours, and counted apart. ``reason`` is why the claim may not hold, for reports: a conjecture, unless
    ``tested_by`` says which experiment of ours it comes from. ``needs`` is what it takes to judge it, for reports where
    it could not be. ``profiles`` names those that it is judged in, where it speaks of a size that others lack;
    ``default`` is the suite without one.
    """

    form: ClassVar[str]  # the key that only claims of this form have
    words: ClassVar[str] = ""  # what it comes to, of the metric and the claim itself
    names_in: ClassVar[str] = "algorithm"  # the key of the algorithms that it is about
    learned: ClassVar[bool] = False  # whether it says something only where one of them is better than chance
    needs_axis: ClassVar[Literal["numbers", "positive numbers"] | None] = None  # of which two or more are on the axis

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

    @property
    def algorithms(self) -> Sequence[str]:
        """Names of the algorithms that it is about."""
        names = getattr(self, self.names_in)
        return (names,) if isinstance(names, str) else names

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """The algorithms of each of its comparisons, of one or of two: in an order each with the next one."""
        return (tuple(self.algorithms),)

    def expected(self, metric: str) -> str:
        """What the claim comes to, for people: ``lp in [0.19, 0.27]``."""
        return self.words.format(metric=metric, it=self)

    @property
    def printed(self) -> bool:
        """Whether it is a number that a paper prints with its error; such are counted apart."""
        return getattr(self, "stderr", None) is not None

    @property
    def speaks_of(self) -> Mapping[str, Sequence[Any] | None]:
        """The values of a record's fields that it speaks of; None where of all."""
        return {"dataset": self.datasets, "group": self.groups, "adversary": self.adversaries, "axis_value": self.at}

    @property
    def _listed(self) -> str:
        return ", ".join(self.algorithms)

    @property
    def _within(self) -> str:
        return f" within {self.tolerance:g}" if self.tolerance else ""


class Comparing(Claim):
    """A claim that compares algorithms, two by two.

    ``on_average`` makes it a claim on the mean over the points that it speaks of, as readers of a figure judge it: of
    ``all`` of them, or of each ``curve`` (data set or group, and adversary) by itself; absent, on every point. Points
    where nothing is learned count for nothing in either.
    """

    learned: ClassVar[bool] = True

    on_average: Literal["all", "curve"] | None = None

    @property
    def _on_average(self) -> str:
        return {"all": " on average", "curve": " on average along each curve", None: ""}[self.on_average]


def _in_order(ends: tuple[float, float]) -> tuple[float, float]:
    if not ends[0] <= ends[1]:
        raise ValueError(f"the ends are {list(ends)}: the lower end comes first")
    return ends


Interval = Annotated[tuple[float, float], AfterValidator(_in_order)]


class Order(Comparing):
    """An ``order`` of algorithms, better first, each ``by`` so much at least."""

    form = "order"
    names_in = "order"

    order: Annotated[list[str], Field(min_length=2)]
    by: Number = Field(default=0.0, ge=0)

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """Each with the next one."""
        return tuple(pairwise(self.order))

    def expected(self, metric: str) -> str:
        """``error better from left to right: lp, svm``."""
        by = f" by {self.by:g}" if self.by else ""
        better = f"better{by}" if by or not self.tolerance else "no worse"
        return f"{metric} {better}{self._on_average} from left to right: {self._listed}{self._within}"


class Breakdown(Order):
    """An ``order`` of algorithms, of which the one whose metric passes the ``breakdown`` later on the axis is better.

    ``by`` is in units of the axis.
    """

    form = "breakdown"
    learned = False
    needs_axis = "numbers"

    breakdown: Number

    @model_validator(mode="after")
    def _one_value_for_each_curve(self) -> Self:
        if self.on_average is not None:
            raise ValueError("'on_average' and 'breakdown' exclude each other: a curve passes the level once")
        return self

    def expected(self, metric: str) -> str:
        """``error passes 0.2 later from right to left: lp, svm``."""
        by = f" by {self.by:g} at least" if self.by else ""
        return f"{metric} passes {self.breakdown:g} later from right to left{by}: {self._listed}{self._within}"


class Alike(Comparing):
    """Algorithms that are ``alike`` within the tolerance."""

    form = "alike"
    words = "{metric} alike{it._on_average}: {it._listed}{it._within}"
    names_in = "alike"

    alike: Annotated[list[str], Field(min_length=2)]

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """Each with every other."""
        return tuple(combinations(self.alike, 2))


class Between(Claim):
    """One ``algorithm``'s mean ``between`` two ends, give or take the tolerance."""

    form = "between"
    words = "{it.algorithm} in [{it.widened[0]:g}, {it.widened[1]:g}]"

    algorithm: str
    between: Interval

    @property
    def widened(self) -> tuple[float, float]:
        """The ends, give or take the tolerance."""
        low, high = self.between
        return low - self.tolerance, high + self.tolerance


class Value(Claim):
    """One ``algorithm``'s mean, ``minus`` that of another where one is named, equal to a ``value``.

    Give or take the tolerance; or, where a paper prints its number with a standard error, ``stderr``, consistent with
    it: the 95 % interval of the difference, with both errors in it, contains 0. An error of 0 is one that the paper
    does not print: then its number is taken as exact.
    """

    form = "value"

    algorithm: str
    value: Number
    stderr: Number | None = Field(default=None, ge=0)
    minus: str | None = None

    @model_validator(mode="after")
    def _one_measure_of_likeness(self) -> Self:
        if self.stderr is not None and self.tolerance:
            raise ValueError("'stderr' and 'tolerance' exclude each other: the paper's error says how close is close")
        return self

    @property
    def algorithms(self) -> Sequence[str]:
        """It, and the one that is taken from it."""
        return (self.algorithm,) if self.minus is None else (self.algorithm, self.minus)

    def expected(self, metric: str) -> str:
        """``lp = 0.22 ± 0.01``."""
        around = f" ± {self.tolerance if self.stderr is None else self.stderr:g}" if self.stderr != 0 else ""
        return f"{' - '.join(self.algorithms)} = {self.value:g}{around}"


class Monotone(Claim):
    """One ``algorithm``'s curve ``monotone`` along the axis, or constant, give or take the tolerance."""

    form = "monotone"
    words = "{metric} of {it.algorithm} {it.monotone} along the axis{it._within}"

    algorithm: str
    monotone: Literal["increasing", "decreasing", "constant"]


class Exponent(Claim):
    """The ``exponent`` of the axis value with which one ``algorithm``'s metric grows, between two ends."""

    form = "exponent"
    words = "{metric} of {it.algorithm} grows with a power of the axis in [{it.exponent[0]:g}, {it.exponent[1]:g}]"
    needs_axis = "positive numbers"

    algorithm: str
    exponent: Interval


_Form = Order | Breakdown | Alike | Between | Value | Monotone | Exponent

FORMS: tuple[type[Claim], ...] = get_args(_Form)
"""A new form has its place here; how it is judged, in `benchkit.report.claims.forms`."""


_KEYS = list(dict.fromkeys(key for form in FORMS for key in form.model_fields))


def _of_its_form(value: Any, _: ValidatorFunctionWrapHandler) -> Claim:
    """The claim that a mapping is: pydantic would try all forms, and say of each why the mapping is not of it."""
    if isinstance(value, Claim):
        return value
    if not isinstance(value, Mapping):
        return Claim.model_validate(value)  # which says that it is no mapping
    refuse_unknown_keys(value, _KEYS, {})
    forms = [form for form in FORMS if value.get(form.form) is not None]
    if Breakdown in forms and Order in forms:
        forms.remove(Order)  # of which it is a special case
    if len(forms) != 1:
        given = " and ".join(repr(form.form) for form in forms)
        raise ValueError(
            "give one of 'order: [better, worse]', also with 'breakdown: NUMBER', 'alike: [one, other]', 'between: "
            "[low, high]', 'value: NUMBER', 'monotone: increasing' and 'exponent: [low, high]'; "
            f"{f'{given} are given' if given else 'none is given'}"
        )
    form = forms[0]
    if strange := [key for key in value if key not in form.model_fields]:
        raise ValueError(f"{strange[0]!r} and {form.form!r} exclude each other")
    return form.model_validate(value)


AnyClaim = Annotated[_Form, WrapValidator(_of_its_form)]
"""A claim as suites hold it."""

read_claim: Callable[[Any], Claim] = TypeAdapter(AnyClaim).validate_python
"""The claim that an entry of ``expect`` is; raises pydantic's ``ValidationError`` where it is none."""
