"""Manifests: what a run, or a run of several suites, was made of. They are written whole, and read here alone."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, NotRequired

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from benchkit.journal.errors import JournalError
from benchkit.journal.folder_name import folder_name
from benchkit.journal.record_format import Record
from benchkit.journal.store import Store, best
from benchkit.plugin.nearest_name import nearest_name

Manifest = dict[str, Any]


@with_config(ConfigDict(extra="allow", strict=True))
class _AttackOrder(TypedDict):
    metrics: dict[str, bool]
    pairs: list[dict[str, str | bool]]


@with_config(ConfigDict(extra="allow", strict=True))
class _Suite(TypedDict):
    metrics: NotRequired[list[str]]
    expect: NotRequired[list[dict[str, Any]]]
    plugins: NotRequired[list[str]]
    datasets: NotRequired[list[str | dict[str, Any]]]


def with_question(said: Any) -> Any:
    """A design or a method, whose ``question`` earlier versions called ``asked`` and ``entry``."""
    if not isinstance(said, dict):
        return said
    return {"question" if key in ("asked", "entry") else key: value for key, value in said.items()}


_Said = Annotated[dict[str, Any], BeforeValidator(with_question)]


@with_config(ConfigDict(extra="allow", strict=True))
class _Content(TypedDict):
    """What the run's trials ask, as `benchkit.session.designs` describes it."""

    designs: dict[str, _Said]
    methods: dict[str, _Said]
    places: dict[str, Annotated[list[str], Field(min_length=2, max_length=2)]]


@with_config(ConfigDict(extra="allow", strict=True, defer_build=True))
class _Format(TypedDict):
    """Types of the fields that readers rely on; a version to come may add others."""

    # A suite's name is a folder's: it cannot lead elsewhere.
    suite: Annotated[str, AfterValidator(folder_name)]
    title: str
    suite_as_run: _Suite
    trials: list[str]
    run: NotRequired[Annotated[str, AfterValidator(folder_name)]]
    profile: NotRequired[str]
    started: NotRequired[str]
    command: NotRequired[str]
    positions: NotRequired[list[int]]
    reused_from: NotRequired[dict[str, list[str]]]
    plugins: NotRequired[list[str]]
    plugin_digests: NotRequired[dict[str, str]]
    feature_values: NotRequired[dict[str, list[float]]]
    shard: NotRequired[str]
    fresh: NotRequired[bool]
    complete: NotRequired[bool]
    environment: NotRequired[dict[str, Any]]
    source: NotRequired[dict[str, Any] | None]
    ingredients: NotRequired[dict[str, dict[str, str]]]
    attack_order: NotRequired[_AttackOrder | Annotated[dict[str, Any], Field(max_length=0)]]
    axis_titles: NotRequired[dict[str, str]]
    situations: NotRequired[dict[str, str]]
    shares: NotRequired[dict[str, str]]
    greater_is_better: NotRequired[dict[str, bool]]
    ranges: NotRequired[dict[str, tuple[float | None, float | None] | list[float | None]]]
    disagreements: NotRequired[list[str]]
    content: NotRequired[_Content]


_FORMAT = TypeAdapter(_Format)

FILE = "manifest.json"
_OF_SEVERAL = "collection.json"


def write_manifest(folder: Path, manifest: Mapping[str, Any], name: str = FILE) -> None:
    """Write a run's manifest whole."""
    path = folder / name
    partial = path.with_suffix(".partial")
    with partial.open("w", encoding="utf-8") as file:  # piece by piece: of many trials the text is long
        json.dump(manifest, file, indent=1, default=str)
        file.write("\n")
    partial.replace(path)


def write_group(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Write which runs belong to a run of several suites.

    Raises
    ------
    JournalError
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_manifest(folder, manifest, _OF_SEVERAL)
    except OSError as error:
        raise JournalError(f"{folder}: cannot write here: {error.strerror or error}") from None


def read_manifest(folder: Path) -> Manifest:
    """The manifest of a run's folder, checked for what readers need.

    Raises
    ------
    JournalError
        It cannot be read, or is not a manifest.
    """
    path = folder / FILE
    try:
        manifest: Manifest = dict(_FORMAT.validate_json(path.read_bytes().removeprefix(codecs.BOM_UTF8)))
        if "positions" in manifest and len(manifest["positions"]) != len(manifest["trials"]):
            raise JournalError(f"{path}: not a manifest: positions: not one for each trial")
        return manifest
    except OSError as error:
        raise JournalError(f"{path}: cannot read: {error.strerror or error}") from None
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"])
        raise JournalError(f"{path}: not a manifest: {where + ': ' if where else ''}{first['msg']}") from None
    except ValueError as error:
        raise JournalError(f"{path}: not a manifest: {error}") from None


def read_group(folder: Path) -> tuple[Manifest, list[Path]]:
    """The manifest of a run of several suites, and the folders of their runs.

    Raises
    ------
    JournalError
    """
    path = folder / _OF_SEVERAL
    try:
        manifest: Manifest = json.loads(path.read_bytes())
        manifest |= {"collection": folder_name(manifest["collection"]), "title": str(manifest["title"])}
        runs = {folder_name(suite): folder_name(run) for suite, run in manifest["runs"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise JournalError(f"{path}: not the manifest of a collection: {error}") from None
    return manifest, [folder.parent.parent / suite / run for suite, run in runs.items()]


def find_group(reference: str | Path) -> Path | None:
    """The folder of a run of several suites: the one given, or the newest in it; None where there is none."""
    folder = Path(reference)
    if (folder / _OF_SEVERAL).is_file():
        return folder
    groups = sorted(folder.glob(f"*/{_OF_SEVERAL}"))
    return groups[-1].parent if groups else None


def find_run(reference: str | Path) -> Path:
    """The folder of a run: the one given, or the newest in the one given.

    Raises
    ------
    JournalError
        There is none.
    """
    folder = Path(reference)
    if (folder / FILE).exists():
        return folder
    manifests = sorted(folder.glob(f"*/{FILE}"))
    if not manifests:
        beside = [] if folder.exists() else [each.parent.parent.name for each in folder.parent.glob(f"*/*/{FILE}")]
        near = nearest_name(folder.name, dict.fromkeys(beside))
        hint = f"did you mean {folder.with_name(near)}?" if near else "name runs/SUITE or one run's folder"
        raise JournalError(f"{reference}: no run here; {hint}")
    return manifests[-1].parent


def runs_of(reference: str | Path) -> list[Path]:
    """The folders of the runs that a reference stands for: one, or those of a collection's run, in its order."""
    group = find_group(reference)
    return read_group(group)[1] if group is not None else [find_run(reference)]


def read_run(reference: str | Path) -> tuple[Manifest, list[Record], Path]:
    """The manifest, the records in its order, and the folder of a run.

    Rows belong to runs: those that the run made, and those of earlier runs that it says it reused.

    Parameters
    ----------
    reference : path
        A run's folder, or a suite's folder, which stands for its newest run.
    """
    folder = find_run(reference)
    manifest = read_manifest(folder)
    store = Store(folder.parent.parent, folder.parent.name)
    rows = best(((row["run"], row["trial"]), row) for row in store.rows())
    manifest["damaged"] = store.damaged
    records = []
    for trial, origin in owners(manifest, folder.name).items():
        # A reused record that is called otherwise in this run was written anew for it.
        row = rows.get((folder.name, trial)) or rows.get((origin, trial))
        if row is not None:
            records.append(row)
    return manifest, records, folder


def owners(manifest: Manifest, run: str) -> dict[str, str]:
    """The run that made the record of each trial of a manifest; rows of earlier versions belong to no run, ``""``."""
    reused = manifest.get("reused_from")
    own = dict.fromkeys(manifest["trials"], "" if reused is None else run)
    return own | {trial: origin for origin, trials in (reused or {}).items() for trial in trials}
