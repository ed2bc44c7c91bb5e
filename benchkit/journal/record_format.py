"""What a line of the journal must be so that every reader can use it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired, TypeVar, cast

from pydantic import AfterValidator, ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from benchkit.trial.record import LARGEST


def _with_a_mean(value: float) -> float:
    if abs(value) > LARGEST:
        raise ValueError(f"{value:g} is beyond {LARGEST:g}, and no mean has room for it")
    return value


_Number = Annotated[float, AfterValidator(_with_a_mean)]


@with_config(ConfigDict(extra="allow", strict=True, defer_build=True))
class Record(TypedDict):
    """A row of the journal: the fields that readers rely on, with their types; a version to come may add others.

    What may be absent in a file is there in what `parse_record` gives, so that nobody asks.
    """

    trial: str
    status: Literal["ok", "failed", "timeout", "memory", "crashed", "skipped", "interrupted"]
    cell: str
    dataset: str
    algorithm: str
    repetition: int
    metrics: dict[str, _Number | None]
    run: NotRequired[str]
    measured_in: NotRequired[str]
    suite: NotRequired[str]
    profile: NotRequired[str]
    dataset_params: NotRequired[dict[str, Any]]
    group: NotRequired[str | None]
    feature_values: NotRequired[str | list[float]]
    params: NotRequired[dict[str, Any]]
    adversary: NotRequired[str]
    adversary_params: NotRequired[dict[str, Any]]
    budget: NotRequired[_Number | None]
    axis: NotRequired[str]
    axis_value: NotRequired[str | int | _Number | bool | None]
    fit_seconds: NotRequired[_Number | None]
    tune_seconds: NotRequired[_Number | None]
    cpu_seconds: NotRequired[_Number | None]
    peak_mb: NotRequired[_Number | None]
    n_rows: NotRequired[int | None]
    n_train: NotRequired[int | None]
    n_validation: NotRequired[int | None]
    n_test: NotRequired[int | None]
    n_features: NotRequired[int | None]
    generated: NotRequired[bool | None]
    split: NotRequired[str | None]
    folds: NotRequired[int | None]
    units: NotRequired[str | dict[str, Any] | None]
    warnings: NotRequired[dict[str, dict[str, int] | list[str]]]
    at_edge: NotRequired[dict[str, str]]
    no_value: NotRequired[dict[str, str]]
    metric_code: NotRequired[dict[str, str]]  # hash of the code that computed each value
    tuning: NotRequired[list[dict[str, Any]]]
    outcomes: NotRequired[str | None]
    error_type: NotRequired[str | None]
    error: NotRequired[str | None]
    # Of a published row that stands beside a run's own: its contribution, and the suite that it was published with.
    published: NotRequired[str]
    published_with: NotRequired[str]


# What an earlier version did not write, or a person left out.
_BLANK: dict[str, Any] = {
    "run": "",
    "suite": "",
    "profile": "",
    "dataset_params": {},
    "group": None,
    "feature_values": "uniform",
    "params": {},
    "adversary": "none",
    "adversary_params": {},
    "budget": None,
    "axis": "budget",
    "axis_value": None,
    "fit_seconds": None,
    "tune_seconds": None,
    "cpu_seconds": None,
    "peak_mb": None,
    "n_rows": None,
    "n_train": None,
    "n_validation": None,
    "n_test": None,
    "n_features": None,
    "generated": None,
    "split": None,
    "folds": None,
    "units": None,
    "warnings": {},
    "at_edge": {},
    "no_value": {},
    "metric_code": {},
    "tuning": [],
    "outcomes": None,
    "error_type": None,
    "error": None,
}

_FORMAT = TypeAdapter(Record)


_Row = TypeVar("_Row", bound=Record)


def changed(record: _Row, fields: Mapping[str, Any]) -> _Row:
    """A copy of a record with other values of some fields."""
    return cast(_Row, {**record, **fields})


class DamagedLineError(ValueError):
    """A line of the journal that is no record; the message says what is wrong with it."""


def parse_record(line: str) -> Record:
    """The record of a line.

    Raises
    ------
    DamagedLineError
    """
    try:
        row = _FORMAT.validate_json(line)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise DamagedLineError(f"{where}: {first['msg']}" if where else "not a JSON object, or torn") from None
    return row if row.keys() >= _BLANK.keys() else cast(Record, _BLANK | row)
