"""Opening published results: a folder of runs, or those of this checkout; only data is read."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NotRequired

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from benchkit import PublishError, RowOutcomes, read_manifest
from benchkit_results.rows import FILE as RECORDS
from benchkit_results.rows import PublishedRow, RowLosses, read_losses, read_rows

MANIFEST = "manifest.json"
FORMAT = 3
"""Version of manifest and columns; it counts up when a reader of this one would go wrong."""
COMPUTES_WITH = ("numpy", "scipy", "scikit-learn")
"""Packages whose versions are told of every row, whatever its method uses."""
PUBLISHED = "published"
"""The reference that stands for the configured results, or for this checkout's."""
VARIABLE = "BENCHKIT_RESULTS"
"""The environment variable that names a folder of published results."""
CHECKOUT = Path(__file__).parents[2] / "results"
"""Published results of the repository, where benchkit runs from a clone of it."""


# What readers rely on beyond the manifest of any run.
class _Named(TypedDict):
    name: str
    params: dict[str, Any]
    budget: NotRequired[list[str]]
    tune: NotRequired[list[dict[str, Any]]]


class _Question(TypedDict):
    seed: int
    dataset: _Named
    split: dict[str, Any]
    preprocess: list[Any]
    feature_values: str | list[float]
    adversary: _Named | None
    axis: str


class _Design(TypedDict):
    question: _Question
    code: dict[str, str]
    metrics: dict[str, str]


class _Method(TypedDict):
    question: _Named
    versions: dict[str, str]


class _Content(TypedDict):
    designs: dict[str, _Design]
    methods: dict[str, _Method]


class _Origin(TypedDict):
    started: str
    published: str
    machine: dict[str, str | int | float | None]
    benchkit: str
    versions: dict[str, str]
    commit: str | None
    uncommitted_changes: bool


@with_config(ConfigDict(strict=True, defer_build=True))
class _Format(TypedDict):
    benchkit_results: int
    profile: str
    by: str
    licence: str
    greater_is_better: dict[str, bool]
    content: _Content
    origins: dict[str, _Origin]


_FORMAT = TypeAdapter(_Format)


def as_text(value: Any) -> str:
    """As it reads after a round through JSON, as published values do, in one order of keys."""
    return json.dumps(json.loads(json.dumps(value, default=str)), sort_keys=True)


def digest(value: Any, length: int = 16) -> str:
    """Short hash of a value as `as_text` writes it."""
    return hashlib.sha256(as_text(value).encode()).hexdigest()[:length]


def entries_of(content: Mapping[str, Any]) -> dict[str, str]:
    """What a suite says of each method of a manifest's ``content``, as text."""
    return {key: as_text(method["question"]) for key, method in content["methods"].items()}


@dataclass(frozen=True)
class PublishedRun:
    """A published run, read when it is asked for; what cannot be read is a `PublishError` or a `JournalError`."""

    folder: Path

    @property
    def name(self) -> str:
        """Its folder among the published ones, ``SUITE/RUN``."""
        return f"{self.folder.parent.name}/{self.folder.name}"

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """What the run was made of."""
        path = self.folder / MANIFEST
        manifest = read_manifest(self.folder)
        try:
            _FORMAT.validate_python(manifest)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part)[:60] for part in first["loc"])
            raise PublishError(f"{path}: not the manifest of a published run: {where}: {first['msg'][:200]}") from None
        if manifest["benchkit_results"] > FORMAT:
            raise PublishError(f"{path}: of version {manifest['benchkit_results']}; this benchkit reads {FORMAT}")
        return manifest

    @cached_property
    def rows(self) -> list[PublishedRow]:
        """Its rows."""
        path = self.folder / RECORDS
        content = self.manifest["content"]
        entries = {"design": content["designs"], "method": content["methods"], "run": self.manifest["origins"]}
        rows = read_rows(path, self.name)
        for number, row in enumerate(rows, start=1):
            for name in entries:
                if row[name] not in entries[name]:  # type: ignore[literal-required]
                    raise PublishError(f"{path}: row {number}: its {name} is not in {MANIFEST}")
        return rows

    @cached_property
    def losses(self) -> Mapping[str, RowLosses]:
        """The losses of test rows, by trial, of those that have any."""
        return read_losses(self.folder / RECORDS)

    @cached_property
    def questions(self) -> Mapping[str, str]:
        """What each design asks, as text that two of them can be compared by."""
        return {key: as_text(design["question"]) for key, design in self.manifest["content"]["designs"].items()}

    @cached_property
    def entries(self) -> Mapping[str, str]:
        """What a suite says of each method, whatever the version of its code, as such a text."""
        return entries_of(self.manifest["content"])

    def age(self, row: PublishedRow) -> tuple[str, str]:
        """When a row was published, and when its run began; newer ones are greater."""
        origin = self.manifest["origins"][row["run"]]
        return origin["published"], origin["started"]


@dataclass(frozen=True)
class Stored:
    """Published results: where they are, for messages, and runs by name, in the order of their names."""

    name: str
    runs: Mapping[str, PublishedRun]

    def outcomes(self, row: Mapping[str, Any]) -> RowOutcomes | None:
        """What is published of the test rows of one of these rows; None where nothing is."""
        run = self.runs.get(row.get("contribution", ""))
        losses = None if run is None else run.losses.get(row["trial"])
        return None if losses is None else losses.unpacked()

    @cached_property
    def newest(self) -> Mapping[tuple[str, str], PublishedRun]:
        """By suite and profile, the published run that began last."""
        runs = sorted(self.runs.values(), key=lambda run: (str(run.manifest.get("started")), run.name))
        return {(run.manifest["suite"], run.manifest["profile"]): run for run in runs}


def open_stored(reference: str | Path) -> Stored:
    """Published results of a folder of published runs, of one of them, or ``published``; PublishError where none are.

    The last is the folder that the environment variable ``BENCHKIT_RESULTS`` names, else ``results/`` of the clone that
    benchkit runs from, else of the clone that the working directory is in.
    """
    folder = _published() if str(reference) == PUBLISHED else Path(reference)
    runs = [PublishedRun(path) for path in published_folders(folder)]
    if not runs:
        raise PublishError(f"{folder}: no published results here (SUITE/RUN/{RECORDS}); 'benchkit publish' writes them")
    return Stored(str(folder), {run.name: run for run in runs})


def published_folders(folder: Path) -> list[Path]:
    """The folders of published runs: one, or all of a suite or a folder; those of runs lie beside their journals."""
    paths = [folder / RECORDS, *sorted([*folder.glob(f"*/{RECORDS}"), *folder.glob(f"*/*/{RECORDS}")])]
    return [path.parent for path in paths if path.is_file() and not (path.parents[1] / "trials.jsonl").exists()]


def _published() -> Path:
    """Where ``published`` is: as configured, else of the clone that benchkit runs from, or that this folder is in."""
    if configured := os.environ.get(VARIABLE):
        return Path(configured)
    here = (Path.cwd(), *Path.cwd().parents)  # `pip install .` has put the package elsewhere
    for results in (CHECKOUT, *(path / "results" for path in here if (path / "plugins/benchkit_results").is_dir())):
        if published_folders(results):
            return results
    raise PublishError(
        f"published: no published results are here: go to a clone of benchkit's repository, whose folder results/ has "
        f"some; or set {VARIABLE} to a folder of published results; or name that instead of 'published'"
    )
