"""What a suite file may say: pydantic models, strict, each with its limits."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    Tag,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from benchkit.plugin import estimators
from benchkit.plugin.declarations.exchanged import Distribution
from benchkit.plugin.parameters import suggestion
from benchkit.suite.names import NO_ADVERSARY, SPLITS, STEPS, is_number, share_of

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
AXIS = r"^(dataset|algorithm|adversary)\.\w+$"


class Strict(BaseModel):
    """A mapping of which every key is known; what `load` says of another one names the nearest that is."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    written_as: ClassVar[Sequence[str]] = ()  # further keys of a file, which become some of these before all is checked


def _label(value: str) -> str:
    if not value.strip() or value != value.strip() or not value.isprintable():
        raise ValueError(f"{value!r} is not a label: give one line of text without spaces at its ends")
    return value


def _each_once(values: list[Any]) -> list[Any]:
    for position, value in enumerate(values):
        if value != value or value in values[:position]:
            raise ValueError("nan is no value" if value != value else f"{value!r} is listed twice")
    return values


Number = Annotated[float, Field(strict=True, allow_inf_nan=False)]
"""A finite number, which neither a truth value nor a text is."""
Nonnegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Names = Annotated[list[str], Field(min_length=1)]
Label = Annotated[str, AfterValidator(_label)]
Once = AfterValidator(_each_once)

KeptRows = Literal["scores", "labels", "losses", "none"]
"""Each includes those behind it: scores and what the adversary changed, predictions, losses, nothing."""


class Keep(Strict):
    """What is kept of each test row, and up to how many MB of a run more than losses are."""

    rows: KeptRows = "scores"
    mb: Number = Field(default=200, ge=0)


_Count = Annotated[int, Field(ge=1, strict=True)]
_MOST_ROWS = 10**9


class PerClass(Strict):
    """So many rows of each class."""

    per_class: _Count


def _size(value: Any) -> Any:
    if isinstance(value, Mapping | PerClass):
        return value
    is_count = isinstance(value, int) and not isinstance(value, bool) and 1 <= value <= _MOST_ROWS
    if not is_count and not (isinstance(value, float) and 0 < value < 1):
        raise ValueError(
            f"{value!r} is not a size: give a fraction between 0 and 1, a count of at most {_MOST_ROWS}, or "
            "{per_class: count}"
        )
    return value


Size = Annotated[int | float | PerClass, BeforeValidator(_size)]


class Repetitions(Strict):
    """How often a split is repeated at least, and at most where repetitions are run until questions are decided."""

    least: int = Field(default=5, ge=3, strict=True)
    most: int = Field(default=200, ge=3, strict=True)

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.least > self.most:
            raise ValueError(f"least ({self.least}) is more than most ({self.most})")
        return self


class TestRows(Strict):
    """The rows that are tested: those where a column of the data has a value."""

    __test__ = False  # to pytest

    column: str
    value: bool | int | float | str


def _kind_of_test(value: Any) -> str:
    if isinstance(value, TestRows) or (isinstance(value, Mapping) and {"column", "value"} & value.keys()):
        return "rows"
    return "file" if isinstance(value, str) and not is_number(value) else "size"


_Repeated = Annotated[_Count, Tag("number")] | Annotated[Repetitions, Tag("range")]
_kind_of_count = Discriminator(lambda value: "range" if isinstance(value, Mapping | Repetitions) else "number")
_File = Annotated[str, Field(min_length=1), Tag("file")]
_Test = Annotated[Size, Tag("size")] | _File | Annotated[TestRows, Tag("rows")]


class Split(Strict):
    """How rows are divided in each repetition.

    ``random`` draws ``train``, ``validation`` and ``test`` anew; ``k-fold`` tests on each of ``folds`` parts in turn
    and takes ``validation`` (a fraction) from the rest; ``none`` trains and tests on all rows. Any other ``method`` is
    a plugin's, and ``params`` are its own.

    ``groups`` names a column whose values never stand in two parts; ``time`` one, or several such as year and month, by
    which what is trained on comes before what is tested. ``test`` may be a file of rows to test on, or the rows where a
    column has a value; then ``train`` and ``validation`` are of the others.
    """

    method: str = Field(default="random", pattern=NAME)
    repetitions: Annotated[_Repeated, _kind_of_count] = 1
    train: Size | None = 0.5
    validation: Size | None = None
    test: Annotated[_Test, Discriminator(_kind_of_test)] | None = None
    folds: int | None = Field(default=None, ge=2, strict=True)
    stratify: bool = True
    groups: str | None = None
    time: str | Names | None = None
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
    def _consistent(self) -> Self:
        """Refuse what does not go together; the first mistake is told."""
        random, k_fold, in_time = self.method == "random", self.method == "k-fold", self.time is not None
        grouped, given = self.groups is not None, self.test_is_given
        sizes = (self.train, self.validation, self.test)
        total = sum(size for size in sizes if isinstance(size, float))
        empty, by_class = self.train is None, any(isinstance(size, PerClass) for size in sizes)
        endless, by_columns = isinstance(self.repetitions, Repetitions), self.method == "none" and self.by_columns
        no_fraction = k_fold and not isinstance(self.validation, float | None)
        problems = {
            "'train' is empty: give a fraction between 0 and 1, or a count": empty and not (in_time or given),
            "'method: none' tests on all rows: it takes no 'groups' or 'time', and no 'test'": by_columns,
            "'per_class' goes with no 'groups' or 'time': give fractions, counts": by_class and (grouped or in_time),
            "a given 'test' part goes with 'method: random' alone, not with 'time'": given and (in_time or not random),
            "'time' goes with 'method: random' alone, and no 'groups'": in_time and (grouped or not random),
            "'time' needs 'test', what each repetition tests on: a fraction or a count": in_time and self.test is None,
            "'time' and k-fold have a fixed number of repetitions: give a number": endless and (in_time or k_fold),
            f"'params' are for methods of plugins; {self.method} has none": self.params and self.method in SPLITS,
            "'folds' and 'method: k-fold' go together": (self.folds is not None) != k_fold,
            "with k-fold, 'validation' is a fraction of the training part": no_fraction,
            f"the fractions of train, validation and test sum to {total:g}, more than 1": random and total > 1 + 1e-9,
        }
        if problem := next((message for message, wrong in problems.items() if wrong), None):
            raise ValueError(problem)
        return self

    @property
    def test_is_given(self) -> bool:
        """Whether the test part is a file's rows, or those that a column names, and no draw."""
        return isinstance(self.test, str | TestRows)

    @property
    def by_columns(self) -> bool:
        """Whether columns of the data, or its files, decide which rows go together."""
        return self.groups is not None or self.time is not None or self.test_is_given

    @property
    def total(self) -> int:
        """Number of repetitions, each fold counted; of a range, the least."""
        planned = self.repetitions.least if isinstance(self.repetitions, Repetitions) else self.repetitions
        return planned * (self.folds or 1)


def _ends(value: tuple[float, float]) -> tuple[float, float]:
    if not value[0] < value[1]:
        raise ValueError("the lower end comes first")
    return value


_Fill = Literal["mean", "median", "zero"]
# What benchkit's own steps are given; the others of them nothing.
_ARGUMENTS: dict[str, Any] = {
    "standardize": Literal["numbers"] | None,
    "clip": Annotated[Number, Field(gt=0)],
    "scale": Annotated[tuple[Number, Number], AfterValidator(_ends)],
    "impute": _Fill,
    "impute-where-needed": _Fill,
}


def _step(value: Any) -> Any:
    """A word, or a mapping of one key; whether a plugin has what benchkit has not is seen later."""
    is_mapping = isinstance(value, Mapping) and len(value) == 1
    ((word, argument),) = value.items() if is_mapping else [(value, None)]
    if word in STEPS:
        expected: Any = _ARGUMENTS.get(word)
        try:
            TypeAdapter(expected).validate_python("" if is_mapping and argument is None else argument)
        except ValidationError:
            forms = "standardize, {standardize: numbers}, {clip: 5}, {scale: [0, 1]}, {impute: mean, median or zero}"
            given = f": {argument!r}" if argument is not None else ""
            raise ValueError(f"bad argument of {word}{given}; steps are such as {forms}") from None
    elif not (isinstance(word, str) and re.match(NAME, word)):
        hint = suggestion(str(word), STEPS, otherwise=f"known: {', '.join(STEPS)}")
        raise ValueError(f"unknown preprocessing step {word!r}; {hint}")
    return {word: list(argument)} if isinstance(argument, tuple) else value


Step = Annotated[str | dict[str, Any], BeforeValidator(_step)]
ValuesEntry = str | list[Nonnegative]


class Entry(Strict):
    """What a suite names of a plugin's, with its parameters; a name alone stands for a mapping."""

    name: str
    label: Label | None = None
    params: dict[str, Any] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _of_name(cls, value: Any) -> Any:
        """The mapping that a name stands for; what is no entry, pydantic complains of."""
        return {"name": value} if isinstance(value, str) else value

    @property
    def display_name(self) -> str:
        """The label, or the name; of an estimator that of its class."""
        return self.label or estimators.short_name(self.name)


class DatasetEntry(Entry):
    """A dataset by name; keys other than these are its parameters, written beside them.

    Where the file of an ``optional`` dataset is absent, its trials are skipped and the rest runs.
    """

    group: Label | None = None
    optional: bool = False
    split: Split | None = None
    preprocess: list[Step] | None = None
    feature_values: ValuesEntry | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_file(cls, value: Any) -> Any:
        if not isinstance(value, Mapping) or not isinstance(value.get("params", {}), Mapping):
            return value
        beside = {key: item for key, item in value.items() if key not in cls.model_fields}
        own = {key: item for key, item in value.items() if key in cls.model_fields}
        return {**own, "params": {**own.get("params", {}), **beside}}


class UpToBudget(Strict):
    """Values of a grid that are tried where they are no more than the trial's budget."""

    up_to_budget: Annotated[list[Nonnegative], Field(min_length=1)]


if TYPE_CHECKING:
    _GridValues = Any  # where trials are planned, what the budget bounds is a plain list as well
else:
    _GridValues = Annotated[list[Any], Field(min_length=1)] | UpToBudget


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
    def _searchable(self) -> Self:
        if self.space is not None and self.grid != "default":
            raise ValueError("'grid' and 'space' exclude each other: a list of values in 'space' is a grid's")
        if self.space == {}:
            raise ValueError("'space' is empty: give {PARAMETER: [values]} or {PARAMETER: {uniform: [0, 1]}}")
        drawn = [name for name, values in read_space(self.space or {}).items() if not isinstance(values, list)]
        if drawn and self.search == "grid":
            raise ValueError(f"{drawn[0]} has a distribution: give a 'search' such as random, or a list")
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
        if isinstance(self.grid, str):
            return self
        lists = {name: [v for v in values.up_to_budget if v <= budget] for name, values in self.bounded.items()}
        return self.model_copy(update={"grid": self.grid | lists}) if lists else self


def read_space(space: Mapping[str, Any]) -> dict[str, list[Any] | Distribution]:
    """Lists as they are, mappings as distributions: ``{C: {loguniform: [0.01, 100]}, kernel: [linear, rbf]}``.

    A `ValueError` where SciPy has no such distribution, or does not take these arguments.
    """
    return {name: entry if entry and isinstance(entry, list) else _drawn(name, entry) for name, entry in space.items()}


def _drawn(parameter: str, entry: Any) -> Distribution:
    import scipy.stats

    if not isinstance(entry, Mapping) or len(entry) != 1:
        raise ValueError(f"{parameter}: {entry!r} is neither a list nor like {{loguniform: [0.01, 100]}}")
    ((name, given),) = entry.items()
    args = () if isinstance(given, Mapping) else tuple(given) if isinstance(given, list) else (given,)
    distribution = Distribution(str(name), args, dict(given) if isinstance(given, Mapping) else {})
    kinds = (scipy.stats.rv_continuous, scipy.stats.rv_discrete)
    if not isinstance(getattr(scipy.stats, distribution.name, None), kinds):
        raise ValueError(f"{parameter}: no distribution {name!r} in scipy.stats, such as uniform, loguniform, randint")
    try:
        drawn = distribution.frozen().rvs(size=1, random_state=0)
        if not (drawn == drawn).all():
            raise ValueError("it draws no numbers")
    except (TypeError, ValueError) as error:
        reason = "it takes numbers" if isinstance(error, TypeError) else error
        raise ValueError(f"{parameter}: {name} does not take {given}: {reason}") from None
    return distribution


_Stages = BeforeValidator(lambda value: value if isinstance(value, list) else [] if value is None else [value])


class AlgorithmEntry(Entry):
    """An algorithm by name. ``$budget`` and ``$axis`` in ``params`` stand for the trial's budget and axis value.

    ``tune`` is one stage or a list of stages, each of which keeps what the stages before it chose; ``grid`` is that of
    its only stage. In place of a name, ``estimator`` is any class of scikit-learn estimators, ``module:Class``.
    """

    written_as: ClassVar[Sequence[str]] = ("estimator", "grid")

    tune: Annotated[list[Tune], _Stages] = Field(default_factory=list)
    datasets: Names | None = None

    @model_validator(mode="before")
    @classmethod
    def _of_file(cls, value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        entry = dict(value)
        if "grid" in entry:
            grid, stage = entry.pop("grid"), entry.get("tune", {})
            if not isinstance(stage, Mapping) or "grid" in stage:
                raise ValueError("'grid' beside 'tune' is that of its only stage: write it in the stage instead")
            entry["tune"] = {**stage, "grid": grid}
        return _of_estimator(entry) if "estimator" in entry else entry


def _of_estimator(entry: dict[str, Any]) -> dict[str, Any]:
    """An entry with the name of its class."""
    if "name" in entry:
        raise ValueError("'name' and 'estimator' exclude each other: a name is declared by a plugin")
    target = entry.pop("estimator")
    if not estimators.is_estimator_name(target):
        raise ValueError(f"{target!r} is not an estimator: write 'module:Class' such as sklearn.svm:SVC")
    return {**entry, "name": target}


def _budget(value: Any) -> Any:
    share = share_of(value) if isinstance(value, str) else None
    is_amount = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < float("inf")
    if not is_amount and (share is None or not 0 <= share <= 1):
        raise ValueError(f"{value!r} is not a budget: give an amount of 0 or more, or a share such as '10%'")
    return value


Budget = Annotated[int | float | str, BeforeValidator(_budget)]


class AdversaryEntry(Entry):
    """An adversary by name, with the budgets it is given: amounts, or shares of what it could take at most ('10%')."""

    budgets: Annotated[list[Budget], Field(min_length=1), Once] = Field(default=[0])
    datasets: Names | None = None

    @model_validator(mode="after")
    def _one_unit(self) -> Self:
        if len({isinstance(budget, str) for budget in self.budgets}) > 1:
            raise ValueError("budgets are either all amounts or all shares ('10%')")
        if self.label == NO_ADVERSARY:
            raise ValueError("'none' cannot be a label: it means no adversary")
        return self


class Axis(Strict):
    """What the curve runs over instead of the budget: ``dataset.n``, ``algorithm.n_deleted`` and the like."""

    parameter: str = Field(pattern=AXIS)
    values: Annotated[list[Any], Field(min_length=1), Once]
