"""Opening published results: a folder of runs, an address, or those of this checkout; only data is read."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NotRequired

from pydantic import ConfigDict, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

from benchkit.data.files import cache_folder
from benchkit.journal import PublishError, read_manifest
from benchkit.journal.manifest import FILE as MANIFEST
from benchkit.published.download import download
from benchkit.published.losses import RowLosses
from benchkit.published.rows import FILE as RECORDS
from benchkit.published.rows import PublishedRow, read_losses, read_rows
from benchkit.regular_file import read_regular
from benchkit.suite.names import digest

if TYPE_CHECKING:
    from benchkit.trial.outcomes import RowOutcomes

FORMAT = 3
"""Version of manifest and columns; it counts up when a reader of this one would go wrong."""
JOURNAL = "trials.jsonl"
SUMS = "SHA256SUMS"
"""The list of all files with their SHA-256, which ``sha256sum --check`` reads and downloads are checked by."""
PUBLISHED = "published"
"""The reference that stands for this checkout's results, or for those at the configured address."""
ADDRESS = "BENCHKIT_RESULTS"
"""The environment variable that names a folder or an address of published results."""
CHECKOUT = Path(__file__).parents[2] / "results"
"""Published results of the repository, where benchkit runs from a clone of it."""

_MOST_MANIFEST = 32 * 2**20
_MOST_RECORDS = 16 * 2**20
_MOST_SUMS = 4 * 2**20
_NAME = r"[A-Za-z0-9][A-Za-z0-9._-]{0,199}"
_SUM = re.compile(rf"([0-9a-f]{{64}})  ({_NAME}/{_NAME})/({re.escape(MANIFEST)}|{re.escape(RECORDS)})", re.ASCII)


@with_config(ConfigDict(extra="allow", strict=True))
class _Named(TypedDict):
    name: str
    params: dict[str, Any]
    budget: NotRequired[list[str]]
    tune: NotRequired[list[dict[str, Any]]]


@with_config(ConfigDict(extra="allow", strict=True))
class _Question(TypedDict):
    seed: int
    dataset: _Named
    split: dict[str, Any]
    preprocess: list[Any]
    feature_values: str | list[float]
    adversary: _Named | None
    axis: str


@with_config(ConfigDict(extra="allow", strict=True))
class _Design(TypedDict):
    question: _Question
    code: dict[str, str]
    metrics: dict[str, str]
    files: NotRequired[dict[str, str]]


@with_config(ConfigDict(extra="allow", strict=True))
class _Method(TypedDict):
    question: _Named
    code: str
    versions: dict[str, str]


@with_config(ConfigDict(extra="allow", strict=True))
class _Content(TypedDict):
    designs: dict[str, _Design]
    methods: dict[str, _Method]


@with_config(ConfigDict(extra="allow", strict=True))
class _Origin(TypedDict):
    """Where and with which code a run measured rows."""

    started: str
    published: str
    machine: dict[str, str | int | float | None]
    python: str
    benchkit: str
    versions: dict[str, str]
    commit: str | None
    uncommitted_changes: bool


@with_config(ConfigDict(extra="allow", strict=True, defer_build=True))
class _Format(TypedDict):
    """What the manifest of a published run says besides what those of all runs do."""

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


@dataclass(frozen=True)
class PublishedRun:
    """A published run, read when it is asked for.

    Attributes
    ----------
    name : str
        Its folder among the published ones, ``SUITE/RUN``.
    path : callable
        Where a file of it lies, by name.
    """

    name: str
    path: Callable[[str], Path]

    @cached_property
    def manifest(self) -> Mapping[str, Any]:
        """What the run was made of.

        Raises
        ------
        PublishError, JournalError
        """
        path = self.path(MANIFEST)
        manifest = read_manifest(path.parent)
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
        """Its rows.

        Raises
        ------
        PublishError
        """
        path = self.path(RECORDS)
        rows, content = read_rows(path, self.name), self.manifest["content"]
        known = (("design", content["designs"]), ("method", content["methods"]), ("run", self.manifest["origins"]))
        for place, row in enumerate(rows, start=1):
            for name, entries in known:
                if row[name] not in entries:  # type: ignore[literal-required]
                    raise PublishError(f"{path}: row {place}: its {name} is not in {MANIFEST}")
        return rows

    @cached_property
    def losses(self) -> Mapping[str, RowLosses]:
        """The losses of test rows, by trial, of those that have any.

        Raises
        ------
        PublishError
        """
        return read_losses(self.path(RECORDS))

    @cached_property
    def questions(self) -> Mapping[str, str]:
        """What each design asks, as text that two of them can be compared by."""
        return {key: as_text(design["question"]) for key, design in self.manifest["content"]["designs"].items()}

    @cached_property
    def entries(self) -> Mapping[str, str]:
        """What a suite says of each method, whatever the version of its code, as such a text."""
        return {key: as_text(method["question"]) for key, method in self.manifest["content"]["methods"].items()}

    def age(self, row: PublishedRow) -> tuple[str, str]:
        """When a row was published, and when its run began; newer ones are greater."""
        origin = self.manifest["origins"][row["run"]]
        return origin["published"], origin["started"]


@dataclass(frozen=True)
class Stored:
    """Published results.

    Attributes
    ----------
    name : str
        Where they are, for messages.
    runs : mapping of str to PublishedRun
        By name, in the order of their names.
    """

    name: str
    runs: Mapping[str, PublishedRun]

    def outcomes(self, row: Mapping[str, Any]) -> RowOutcomes | None:
        """What is published of the test rows of one of these rows; None where nothing is.

        Raises
        ------
        PublishError
        """
        run = self.runs.get(row.get("contribution", ""))
        losses = None if run is None else run.losses.get(row["trial"])
        return None if losses is None else losses.unpacked()

    def of_suite(self, suite: str) -> list[PublishedRun]:
        """The published runs of a suite, the one that began last at the end."""
        runs = [run for run in self.runs.values() if run.manifest["suite"] == suite]
        return sorted(runs, key=lambda run: (str(run.manifest.get("started")), run.name))


def open_stored(reference: str | Path) -> Stored:
    """Published results of a folder, an address, or ``published``.

    Parameters
    ----------
    reference : str or Path
        A folder of published runs, or one of them; an address (http or https) under which ``SHA256SUMS`` lists some;
        or ``published``: the folder or address that the environment variable ``BENCHKIT_RESULTS`` names, else
        ``results/`` of the clone that benchkit runs from, else of the clone that the working directory is in.

    Raises
    ------
    PublishError
    """
    text = str(reference)
    if text == PUBLISHED:
        text = _published()
    if text.startswith(("http://", "https://")):
        return _at_address(text.rstrip("/"))
    folder = Path(text)
    found = published_folders(folder)
    if not found:
        raise PublishError(f"{folder}: no published results here (SUITE/RUN/{RECORDS}); 'benchkit publish' writes them")
    return Stored(text, _named((f"{run.parent.name}/{run.name}", run.joinpath) for run in found))


def published_folders(folder: Path) -> list[Path]:
    """The folders of published runs: one, or all in a folder; those of runs lie beside their journals."""
    found = [path.parent for path in (folder / RECORDS, *sorted(folder.glob(f"*/*/{RECORDS}"))) if path.is_file()]
    return [run for run in found if not (run.parent / JOURNAL).exists()]


def _named(runs: Iterable[tuple[str, Callable[[str], Path]]]) -> dict[str, PublishedRun]:
    return {name: PublishedRun(name, path) for name, path in runs}


def _at_address(address: str) -> Stored:
    with tempfile.TemporaryDirectory(prefix="benchkit-results-") as scratch:
        lines = read_regular(download(f"{address}/{SUMS}", _MOST_SUMS, Path(scratch)), _MOST_SUMS).splitlines()
    sums: dict[str, dict[str, str]] = {}
    for line in lines:
        match = _SUM.fullmatch(line.decode(errors="replace"))
        if match is None:
            raise PublishError(f"{address}/{SUMS}: not a list of published results")
        sums.setdefault(match[2], {})[match[3]] = match[1]

    def getter(name: str, known: Mapping[str, str]) -> Callable[[str], Path]:
        kept = cache_folder() / "results" / digest([address, name, known])

        def get(file: str) -> Path:
            if file not in known:
                raise PublishError(f"{address}/{SUMS}: no {name}/{file}")
            most = _MOST_MANIFEST if file == MANIFEST else _MOST_RECORDS
            return download(f"{address}/{name}/{file}", most, kept, known[file])

        return get

    return Stored(address, _named((name, getter(name, known)) for name, known in sorted(sums.items())))


def _published() -> str:
    """Where ``published`` is: as configured, else of the clone that benchkit runs from, or that this folder is in."""
    configured = os.environ.get(ADDRESS)
    if configured:
        return configured
    clones = [CHECKOUT, *(folder / "results" for folder in (Path.cwd(), *Path.cwd().parents) if _is_clone(folder))]
    for results in clones:
        if published_folders(results):
            return str(results)
    raise PublishError(
        f"published: no published results are here: go to a clone of benchkit's repository, whose folder results/ has "
        f"some; or set {ADDRESS} to a folder or an address of published results; or name that instead of 'published'"
    )


def _is_clone(folder: Path) -> bool:
    """Whether a folder is a clone of benchkit, which ``pip install .`` has put elsewhere."""
    return (folder / "benchkit" / "published").is_dir() and (folder / "pyproject.toml").is_file()
