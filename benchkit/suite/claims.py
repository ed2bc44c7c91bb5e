"""What a suite claims: the entries of ``expect``, in any of the forms that they may have."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from itertools import combinations, pairwise
from typing import Annotated, Any, ClassVar, Literal, get_args

from pydantic import (
    AfterValidator,
    Field,
    SerializerFunctionWrapHandler,
    TypeAdapter,
    ValidatorFunctionWrapHandler,
    WrapValidator,
    model_serializer,
    model_validator,
)

from benchkit.suite.schema import Number, Strict, refuse_unknown_keys

MEASURES = ("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")
"""What every record measures, whatever the metrics: claims may speak of them too, as losses."""

_Axis = Literal["numbers", "positive numbers"] | None
_STAND_LAST = ("tolerance", "datasets", "groups", "adversaries", "at", "profiles")


class Claim(Strict):
    """A claim to be checked; each form of claims adds the fields that say what is claimed.

    ``groups`` makes it a claim on their means. ``paper`` is what the paper reports; a ``control`` is no paper's claim,
    but ours, and counted apart. ``reason`` is why the claim may not hold, for reports: a conjecture, unless
    ``tested_by`` says which experiment of ours it comes from. ``needs`` is what it takes to judge it, for reports where
    it could not be. ``profiles`` names those that it is judged in, where it speaks of a size that others lack;
    ``default`` is the suite without one.

    Attributes
    ----------
    form : str
        The key that only claims of this form have.
    written : str
        What a suite says, for those who give no form.
    names_in : str
        The key of the algorithms that it is about.
    learned : bool
        Whether it says something only where one of its algorithms is better than chance.
    needs_axis : {"numbers", "positive numbers"} or None
        Of which two or more must be on the axis.
    """

    form: ClassVar[str]
    written: ClassVar[str]
    names_in: ClassVar[str]
    learned: ClassVar[bool] = False
    needs_axis: ClassVar[_Axis] = None

    claim: str
    source: str = ""
    paper: str = ""
    control: bool = False
    reason: str = ""
    tested_by: str = ""
    needs: str = ""
    metric: str | None = None
    tolerance: Number = Field(default=0.0, ge=0)
    datasets: Annotated[list[str], Field(min_length=1)] | None = None
    groups: Annotated[list[str], Field(min_length=1)] | None = None
    adversaries: list[str] | None = None
    at: list[Any] | None = None
    profiles: Annotated[list[str], Field(min_length=1)] | None = None

    @property
    def algorithms(self) -> Sequence[str]:
        """Names of the algorithms that it is about."""
        named = getattr(self, self.names_in)
        return (named,) if isinstance(named, str) else named

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """The algorithms of each of its comparisons: of one, or of two."""
        return (tuple(self.algorithms),)

    @abstractmethod
    def expected(self, metric: str) -> str:
        """What the claim comes to, for people: ``lp in [0.19, 0.27]``."""

    @property
    def printed(self) -> bool:
        """Whether it is a number that a paper prints with its error; such are counted apart."""
        return False

    @property
    def speaks_of(self) -> Mapping[str, Sequence[Any] | None]:
        """The values of a record's fields that it speaks of; None where of all."""
        named = {"dataset": self.datasets, "group": self.groups, "adversary": self.adversaries}
        return {**named, "axis_value": self.at}

    @property
    def _within(self) -> str:
        return f" within {self.tolerance:g}" if self.tolerance else ""

    @model_serializer(mode="wrap")
    def _as_people_write_it(self, whole: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Fields in the order in which they are read: what is claimed stands before how closely, and where."""
        said: dict[str, Any] = whole(self)
        last = {key: said.pop(key) for key in _STAND_LAST if key in said}
        return said | last


class Comparing(Claim):
    """A claim that compares algorithms, two by two.

    ``on_average`` makes it a claim on the mean over the points that it speaks of, as readers of a figure judge it: of
    ``all`` of them, or of each ``curve`` (data set or group, and adversary) by itself; absent, on every point. Points
    where nothing is learned count for nothing in either.
    """

    on_average: Literal["all", "curve"] | None = None

    @property
    def _on_average(self) -> str:
        return {"all": " on average", "curve": " on average along each curve", None: ""}[self.on_average]


class OfOne(Claim):
    """A claim about one algorithm."""

    names_in: ClassVar[str] = "algorithm"

    algorithm: str


def _in_order(ends: tuple[float, float]) -> tuple[float, float]:
    if not ends[0] <= ends[1]:
        raise ValueError(f"the ends are {list(ends)}: the lower end comes first")
    return ends


Interval = Annotated[tuple[float, float], AfterValidator(_in_order)]


class Order(Comparing):
    """An ``order`` of algorithms, better first, each ``by`` so much at least."""

    form: ClassVar[str] = "order"
    written: ClassVar[str] = "order: [better, worse]"
    names_in: ClassVar[str] = "order"
    learned: ClassVar[bool] = True

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
        return f"{metric} {better}{self._on_average} from left to right: " + ", ".join(self.order) + self._within


class Breakdown(Order):
    """An ``order`` of algorithms, of which the one whose metric passes the ``breakdown`` later on the axis is better.

    ``by`` is in units of the axis.
    """

    form: ClassVar[str] = "breakdown"
    written: ClassVar[str] = "order: [better, worse] with breakdown: NUMBER"
    learned: ClassVar[bool] = False
    needs_axis: ClassVar[_Axis] = "numbers"

    breakdown: Number

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


class Alike(Comparing):
    """Algorithms that are ``alike`` within the tolerance."""

    form: ClassVar[str] = "alike"
    written: ClassVar[str] = "alike: [one, other]"
    names_in: ClassVar[str] = "alike"
    learned: ClassVar[bool] = True

    alike: Annotated[list[str], Field(min_length=2)]

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """Each with every other."""
        return tuple(combinations(self.alike, 2))

    def expected(self, metric: str) -> str:
        """``error alike: lp, svm within 0.01``."""
        return f"{metric} alike{self._on_average}: " + ", ".join(self.alike) + self._within


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


class Value(OfOne):
    """One ``algorithm``'s mean, ``minus`` that of another where one is named, equal to a ``value``.

    Give or take the tolerance; or, where a paper prints its number with a standard error, ``stderr``, consistent with
    it: the 95 % interval of the difference, with both errors in it, contains 0. An error of 0 is one that the paper
    does not print: then its number is taken as exact.
    """

    form: ClassVar[str] = "value"
    written: ClassVar[str] = "value: NUMBER"

    value: Number
    stderr: Number | None = Field(default=None, ge=0)
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

    def expected(self, metric: str) -> str:
        """``lp = 0.22 ± 0.01``."""
        around = f" ± {self.tolerance if self.stderr is None else self.stderr:g}" if self.stderr != 0 else ""
        return f"{' - '.join(self.algorithms)} = {self.value:g}{around}"


class Monotone(OfOne):
    """One ``algorithm``'s curve ``monotone`` along the axis, or constant, give or take the tolerance."""

    form: ClassVar[str] = "monotone"
    written: ClassVar[str] = "monotone: increasing"

    monotone: Literal["increasing", "decreasing", "constant"]

    def expected(self, metric: str) -> str:
        """``error of lp increasing along the axis``."""
        return f"{metric} of {self.algorithm} {self.monotone} along the axis{self._within}"


class Exponent(OfOne):
    """The ``exponent`` of the axis value with which one ``algorithm``'s metric grows, between two ends."""

    form: ClassVar[str] = "exponent"
    written: ClassVar[str] = "exponent: [low, high]"
    needs_axis: ClassVar[_Axis] = "positive numbers"

    exponent: Interval

    def expected(self, metric: str) -> str:
        """``cpu_seconds of lp grows with a power of the axis in [0.8, 1.2]``."""
        low, high = self.exponent
        return f"{metric} of {self.algorithm} grows with a power of the axis in [{low:g}, {high:g}]"


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
    refuse_unknown_keys(value, _KEYS)
    form = _form_of(value)
    for key, item in value.items():
        # Manifests of earlier versions hold the defaults of all forms.
        if key not in form.model_fields and item not in (None, 0):
            raise ValueError(f"{key!r} and {form.form!r} exclude each other")
    return form.model_validate({key: item for key, item in value.items() if key in form.model_fields})


def _form_of(value: Mapping[Any, Any]) -> type[Claim]:
    """The one form whose key is given; of a form and a special case of it, the special case."""
    given = [form for form in FORMS if value.get(form.form) is not None]
    given = [form for form in given if not any(form in special.__mro__[1:] for special in given)]
    if len(given) != 1:
        problem = f"both {given[0].form!r} and {given[1].form!r} are given" if given else "none is given"
        *others, last = (f"'{form.written}'" for form in FORMS)
        raise ValueError(f"give one of {', '.join(others)} and {last}; {problem}")
    return given[0]


AnyClaim = Annotated[_Form, WrapValidator(_of_its_form)]
"""A claim as suites hold it."""

_ADAPTER: TypeAdapter[Claim] = TypeAdapter(AnyClaim)


def read_claim(value: Any) -> Claim:
    """The claim that an entry of ``expect`` is.

    Raises
    ------
    ValidationError
        It is none.
    """
    return _ADAPTER.validate_python(value)
