"""What claims of every form have in common."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from benchkit.suite.strict import Strict

MEASURES = ("fit_seconds", "tune_seconds", "cpu_seconds", "peak_mb")
"""What every record measures, whatever the metrics: claims may speak of them too, as losses."""

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
    needs_axis: ClassVar[Literal["numbers", "positive numbers"] | None] = None

    claim: str
    source: str = ""
    paper: str = ""
    control: bool = False
    reason: str = ""
    tested_by: str = ""
    needs: str = ""
    metric: str | None = None
    tolerance: float = Field(default=0.0, ge=0, allow_inf_nan=False)
    datasets: Annotated[list[str], Field(min_length=1)] | None = None
    groups: Annotated[list[str], Field(min_length=1)] | None = None
    adversaries: list[str] | None = None
    at: list[Any] | None = None
    profiles: Annotated[list[str], Field(min_length=1)] | None = None

    @property
    @abstractmethod
    def algorithms(self) -> Sequence[str]:
        """Names of the algorithms that it is about."""

    @property
    @abstractmethod
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """The algorithms of each of its comparisons: of one, or of two."""

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
        return {
            "dataset": self.datasets,
            "group": self.groups,
            "adversary": self.adversaries,
            "axis_value": self.at,
        }

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

    @property
    def algorithms(self) -> Sequence[str]:
        """It alone."""
        return (self.algorithm,)

    @property
    def comparisons(self) -> Sequence[tuple[str, ...]]:
        """It alone, with numbers."""
        return ((self.algorithm,),)
