"""The index of published results: one JSON file that says where each row came from, checked before it is believed."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from benchkit.journal import PublishError
from benchkit.journal.manifest import with_question
from benchkit.published.rows import described_columns
from benchkit.regular_file import require_few_values

SCHEMA = 2
"""Version of index and columns; it counts up when a reader of this one would go wrong."""
INDEX = "index.json"
MOST_BYTES = 32 * 2**20
"""Of an index."""
_PART = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}", re.ASCII)


def _relative(path: str) -> str:
    parts = path.split("/")
    if len(parts) != 3 or not path.endswith(".parquet") or not all(_PART.fullmatch(part) for part in parts):
        raise ValueError("expected SUITE/PROFILE/METHOD.parquet")
    return path


_Path = Annotated[str, AfterValidator(_relative)]
_Short = Annotated[str, Field(max_length=500)]
_Plain = Annotated[str, Field(max_length=500, pattern=r"\A[^\x00-\x1f]*\z")]
_Name = Annotated[str, Field(pattern=r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,199}\z")]
_Id = Annotated[str, Field(pattern=r"\A[0-9a-f]{8,64}\z")]


@with_config(ConfigDict(extra="allow", strict=True))
class _File(TypedDict):
    path: _Path
    sha256: Annotated[str, Field(pattern=r"\A[0-9a-f]{64}\z")]
    bytes: Annotated[int, Field(ge=0)]
    rows: Annotated[int, Field(ge=0)]
    suite: _Name
    profile: _Name
    method: _Short


@with_config(ConfigDict(extra="allow", strict=True))
class _AsRun(TypedDict):
    algorithms: NotRequired[list[str | dict[str, Any]]]


@with_config(ConfigDict(extra="allow", strict=True))
class _PublishedSuite(TypedDict):
    suite: _Name
    title: str
    as_run: _AsRun
    greater_is_better: dict[str, bool]
    ranges: dict[str, list[float | None]]
    attack_order: dict[str, Any]
    feature_values: dict[str, list[float]]


@with_config(ConfigDict(extra="allow", strict=True))
class _Adversary(TypedDict):
    name: str
    params: dict[str, Any]
    budget: list[str]


@with_config(ConfigDict(extra="allow", strict=True))
class _AskedDataset(TypedDict):
    name: str
    params: dict[str, Any]


@with_config(ConfigDict(extra="allow", strict=True))
class _Asked(TypedDict):
    seed: int
    dataset: _AskedDataset
    split: dict[str, Any]
    preprocess: list[Any]
    feature_values: str | list[float]
    adversary: _Adversary | None
    axis: str


@with_config(ConfigDict(extra="allow", strict=True))
class _Design(TypedDict):
    question: _Asked
    code: dict[str, str]
    metrics: dict[str, str]
    files: NotRequired[dict[str, str]]


@with_config(ConfigDict(extra="allow", strict=True))
class _Entry(TypedDict):
    name: str
    params: dict[str, Any]
    tune: list[dict[str, Any]]


@with_config(ConfigDict(extra="allow", strict=True))
class _Method(TypedDict):
    question: _Entry
    code: str
    versions: dict[str, str]


@with_config(ConfigDict(extra="allow", strict=True))
class _Contribution(TypedDict):
    file: _Path
    suite_spec: _Id
    suite: _Name
    profile: _Name
    method: _Short
    methods: dict[str, Annotated[_Method, BeforeValidator(with_question)]]
    run: _Name
    started: _Short
    published: _Short
    by: _Short
    licence: _Short
    machine: dict[str, _Plain | int | float | None]
    python: _Short
    benchkit: _Short
    versions: dict[str, str]
    commit: str | None
    uncommitted_changes: bool
    rows: Annotated[int, Field(ge=0)]
    warnings: list[str]
    tuned: dict[str, dict[str, int]]
    probe: NotRequired[dict[str, Any] | None]


@with_config(ConfigDict(extra="allow", strict=True))
class _Conflict(TypedDict):
    trial: str
    runs: list[str]
    text: str


@with_config(ConfigDict(extra="allow", strict=True, defer_build=True))
class _IndexFormat(TypedDict):
    benchkit_results: Annotated[int, Field(ge=1)]
    columns: dict[str, str]
    files: Annotated[list[_File], Field(max_length=20_000)]
    suites: dict[_Id, _PublishedSuite]
    designs: dict[_Id, Annotated[_Design, BeforeValidator(with_question)]]
    contributions: dict[_Id, _Contribution]
    conflicts: list[_Conflict]
    rechecks: list[dict[str, Any]]


_FORMAT = TypeAdapter(_IndexFormat)
Index = dict[str, Any]


def empty_index() -> Index:
    """An index of nothing."""
    return {
        "benchkit_results": SCHEMA,
        "columns": described_columns(),
        "files": [],
        "suites": {},
        "designs": {},
        "contributions": {},
        "conflicts": [],
        "rechecks": [],
    }


def parse_index(content: bytes, name: str) -> Index:
    """An index that anybody may have written.

    Parameters
    ----------
    content : bytes
    name : str
        Of the file, for messages.

    Raises
    ------
    PublishError
    """
    if len(content) > MOST_BYTES:
        raise PublishError(f"{name}: {len(content)} bytes; an index of published results has {MOST_BYTES} at most")
    try:
        require_few_values(content)
        index: Index = dict(_FORMAT.validate_json(content))
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part)[:60] for part in first["loc"])
        what = f"{where}: {first['msg']}" if where else str(first["msg"])
        raise PublishError(f"{name}: not an index of published results: {what[:200]}") from None
    except ValueError as error:
        raise PublishError(f"{name}: not an index of published results: {error}") from None
    version = index["benchkit_results"]
    if version > SCHEMA:
        raise PublishError(f"{name}: written for version {version} of published results; this benchkit reads {SCHEMA}")
    _check_references(index, name)
    index["benchkit_results"] = SCHEMA
    return index


def _check_references(index: Index, name: str) -> None:
    paths = [file["path"] for file in index["files"]]
    if len(set(paths)) < len(paths):
        raise PublishError(f"{name}: a file is listed twice")
    for key, contribution in index["contributions"].items():
        if contribution["file"] not in paths or contribution["suite_spec"] not in index["suites"]:
            raise PublishError(f"{name}: contribution {key} names a file or a suite that the index does not have")


def index_text(index: Mapping[str, Any]) -> str:
    """An index as text: one line for each entry, so that changes are read line by line."""
    lines = []
    for key, value in index.items():
        if isinstance(value, dict) and value:
            items = (f"  {json.dumps(name)}: {json.dumps(item, sort_keys=True)}" for name, item in value.items())
            lines.append(f" {json.dumps(key)}: {{\n" + ",\n".join(items) + "\n }")
        elif isinstance(value, list) and value:
            items = (f"  {json.dumps(item, sort_keys=True)}" for item in value)
            lines.append(f" {json.dumps(key)}: [\n" + ",\n".join(items) + "\n ]")
        else:
            lines.append(f" {json.dumps(key)}: {json.dumps(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"
