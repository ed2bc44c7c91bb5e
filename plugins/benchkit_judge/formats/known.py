"""The formats that are known, and guessing which one a file has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from benchkit import TableError
from benchkit_judge.formats import amlb, asv, benchopt, inspect_ai, lm_eval, pytest_benchmark, tabarena
from benchkit_judge.formats.json_files import load_json
from benchkit_judge.scores import Scores


class Format(Protocol):
    """What a module of this folder has."""

    NAME: str

    def recognises(self, data: Any, /) -> bool:
        """Whether this is what a file of it holds: JSON, or the names of a table's columns."""

    def read(self, paths: Sequence[Path], /) -> Scores:
        """The scores of these files."""


def tells_direction(form: Format) -> bool:
    """Whether a tool's files, or its sources, say if higher is better."""
    return getattr(form, "TELLS_DIRECTION", True)


FORMATS: dict[str, Format] = {
    module.NAME: module for module in (lm_eval, inspect_ai, amlb, tabarena, benchopt, pytest_benchmark, asv)
}
_OF_JSON = (lm_eval, inspect_ai, pytest_benchmark, asv)


def guess(paths: Sequence[Path]) -> Format | None:
    """The format of JSON files, archives or folders; None of a table, whose columns are looked at."""
    first = paths[0]
    if not first.exists():
        raise TableError(f"{first}: no such file or folder")
    if not first.is_file() and not first.is_dir():
        raise TableError(f"{first}: a device or a pipe, no file of data")
    if first.suffix == ".eval":
        return inspect_ai
    if first.is_file() and re.match(r"samples_.+\.jsonl$", first.name):
        return lm_eval
    if first.is_file() and first.suffix != ".json":
        return None
    candidates = [first] if first.is_file() else sorted(each for each in first.rglob("*.json") if each.is_file())
    candidates = [
        each for each in candidates if each.name not in ("machine.json", "benchmarks.json", *inspect_ai.INDEXES)
    ]
    if not candidates:
        if any(first.rglob("samples_*.jsonl")):
            return lm_eval
        if any(first.rglob("*.eval")):
            return inspect_ai
        raise TableError(f"{first}: no result files of {', '.join(FORMATS)} in this folder")
    data = load_json(candidates[0])
    found = next((each for each in _OF_JSON if each.recognises(data)), None)
    if found is None and not isinstance(data, list):
        raise TableError(
            f"{candidates[0]}: what wrote this? say --format {'|'.join(FORMATS)}; a table in JSON is a list of objects"
        )
    return found


def of_columns(columns: Sequence[Any]) -> Format | None:
    """The format of a table with these columns, if it is one of the tools'."""
    return next((each for each in (tabarena, amlb, benchopt) if each.recognises(columns)), None)


def read_results(form: Format, paths: Sequence[Path]) -> Scores:
    """The scores of a tool's files; one line where they are not laid out as its files are."""
    try:
        return form.read(paths)
    except (KeyError, TypeError, AttributeError, IndexError) as error:
        said = f"no {error}" if isinstance(error, KeyError) else str(error)[:100]
        raise TableError(f"{paths[0]}: not laid out as results of {form.NAME} are: {said}") from error
