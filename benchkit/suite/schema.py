"""The suite file format as pydantic models: what a YAML suite may say, and nothing else."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
AXIS = r"^(dataset|algorithm|adversary)\.\w+$"


class Strict(BaseModel):
    """A mapping of which every key is known; an unknown one is reported with the nearest that is."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            for key in value:
                if key not in cls.model_fields:
                    close = difflib.get_close_matches(str(key), cls.model_fields, n=1)
                    known = ", ".join(cls.model_fields)
                    hint = f"did you mean {close[0]!r}?" if close else f"known keys: {known}"
                    raise PydanticCustomError("unknown_key", "unknown key '{key}'; {hint}", {"key": key, "hint": hint})
        return value


def _named(value: Any) -> Any:
    return {"name": value} if isinstance(value, str) else value


class PerClass(Strict):
    """So many rows of each class."""

    per_class: int = Field(ge=1, strict=True)


def _size(value: float | PerClass) -> float | PerClass:
    if isinstance(value, float) and not 0 < value < 1:
        raise ValueError(f"{value} is not a size: give a fraction between 0 and 1, a count, or {{per_class: count}}")
    if isinstance(value, int) and value < 1:
        raise ValueError(f"{value} is not a size: a count is at least 1")
    return value


Size = Annotated[int | float | PerClass, AfterValidator(_size)]


class Split(Strict):
    """How rows are divided in each repetition.

    ``random`` draws ``train``, ``validation`` and ``test`` anew; ``k-fold`` tests on each of ``folds`` parts in turn
    and takes ``validation`` (a fraction) from the rest; ``none`` trains and tests on all rows.
    """

    method: Literal["random", "k-fold", "none"] = "random"
    repetitions: int = Field(default=1, ge=1, strict=True)
    train: Size = 0.5
    validation: Size | None = None
    test: Size | None = None
    folds: int | None = Field(default=None, ge=2, strict=True)
    stratify: bool = True

    @model_validator(mode="after")
    def _consistent(self) -> Split:
        if (self.folds is not None) != (self.method == "k-fold"):
            raise ValueError("'folds' and 'method: k-fold' go together")
        if self.method == "k-fold" and not isinstance(self.validation, float | None):
            raise ValueError("with k-fold, 'validation' is a fraction of the training part")
        parts = [part for part in (self.train, self.validation, self.test) if isinstance(part, float)]
        if self.method == "random" and sum(parts) > 1 + 1e-9:
            raise ValueError(f"the fractions of train, validation and test sum to {sum(parts):g}, more than 1")
        return self

    @property
    def total(self) -> int:
        """Number of repetitions, each fold counted."""
        return self.repetitions * (self.folds or 1)


_PLAIN_STEPS = ("standardize", "unit-variance", "log1p")
_NUMERIC_STEPS = ("clip", "scale", "impute")


def _is_interval(value: Any) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    return all(isinstance(end, int | float) for end in value) and value[0] < value[1]


def _step(value: Any) -> Any:
    if isinstance(value, str) and value in _PLAIN_STEPS:
        return value
    if isinstance(value, Mapping) and len(value) == 1:
        (key, argument), *_ = value.items()
        if key == "clip" and isinstance(argument, int | float) and argument > 0:
            return dict(value)
        if key == "scale" and _is_interval(argument):
            return {"scale": list(argument)}
        if key == "impute" and argument in ("mean", "median"):
            return dict(value)
        if key in _NUMERIC_STEPS:
            raise ValueError(f"bad argument of {key}: expected {{clip: 5}}, {{scale: [0, 1]}} or {{impute: mean}}")
    word = value if isinstance(value, str) else next(iter(value), "") if isinstance(value, Mapping) else repr(value)
    if word in _PLAIN_STEPS + _NUMERIC_STEPS:
        raise ValueError(f"bad form of {word}: expected 'standardize', {{clip: 5}}, {{scale: [0, 1]}} and the like")
    close = difflib.get_close_matches(str(word), _PLAIN_STEPS + _NUMERIC_STEPS, n=1)
    hint = f"did you mean {close[0]!r}?" if close else f"known: {', '.join(_PLAIN_STEPS + _NUMERIC_STEPS)}"
    raise ValueError(f"unknown preprocessing step {word!r}; {hint}")


Step = Annotated[str | dict[str, Any], BeforeValidator(_step)]

Nonnegative = Annotated[float, Field(ge=0, allow_inf_nan=False)]
FeatureValues = Literal["uniform", "mutual-information", "given"] | list[Nonnegative]


def _label(value: str) -> str:
    if not value.strip() or value != value.strip() or not value.isprintable():
        raise ValueError(f"{value!r} is no label: give text in one line, without spaces around it")
    return value


Label = Annotated[str, AfterValidator(_label)]


def _adversary_label(value: str) -> str:
    if value == "none":
        raise ValueError("'none' is no label: it stands for the absence of an adversary")
    return value


AdversaryLabel = Annotated[Label, AfterValidator(_adversary_label)]


class DatasetEntry(Strict):
    """A dataset by name; keys other than these are its parameters, written beside them."""

    name: str
    label: Label | None = None
    group: Label | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    split: Split | None = None
    preprocess: list[Step] | None = None
    feature_values: FeatureValues | None = None

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
    def shown(self) -> str:
        """The label, or the name."""
        return self.label or self.name


class Tune(Strict):
    """How an algorithm's parameters are chosen on the validation part.

    ``data`` says whether the validation part is corrupted as the test part will be; ``fit_on`` whether candidates are
    fitted on the training part as an adversary of phase ``train`` left it, or as it was before; ``refit`` on what the
    chosen parameters are fitted.
    """

    data: Literal["clean", "corrupted"] = "clean"
    fit_on: Literal["corrupted", "clean"] = "corrupted"
    grid: Literal["default"] | dict[str, Annotated[list[Any], Field(min_length=1)]] = "default"
    refit: Literal["train", "train+validation"] = "train"
    metric: str | None = None


def _stages(value: Any) -> Any:
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


class AlgorithmEntry(Strict):
    """An algorithm by name. ``$budget`` and ``$axis`` in ``params`` stand for the trial's budget and axis value.

    ``tune`` is one stage or a list of stages, each of which keeps what the stages before it chose.
    """

    name: str
    label: Label | None = None
    params: dict[str, Any] = Field(default_factory=dict)
    tune: Annotated[list[Tune], BeforeValidator(_stages)] = Field(default_factory=list)
    datasets: Annotated[list[str], Field(min_length=1)] | None = None

    @property
    def shown(self) -> str:
        """The label, or the name."""
        return self.label or self.name


def _budget(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{value!r} is not a budget: give an amount such as 4, or a share such as '10%'")
    if isinstance(value, str):
        try:
            share = float(value.removesuffix("%"))
        except ValueError:
            share = -1.0
        if not value.endswith("%") or not 0 <= share <= 100:
            raise ValueError(f"{value!r} is not a budget: give an amount such as 4, or a share such as '10%'")
    elif not 0 <= value < float("inf"):
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
    def shown(self) -> str:
        """The label, or the name."""
        return self.label or self.name


class Axis(Strict):
    """What the curve runs over instead of the budget: ``dataset.n``, ``algorithm.n_deleted`` and the like."""

    parameter: str = Field(pattern=AXIS)
    values: Annotated[list[Any], Field(min_length=1)]

    @model_validator(mode="after")
    def _all_different(self) -> Axis:
        for position, value in enumerate(self.values):
            if value in self.values[:position]:
                raise ValueError(f"the value {value!r} of the axis is listed twice")
        return self


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
    on their means. ``paper`` is what the paper reports, ``reason`` why it may not be reproduced, for reports.
    """

    claim: str
    source: str = ""
    paper: str = ""
    reason: str = ""
    metric: str | None = None
    order: Annotated[list[str], Field(min_length=2)] | None = None
    alike: Annotated[list[str], Field(min_length=2)] | None = None
    algorithm: str | None = None
    between: tuple[float, float] | None = None
    value: float | None = None
    monotone: Literal["increasing", "decreasing", "constant"] | None = None
    exponent: tuple[float, float] | None = None
    by: float = Field(default=0.0, ge=0)
    breakdown: float | None = None
    tolerance: float = Field(default=0.0, ge=0)
    datasets: Annotated[list[str], Field(min_length=1)] | None = None
    groups: Annotated[list[str], Field(min_length=1)] | None = None
    adversaries: list[str] | None = None
    at: list[Any] | None = None

    @model_validator(mode="after")
    def _one_form(self) -> Expectation:
        given = [form for form in _FORMS if getattr(self, form) is not None]
        if len(given) != 1:
            found = f"both {given[0]!r} and {given[1]!r} are given" if given else "none is given"
            raise ValueError(
                "give one of 'order: [better, worse]', 'alike: [one, other]', 'between: [low, high]', 'value: NUMBER', "
                f"'monotone: increasing' and 'exponent: [low, high]'; {found}"
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


_OF_A_COLLECTION = {"name", "title", "source", "description", "include"}


class Suite(Strict):
    """Datasets x algorithms x adversaries x budgets, and how they are run and judged."""

    name: str = Field(pattern=NAME, max_length=100)
    title: str = ""
    source: str = ""
    description: str = ""
    plugins: list[str] = Field(default_factory=list)
    datasets: list[Annotated[DatasetEntry, BeforeValidator(_named)]] = Field(default_factory=list)
    split: Split = Field(default_factory=Split)
    preprocess: list[Step] = Field(default_factory=list)
    feature_values: FeatureValues = "uniform"
    algorithms: list[Annotated[AlgorithmEntry, BeforeValidator(_named)]] = Field(default_factory=list)
    adversaries: list[Annotated[AdversaryEntry, BeforeValidator(_named)]] = Field(default_factory=list)
    axis: Axis | None = None
    metrics: Annotated[list[str], Field(min_length=1)] = Field(default_factory=lambda: ["error"])
    seed: int = Field(default=0, ge=0, strict=True)
    exclusive: bool = False
    hours: float | None = Field(default=None, gt=0)
    profiles: dict[str, dict[str, Any]] = Field(default_factory=dict)
    expect: list[Expectation] = Field(default_factory=list)
    include: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _runs_something(self) -> Suite:
        if self.include:
            idle = self.model_fields_set - _OF_A_COLLECTION
            if idle:
                raise ValueError(f"a suite with 'include' runs other suites and has no {', '.join(sorted(idle))}")
        elif not (self.datasets and self.algorithms):
            empty = [key for key in ("datasets", "algorithms", "include") if key in self.model_fields_set]
            hint = "".join(f"; {key!r} is empty" for key in empty if not getattr(self, key))
            raise ValueError(f"a suite needs 'datasets' and 'algorithms', or 'include'{hint}")
        return self
