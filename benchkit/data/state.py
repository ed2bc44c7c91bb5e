"""What is here of the datasets' files, and whether it is right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from benchkit.data.fetch import FetchError, check_parsed
from benchkit.data.files import locate_file
from benchkit.plugin.declarations import DataFile, Dataset

Verdict = Literal["right", "wrong", "absent", "unchecked"]


@dataclass(frozen=True)
class FileState:
    """A file of a dataset and where it is, if anywhere."""

    dataset: str
    file: DataFile
    path: Path | None


@dataclass(frozen=True)
class DatasetState:
    """Whether a dataset's files are what they should be.

    Attributes
    ----------
    verdict : {"right", "wrong", "absent", "unchecked"}
        ``unchecked``: it parses, but declares no digest to compare with.
    reason : str
        Why not right.
    """

    dataset: str
    verdict: Verdict
    reason: str
    files: tuple[FileState, ...]


def file_states(datasets: Iterable[Dataset]) -> Iterator[FileState]:
    """Every file of the datasets."""
    for dataset in datasets:
        for file in dataset.files:
            yield FileState(dataset.name, file, locate_file(file.name))


def verify(dataset: Dataset) -> DatasetState:
    """Parse a dataset's files and compare with its digest."""
    files = tuple(file_states([dataset]))
    absent = [state.file.name for state in files if state.path is None]
    if absent:
        return DatasetState(dataset.name, "absent", f"{', '.join(absent)} not here", files)
    try:
        check_parsed(dataset)
    except FetchError as error:
        return DatasetState(dataset.name, "wrong", str(error), files)
    if not dataset.digest:
        return DatasetState(dataset.name, "unchecked", "parses; no digest is declared", files)
    return DatasetState(dataset.name, "right", "", files)
