"""What a suite file may say: pydantic models, strict, each with its limits."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    model_validator,
)
from pydantic_core import PydanticCustomError

from benchkit.plugin.declarations import Distribution
from benchkit.plugin.estimators import short_name
from benchkit.plugin.nearest_name import Suggestion
from benchkit.suite.entries import read_space, with_name_of_estimator
from benchkit.suite.names import NO_ADVERSARY, SPLITS, STEPS, is_number, share_of


def refuse_unknown_keys(value: Mapping[Any, Any], known: list[str]) -> None:
    """Raise for a key that is not known, with the nearest that is."""
    for key in value:
        if key not in known:
            hint = Suggestion(key, known, otherwise=f"known keys: {', '.join(known)}")
            raise PydanticCustomError("unknown_key", "unknown key '{key}'; {hint}", {"key": key, "hint": hint})


class Strict(BaseModel):
    """A mapping of which every key is known; an unknown one is reported with the nearest that is."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            refuse_unknown_keys(value, list(cls.model_fields))
        return value


Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""A finite number, which neither a truth value nor a text is."""

KeptRows = Literal["scores", "labels", "losses", "none"]
"""Each includes those behind it: scores and what the adversary changed, predictions, losses, nothing."""


class Keep(Strict):
    """What is kept of each test row, and up to how many MB of a run more than losses are."""

    rows: KeptRows = "scores"
    mb: Number = Field(default=200, ge=0)


NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
AXIS = r"^(dataset|algorithm|adversary)\.\w+$"


def named(value: Any) -> Any:
    """An entry that is a name stands for a mapping."""
    return {"name": value} if isinstance(value, str) else value


class PerClass(Strict):
    """So many rows of each class."""

    per_class: int = Field(ge=1, strict=True)


_MOST_ROWS = 10**9


def _size(value: Any) -> Any:
    expected = f"{value} is not a size: give a fraction between 0 and 1, a count, or {{per_class: count}}"
    if isinstance(value, bool) or (isinstance(value, float) and not 0 < value < 1):
        raise ValueError(expected)
    if isinstance(value, int) and not 1 <= value <= _MOST_ROWS:
        raise ValueError(f"{value} is not a size: a count is at least 1 and at most {_MOST_ROWS}")
    return value


Size = Annotated[int | float | PerClass, BeforeValidator(_size), AfterValidator(_size)]


class Repetitions(Strict):
    """How often a split is repeated at least, and at most where repetitions are run until questions are decided."""

    least: int = Field(default=5, ge=3, strict=True)
    most: int = Field(default=200, ge=3, strict=True)

    @model_validator(mode="after")
    def _in_order(self) -> Repetitions:
        if self.least > self.most:
            raise ValueError(f"least ({self.least}) is more than most ({self.most})")
        return self


def _kind_of_repetitions(value: Any) -> str:
    return "range" if isinstance(value, Mapping | Repetitions) else "number"


_Number = Annotated[int, Field(ge=1, strict=True), Tag("number")]
_Range = Annotated[Repetitions, Tag("range")]


class TestRows(Strict):
    """The rows that are tested: those where a column of the data has a value."""

    __test__ = False  # to pytest

    column: str
    value: bool | int | float | str


def _kind_of_test(value: Any) -> str:
    if isinstance(value, TestRows) or (isinstance(value, Mapping) and {"column", "value"} & value.keys()):
        return "rows"
    return "file" if isinstance(value, str) and not is_number(value) else "size"


_TestFile = Annotated[str, Field(min_length=1), Tag("file")]
_TestPart = Annotated[
    Annotated[Size, Tag("size")] | _TestFile | Annotated[TestRows, Tag("rows")], Discriminator(_kind_of_test)
]


class Split(Strict):
    """How rows are divided in each repetition.

    ``random`` draws ``train``, ``validation`` and ``test`` anew; ``k-fold`` tests on each of ``folds`` parts in turn
    and takes ``validation`` (a fraction) from the rest; ``none`` trains and tests on all rows. Any other ``method`` is
    a plugin's, and ``params`` are its own.

    ``groups`` names a column whose values never stand in two parts; ``time`` one by which what is trained on comes
    before what is tested; ``stratify`` one whose values keep their proportions, in place of the classes. ``test`` may
    be a file of rows to test on, or the rows where a column has a value; then ``train`` and ``validation`` are of the
    others.
    """

    method: str = Field(default="random", pattern=NAME)
    repetitions: Annotated[_Number | _Range, Discriminator(_kind_of_repetitions)] = 1
    train: Size | None = 0.5
    validation: Size | None = None
    test: _TestPart | None = None
    folds: int | None = Field(default=None, ge=2, strict=True)
    stratify: bool | str = True
    groups: str | None = None
    time: str | None = None
    params: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _all_that_is_left(cls, value: Any) -> Any:
        """Where the test part is known, what is trained on is all the rest unless a size is given."""
        if not isinstance(value, Mapping) or "train" in value:
            return value
        known = value.get("time") is not None or _kind_of_test(value.get("test", 0)) != "size"
        return {**value, "train": None} if known else value

    @model_validator(mode="after")
    def _consistent(self) -> Split:
        """Refuse what does not go together; the first mistake is told."""
        random, in_time = self.method == "random", self.time is not None
        grouped = self.groups is not None or isinstance(self.stratify, str)
        per_class = any(isinstance(size, PerClass) for size in (self.train, self.validation, self.test))
        fractions = [part for part in (self.train, self.validation, self.test) if isinstance(part, float)]
        going_on = isinstance(self.repetitions, Repetitions)
        mistakes = {
            "'train' is empty: give a fraction between 0 and 1, or a count": (
                self.train is None and not in_time and not self.test_is_given
            ),
            "'method: none' tests on all rows: it takes no 'groups', 'time', 'stratify' or 'test'": (
                self.method == "none" and self.by_columns
            ),
            "'per_class' goes with no 'groups', 'time' or column to stratify by: give fractions, counts": (
                per_class and (grouped or in_time)
            ),
            "a given 'test' part goes with 'method: random' alone, and not with 'time'": (
                self.test_is_given and (not random or in_time)
            ),
            "'time' goes with 'method: random' alone, and not with 'groups' or a column to stratify by": (
                in_time and (not random or grouped)
            ),
            "'time' needs 'test', the rows that each repetition tests on: a fraction such as 0.1, or a count": (
                in_time and self.test is None
            ),
            "'time' has as many repetitions as there is room before the first date: give a number": (
                in_time and going_on
            ),
            f"'params' are for methods of plugins; {self.method} has none": self.params and self.method in SPLITS,
            "'folds' and 'method: k-fold' go together": (self.folds is not None) != (self.method == "k-fold"),
            "k-fold has a fixed number of folds, which share no test rows: give the number of shuffles, or take "
            "'method: random', whose repetitions can go on": self.method == "k-fold" and going_on,
            "with k-fold, 'validation' is a fraction of the training part": (
                self.method == "k-fold" and not isinstance(self.validation, float | None)
            ),
            f"the fractions of train, validation and test sum to {sum(fractions):g}, more than 1": (
                random and sum(fractions) > 1 + 1e-9
            ),
        }
        for message, holds in mistakes.items():
            if holds:
                raise ValueError(message)
        return self

    @property
    def identity(self) -> dict[str, Any]:
        """What decides which rows are drawn; how often is no part of it, nor in which folder a file lies."""
        later = {name for name in ("params", "groups", "time") if not getattr(self, name)}
        said = self.model_dump(exclude={"repetitions", *later})
        return {**said, "test": PurePath(self.test).name} if isinstance(self.test, str) else said

    @property
    def test_is_given(self) -> bool:
        """Whether the test part is a file's rows, or those that a column names, and no draw."""
        return isinstance(self.test, str | TestRows)

    @property
    def by_columns(self) -> bool:
        """Whether columns of the data, or its files, decide which rows go together."""
        return self.groups is not None or self.time is not None or isinstance(self.stratify, str) or self.test_is_given

    @property
    def total(self) -> int:
        """Number of repetitions, each fold counted; of a range, the least."""
        planned = self.repetitions.least if isinstance(self.repetitions, Repetitions) else self.repetitions
        return planned * (self.folds or 1)

    @property
    def most(self) -> int:
        """Number of repetitions that there can be."""
        return self.repetitions.most if isinstance(self.repetitions, Repetitions) else self.total


_FORMS_OF_STEPS = "'standardize', {clip: 5}, {scale: [0, 1]}, {impute: mean} and the like"


def _is_own_step(word: str, argument: Any) -> bool:
    """Whether a step of benchkit itself takes an argument; None stands for none."""
    match word:
        case "standardize":
            return argument in (None, "numbers")
        case "clip":
            return isinstance(argument, int | float) and argument > 0
        case "scale":
            ends = argument if isinstance(argument, list | tuple) and len(argument) == 2 else (1, 0)
            return all(isinstance(end, int | float) for end in ends) and ends[0] < ends[1]
        case "impute" | "impute-where-needed":
            return argument in ("mean", "median", "zero")
    return argument is None


def _step(value: Any) -> Any:
    """A word, or a mapping of one key; whether a plugin has what benchkit has not is seen later."""
    word, argument = value, None
    if isinstance(value, Mapping) and len(value) == 1:
        ((word, argument),) = value.items()
        value = {word: list(argument) if word == "scale" and isinstance(argument, tuple) else argument}
        argument = "" if argument is None else argument
    if word in STEPS:
        if not _is_own_step(word, argument):
            what = "form" if argument is None else "argument"
            raise ValueError(f"bad {what} of {word}: expected {_FORMS_OF_STEPS}")
        return value
    if isinstance(word, str) and re.match(NAME, word):
        return value
    hint = Suggestion(str(word), STEPS, otherwise=f"known: {', '.join(STEPS)}")
    raise ValueError(f"unknown preprocessing step {word!r}; {hint}")


Step = Annotated[str | dict[str, Any], BeforeValidator(_step)]

Nonnegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
ValuesEntry = Annotated[str, Field(pattern=NAME)] | list[Nonnegative]


def _label(value: str) -> str:
    if not value.strip() or value != value.strip() or not value.isprintable():
        raise ValueError(f"{value!r} is no label: give text in one line, without spaces around it")
    return value


Label = Annotated[str, AfterValidator(_label)]


def _adversary_label(value: str) -> str:
    if value == NO_ADVERSARY:
        raise ValueError("'none' is no label: it stands for the absence of an adversary")
    return value


AdversaryLabel = Annotated[Label, AfterValidator(_adversary_label)]


class DatasetEntry(Strict):
    """A dataset by name; keys other than these are its parameters, written beside them.

    Where the file of an ``optional`` dataset is absent, its trials are skipped and the rest runs.
    """

    name: str
    label: Label | None = None
    group: Label | None = None
    optional: bool = False
    params: dict[str, Any] = Field(default_factory=dict)
    split: Split | None = None
    preprocess: list[Step] | None = None
    feature_values: ValuesEntry | None = None

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        if not isinstance(value.get("params", {}), Mapping):
            return value  # for pydantic to complain of
        inline = {key: item for key, item in value.items() if key not in cls.model_fields}
        kept = {key: item for key, item in value.items() if key in cls.model_fields}
        return {**kept, "params": {**kept.get("params", {}), **inline}}

    @property
    def display_name(self) -> str:
        """The label, or the name."""
        return self.label or self.name


class UpToBudget(Strict):
    """Values of a grid that are tried where they are no more than the trial's budget."""

    up_to_budget: Annotated[list[Nonnegative], Field(min_length=1)]


if TYPE_CHECKING:
    _GridValues = Any  # where trials are planned, what the budget bounds is a plain list as well
else:
    _GridValues = Annotated[list[Any], Field(min_length=1)] | UpToBudget


_LATER_KEYS = ("search", "space", "candidates", "folds", "options")


class Tune(Strict):
    """How an algorithm's parameters are chosen, on the validation part or on inner folds of the training part.

    ``data`` says whether the validation part is corrupted as the test part will be; ``fit_on`` whether candidates are
    fitted on the training part as an adversary of phase ``train`` left it, or as it was before; ``refit`` on what the
    chosen parameters are fitted. ``search`` names a tuner, which tries the values of ``grid``, or draws from ``space``;
    ``options`` are its own. Values of the grid under ``up_to_budget`` are tried up to the trial's budget.
    """

    data: Literal["clean", "corrupted"] = "clean"
    fit_on: Literal["corrupted", "clean"] = "corrupted"
    grid: Literal["default"] | dict[str, _GridValues] = "default"
    refit: Literal["train", "train+validation"] = "train"
    metric: str | None = None
    search: str = "grid"
    space: dict[str, Any] | None = None
    candidates: int | None = Field(default=None, ge=1, le=100_000, strict=True)
    folds: int | None = Field(default=None, ge=2, strict=True)
    options: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _searchable(self) -> Tune:
        if self.space is not None:
            if self.grid != "default":
                raise ValueError("'grid' and 'space' exclude each other: a list of values in 'space' is a grid's")
            if not self.space:
                raise ValueError("'space' is empty: give {PARAMETER: [values]} or {PARAMETER: {uniform: [0, 1]}}")
            distributions = [name for name, each in read_space(self.space).items() if isinstance(each, Distribution)]
            if distributions and self.search == "grid":
                raise ValueError(f"{distributions[0]} has a distribution: give a 'search' such as random, or a list")
        if self.candidates is not None and self.search == "grid":
            raise ValueError("a grid is tried whole: leave out 'candidates', or give 'search: random'")
        return self

    @property
    def bounded(self) -> Mapping[str, UpToBudget]:
        """The parameters of the grid whose values the trial's budget bounds."""
        grid = self.grid if isinstance(self.grid, Mapping) else {}
        return {name: values for name, values in grid.items() if isinstance(values, UpToBudget)}

    def at_budget(self, budget: float) -> Tune:
        """The stage with plain lists: of values that the budget bounds, those that are no more."""
        if not isinstance(self.grid, Mapping) or not self.bounded:
            return self
        allowed = {
            name: [value for value in values.up_to_budget if value <= budget] for name, values in self.bounded.items()
        }
        return self.model_copy(update={"grid": {**self.grid, **allowed}})

    @property
    def identity(self) -> dict[str, Any]:
        """What decides which parameters are chosen; keys that came later are there only where they say something."""
        said = self.model_dump()
        defaults = {name: type(self).model_fields[name].get_default(call_default_factory=True) for name in _LATER_KEYS}
        return {key: value for key, value in said.items() if key not in defaults or value != defaults[key]}


def _stages(value: Any) -> Any:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


class AlgorithmEntry(Strict):
    """An algorithm by name. ``$budget`` and ``$axis`` in ``params`` stand for the trial's budget and axis value.

    ``tune`` is one stage or a list of stages, each of which keeps what the stages before it chose; ``grid`` is that of
    its only stage. In place of a name, ``estimator`` is any class of scikit-learn estimators, ``module:Class``, or a
    list of them that makes a pipeline, and ``fitted`` the file of a model that was fitted elsewhere.
    """

    name: str
    label: Label | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    tune: Annotated[list[Tune], BeforeValidator(_stages)] = Field(default_factory=list)
    datasets: Annotated[list[str], Field(min_length=1)] | None = None

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        known = [*cls.model_fields, "estimator", "fitted", "grid", "trust"]
        if not isinstance(value, Mapping):
            return value
        refuse_unknown_keys(value, known)
        return with_name_of_estimator(value)

    @property
    def display_name(self) -> str:
        """The label, or the name; of an estimator that of its class."""
        return self.label or short_name(self.name)


def _budget(value: Any) -> Any:
    share = share_of(value) if isinstance(value, str) else None
    amount = None if isinstance(value, bool) or not isinstance(value, int | float) else value
    if (share is None and amount is None) or (share is not None and not 0 <= share <= 1):
        raise ValueError(f"{value!r} is not a budget: give an amount such as 4, or a share such as '10%'")
    if amount is not None and not 0 <= amount < float("inf"):
        raise ValueError(f"budget {value} is out of range: a budget is at least 0")
    return value


Budget = Annotated[int | float | str, BeforeValidator(_budget)]


class AdversaryEntry(Strict):
    """An adversary by name, with the budgets it is given: amounts, or shares of what it could take at most ('10%')."""

    name: str
    label: AdversaryLabel | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    budgets: Annotated[list[Budget], Field(min_length=1)] = Field(default=[0])
    datasets: Annotated[list[str], Field(min_length=1)] | None = None

    @model_validator(mode="after")
    def _one_unit(self) -> AdversaryEntry:
        if len({isinstance(budget, str) for budget in self.budgets}) > 1:
            raise ValueError("budgets are either all amounts or all shares ('10%')")
        if len(set(self.budgets)) < len(self.budgets):
            raise ValueError("a budget is listed twice")
        return self

    @property
    def display_name(self) -> str:
        """The label, or the name."""
        return self.label or self.name


class Axis(Strict):
    """What the curve runs over instead of the budget: ``dataset.n``, ``algorithm.n_deleted`` and the like."""

    parameter: str = Field(pattern=AXIS)
    values: Annotated[list[Any], Field(min_length=1)]

    @model_validator(mode="after")
    def _all_different(self) -> Axis:
        for position, value in enumerate(self.values):
            if value != value:
                raise ValueError("nan is no value of an axis")
            if value in self.values[:position]:
                raise ValueError(f"the value {value!r} of the axis is listed twice")
        return self
