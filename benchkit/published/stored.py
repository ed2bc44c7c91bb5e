"""Opening published results: a folder, an address, or those of this checkout; only data is read, whoever made it."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.journal import PublishError, Record
from benchkit.published.asked import as_text
from benchkit.published.download import download
from benchkit.published.index_format import INDEX, Index, empty_index, parse_index
from benchkit.published.losses import Key, RowLosses, key_of
from benchkit.published.rows import PublishedRow, from_parquet, losses_from_parquet
from benchkit.published.transaction import pendings
from benchkit.regular_file import read_regular

if TYPE_CHECKING:
    from benchkit.trial.outcomes import RowOutcomes

PUBLISHED = "published"
"""The reference that stands for this checkout's results, or for those at the configured address."""
ADDRESS = "BENCHKIT_RESULTS"
"""The environment variable that names a folder or an address of published results."""

CHECKOUT = Path(__file__).parents[2] / "results"
"""Published results of the repository, where benchkit runs from a clone of it."""

_MOST_INDEX = 32 * 2**20
_MOST_FILE = 16 * 2**20


@dataclass(frozen=True)
class Stored:
    """Published results, as their index describes them.

    Attributes
    ----------
    name : str
        Where they are, for messages.
    index : dict
    read : callable
        Content of a file, by its path in the index.
    hint : callable
        What may have happened where a file is not what the index says.
    """

    name: str
    index: Index
    read: Callable[[str], bytes]
    hint: Callable[[], str] = str
    _rows: dict[str, list[PublishedRow]] = field(default_factory=dict, repr=False)
    _losses: dict[str, dict[Key, RowLosses]] = field(default_factory=dict, repr=False)

    def rows(self, path: str) -> list[PublishedRow]:
        """The rows of a file, read once.

        Raises
        ------
        PublishError
            The file is gone, or is not what the index says.
        """
        if path not in self._rows:
            name = f"{self.name}: {path}"
            rows = from_parquet(self._content(path), name)
            self._check(rows, path, name)
            self._rows[path] = rows
        return self._rows[path]

    def losses(self, path: str) -> Mapping[Key, RowLosses]:
        """The losses of a file's rows, of those that have any; read once.

        Raises
        ------
        PublishError
            The file is gone, or is not what the index says.
        """
        if path not in self._losses:
            self._losses[path] = losses_from_parquet(self._content(path), f"{self.name}: {path}")
        return self._losses[path]

    def outcomes(self, row: Record) -> RowOutcomes | None:
        """What is published of the test rows of one of these rows; None where nothing is.

        Raises
        ------
        PublishError
        """
        contribution = self.index["contributions"].get(row.get("contribution"))
        found = None if contribution is None else self.losses(contribution["file"]).get(key_of(row))
        return None if found is None else found.unpacked()

    def _content(self, path: str) -> bytes:
        entry = next(file for file in self.index["files"] if file["path"] == path)
        content = self.read(path)
        if hashlib.sha256(content).hexdigest() != entry["sha256"]:
            raise PublishError(
                f"{self.name}: {path}: not the file that the index speaks of: its SHA-256 is another{self.hint()}"
            )
        return content

    def all_rows(self, paths: Iterable[str] | None = None) -> list[PublishedRow]:
        """The rows of several files, of all by default."""
        wanted = [file["path"] for file in self.index["files"]] if paths is None else list(paths)
        return [row for path in wanted for row in self.rows(path)]

    @cached_property
    def by_design(self) -> dict[str, list[tuple[int, PublishedRow]]]:
        """Every row, with its number in the order of files and contributions, by the design that it answers."""
        rows: dict[str, list[tuple[int, PublishedRow]]] = defaultdict(list)
        paths = dict.fromkeys(contribution["file"] for contribution in self.index["contributions"].values())
        for number, row in enumerate(self.all_rows(paths)):
            rows[row["design"]].append((number, row))
        return dict(rows)

    @cached_property
    def questions(self) -> dict[str, str]:
        """What each design asks, as text that two of them can be compared by."""
        return {key: as_text(design["question"]) for key, design in self.index["designs"].items()}

    def _check(self, rows: Iterable[PublishedRow], path: str, name: str) -> None:
        contributions = self.index["contributions"]
        for place, row in enumerate(rows, start=1):
            contribution = contributions.get(row["contribution"])
            if contribution is None or contribution["file"] != path:
                raise PublishError(f"{name}: row {place} names a contribution that the index does not have for it")
            if row["design"] not in self.index["designs"] or row["method"] not in contribution["methods"]:
                raise PublishError(f"{name}: row {place} names a design or a method that the index does not have")


def open_stored(reference: str | Path) -> Stored:
    """Published results of a folder, an address, or ``published``.

    Parameters
    ----------
    reference : str or Path
        A folder with an ``index.json``; an address (http or https) under which one lies; or ``published``: the folder
        or address that the environment variable ``BENCHKIT_RESULTS`` names, else ``results/`` of the clone that
        benchkit runs from, else of the clone that the working directory is in.

    Raises
    ------
    PublishError
    """
    text = str(reference)
    if text == PUBLISHED:
        text = _published()
    if text.startswith(("http://", "https://")):
        return _at_address(text.rstrip("/"))
    return open_folder(Path(text))


def open_folder(folder: Path) -> Stored:
    """Published results of a folder.

    Raises
    ------
    PublishError
    """

    def read(path: str) -> bytes:
        return _read(folder / path, _MOST_FILE)

    if not (folder / INDEX).is_file():
        raise PublishError(f"{folder}: no published results here ({INDEX} is missing); 'benchkit publish' writes them")
    index = parse_index(_read(folder / INDEX, _MOST_INDEX), str(folder / INDEX))
    return Stored(str(folder), index, read, lambda: _said_of_pending(folder))


def _said_of_pending(folder: Path) -> str:
    return "; publishing ended half-way here: 'benchkit publish' again ends it" if pendings(folder) else ""


def open_or_empty(folder: Path) -> Stored:
    """Published results of a folder that may have none yet."""
    if (folder / INDEX).exists():
        return open_folder(folder)
    return Stored(str(folder), empty_index(), lambda path: _read(folder / path, _MOST_FILE))


def _at_address(address: str) -> Stored:
    index = parse_index(download(f"{address}/{INDEX}", _MOST_INDEX), f"{address}/{INDEX}")
    known = {file["path"]: file["sha256"] for file in index["files"]}
    return Stored(address, index, lambda path: download(f"{address}/{path}", _MOST_FILE, known[path]))


def _published() -> str:
    """Where ``published`` is: as configured, else of the clone that benchkit runs from, or that this folder is in."""
    configured = os.environ.get(ADDRESS)
    if configured:
        return configured
    clones = [CHECKOUT, *(folder / "results" for folder in (Path.cwd(), *Path.cwd().parents) if _is_clone(folder))]
    for results in clones:
        if (results / INDEX).is_file():
            return str(results)
    raise PublishError(
        f"published: no published results are here: go to a clone of benchkit's repository, whose folder results/ has "
        f"some; or set {ADDRESS} to a folder or an address of published results; or name that instead of 'published'"
    )


def _is_clone(folder: Path) -> bool:
    """Whether a folder is a clone of benchkit, which ``pip install .`` has put elsewhere."""
    return (folder / "benchkit" / "published").is_dir() and (folder / "pyproject.toml").is_file()


def _read(path: Path, most: int) -> bytes:
    try:
        return read_regular(path, most)
    except OSError as error:
        raise PublishError(f"{path}: cannot read: {error.strerror or error}") from None
