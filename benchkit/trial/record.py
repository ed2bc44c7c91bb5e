"""The record of a trial: its fields, what they hold where a trial did not come so far, and a line of the journal."""

import copy
import sys
from collections.abc import Mapping
from pathlib import Path
from traceback import walk_tb
from typing import Annotated, Any, Literal, NotRequired, TypeVar, cast

from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from pydantic.fields import FieldInfo
from typing_extensions import TypedDict, get_type_hints

from benchkit.plugin.guard import FILE_MODULE, import_remedy, with_blame
from benchkit.suite.trial import Trial

Status = Literal["ok", "failed", "timeout", "memory", "crashed", "skipped"]

# Characters of an error's message that are kept.
_LONGEST = 500
# Only these leave nothing to be done again or complained about.
ENDED_WELL = ("ok", "skipped")

LARGEST = 1e100
"""Of a record's numbers: a mean has room for it, and a variance for its square."""


def _with_a_mean(value: float) -> float:
    if abs(value) > LARGEST:
        raise ValueError(f"{value:g} is beyond {LARGEST:g}, and no mean has room for it")
    return value


_Number = Annotated[float, AfterValidator(_with_a_mean)]
# Defaults are what a field holds where a trial did not come so far, an earlier version did not write it or left it out.
_Text = Annotated[str, Field(default="")]
_Measured = Annotated[_Number | None, Field(default=None)]
_Count = Annotated[int | None, Field(default=None)]
_Params = Annotated[dict[str, Any], Field(default={})]
_TextOrNone = Annotated[str | None, Field(default=None)]
_Texts = Annotated[dict[str, str], Field(default={})]


@with_config(ConfigDict(extra="allow", strict=True))
class TunedStage(TypedDict):
    """What a stage of tuning tried; the lists hold a value for each candidate, of which readers need these."""

    metric: str
    stopped: bool
    judged: int
    scores: list[_Number | None]
    spent: list[_Number]
    rows: list[int]


def _alike(stage: TunedStage) -> TunedStage:
    if not len(stage["scores"]) == len(stage["spent"]) == len(stage["rows"]):
        raise ValueError("not a value for each candidate")
    return stage


@with_config(ConfigDict(extra="allow", strict=True, defer_build=True))
class Record(TypedDict):
    """A row of the journal: the fields that readers rely on, with their types; a version to come may add others.

    A field that may be absent in a file and has a default is there in all that is read, so that nobody asks.
    ``n_rows`` counts the rows of the whole data set, ``n_train``, ``n_validation`` and ``n_test`` those of the parts,
    ``n_features`` the features, of which budgets may be shares; ``generated`` says whether each repetition (each
    shuffle, for k-fold) draws fresh data; ``split`` is the method, or ``time`` or ``given`` where dates or a given test
    part decide, and ``folds`` the number of folds or None. ``units`` is ``rows``, or where whole groups are drawn the
    ``column`` that tells them and the number of ``groups``.
    """

    trial: str
    status: Literal["ok", "failed", "timeout", "memory", "crashed", "skipped", "interrupted"]
    cell: str
    dataset: str
    algorithm: str
    repetition: int
    metrics: dict[str, _Number | None]
    run: NotRequired[_Text]
    measured_in: NotRequired[str]
    suite: NotRequired[_Text]
    profile: NotRequired[_Text]
    dataset_params: NotRequired[_Params]
    group: NotRequired[_TextOrNone]
    feature_values: NotRequired[Annotated[str | list[float], Field(default="uniform")]]
    params: NotRequired[_Params]
    adversary: NotRequired[Annotated[str, Field(default="none")]]
    adversary_params: NotRequired[_Params]
    budget: NotRequired[_Measured]
    axis: NotRequired[Annotated[str, Field(default="budget")]]
    axis_value: NotRequired[Annotated[str | int | _Number | bool | None, Field(default=None)]]
    fit_seconds: NotRequired[_Measured]
    tune_seconds: NotRequired[_Measured]
    cpu_seconds: NotRequired[_Measured]
    peak_mb: NotRequired[_Measured]
    error_type: NotRequired[_TextOrNone]
    error: NotRequired[_TextOrNone]
    n_rows: NotRequired[_Count]
    n_train: NotRequired[_Count]
    n_validation: NotRequired[_Count]
    n_test: NotRequired[_Count]
    n_features: NotRequired[_Count]
    generated: NotRequired[Annotated[bool | None, Field(default=None)]]
    split: NotRequired[_TextOrNone]
    folds: NotRequired[_Count]
    units: NotRequired[Annotated[str | dict[str, Any] | None, Field(default=None)]]
    warnings: NotRequired[Annotated[dict[str, dict[str, int] | list[str]], Field(default={})]]
    at_edge: NotRequired[_Texts]
    no_value: NotRequired[_Texts]
    metric_code: NotRequired[_Texts]  # hash of the code that computed each value
    tuning: NotRequired[Annotated[list[Annotated[TunedStage, AfterValidator(_alike)]], Field(default=[])]]
    outcomes: NotRequired[_TextOrNone]
    # Of a published row that stands beside a run's own: its contribution, and the suite that it was published with.
    published: NotRequired[str]
    published_with: NotRequired[str]


BLANK: dict[str, Any] = {
    name: note.default
    for name, hint in get_type_hints(Record, include_extras=True).items()
    for note in getattr(getattr(hint, "__args__", (None,))[0], "__metadata__", ())  # within NotRequired
    if isinstance(note, FieldInfo)
}
"""What each field holds that has nothing to say."""


_FORMAT = TypeAdapter(Record)

_Row = TypeVar("_Row", bound=Record)


def changed(record: _Row, fields: Mapping[str, Any]) -> _Row:
    """A copy of a record with other values of some fields."""
    return cast(_Row, {**record, **fields})


def first_mistake(error: ValidationError) -> str:
    """Where something is not as a format says, and what is wrong there."""
    first = error.errors(include_url=False, include_input=False)[0]
    return ": ".join(filter(None, [".".join(map(str, first["loc"])), first["msg"]]))


def parse_record(line: str | bytes) -> Record:
    """The record of a line of the journal; a ValueError says what is wrong with one that is no record."""
    try:
        return _FORMAT.validate_json(line)
    except ValidationError as error:
        raise ValueError(first_mistake(error)) from None


def compact(record: Mapping[str, Any], kept: dict[Any, Any]) -> Record:
    """A record made of the names, texts and mappings that earlier ones have, which are ``kept``.

    One that was pickled or parsed has texts of its own, names of its fields included: 4.5 kB, of which it shares nearly
    all with the others of its run.
    """
    shared = {sys.intern(name): value for name, value in record.items()}
    shared["metrics"] = {sys.intern(metric): number for metric, number in record["metrics"].items()}
    # To look for the like of what is a trial's own would cost, and find none.
    for name in shared.keys() - {"metrics", "trial", "fit_seconds", "cpu_seconds", "outcomes"}:
        value = shared[name]
        if type(value) in (str, dict, float):  # 1, 1.0 and True in mappings are equal
            shared[name] = kept.setdefault(value if type(value) is str else (type(value), repr(value)), value)
    return cast(Record, shared)


def _line_of(error: BaseException) -> str:
    """Where in a plugin file an exception came from, such as `` (mine.py:6)``; empty of all other code."""
    lines = [
        f" ({Path(frame.f_code.co_filename).name}:{line})"
        for frame, line in walk_tb(error.__traceback__)
        if str(frame.f_globals.get("__name__")).startswith(FILE_MODULE) and Path(frame.f_code.co_filename).is_file()
    ]
    return next(reversed(lines), "")


def record(
    trial: Trial,
    trial_id: str,
    status: Status,
    *,
    outcome: Mapping[str, Any] | None = None,
    error: BaseException | None = None,
    reason: str = "",
) -> dict[str, Any]:
    """One row of the journal, with every field that readers rely on.

    ``outcome`` has the fields that the trial produced; ``error`` is why it did not end ok, or a metric of it has no
    value, with one line instead of its own in ``reason``.
    """
    row = {"trial": trial_id, "status": status, **trial.fields, "metrics": {}}
    row |= {name: copy.copy(value) for name, value in BLANK.items() if name not in row}
    if error is not None or reason:
        kind = status if error is None else type(error).__name__
        if error is not None and not reason:
            reason = f"{with_blame(error)}{import_remedy(error, where=' in {}')}"
        # The first line, of bounded length, in characters that every file and terminal takes.
        first = next(iter(reason[: 10 * _LONGEST].strip().splitlines()), "")
        short = first if len(first) <= _LONGEST else f"{first[:_LONGEST]}..."
        short += _line_of(error) if error is not None and status in ("failed", "ok") else ""  # of a metric it is ok
        row |= {"error_type": kind, "error": "".join(char if char.isprintable() else "?" for char in short)}
    return row | dict(outcome or {})
