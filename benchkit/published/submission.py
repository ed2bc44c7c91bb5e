"""Checking what somebody submits: files of published results, as a pull request brings them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from benchkit.journal import PublishError
from benchkit.published.crate import CRATE
from benchkit.published.index_format import INDEX
from benchkit.published.losses import Key, RowLosses, key_of
from benchkit.published.matching import spot_of
from benchkit.published.private_text import private_parts
from benchkit.published.rows import PublishedRow
from benchkit.published.stored import Stored, open_folder
from benchkit.published.strangers import harmless_part

_BESIDE = {INDEX, CRATE, "README.md", "LICENSE", ".lock", ".gitignore", ".gitattributes"}
LARGEST_FILE = 4 * 2**20
LARGEST_FOLDER = 40 * 2**20


def check_submission(reference: str | Path) -> list[str]:
    """What is wrong with published results that somebody submits; nothing of them is executed.

    Parameters
    ----------
    reference : path
        A folder of published results, its index, or one of its parquet files.

    Returns
    -------
    list of str
        One line for each problem.

    Raises
    ------
    PublishError
        It is no such folder or file.
    """
    path = Path(reference)
    folder = path if path.is_dir() else next((each for each in path.parents if (each / INDEX).is_file()), None)
    if folder is None:
        raise PublishError(f"{path}: no {INDEX} in this folder or above it: submit what 'benchkit publish' writes")
    stored = open_folder(folder)
    listed = {file["path"]: file for file in stored.index["files"]}
    wanted = list(listed)
    if path.suffix == ".parquet":
        name = path.resolve().relative_to(folder.resolve()).as_posix()
        if name not in listed:
            return [f"{name}: the index does not list it"]
        wanted = [name]
    problems = [] if path.suffix == ".parquet" else list(_of_folder(folder, stored))
    for name in wanted:
        try:
            problems += _of_file(name, stored)
        except PublishError as error:
            problems.append(str(error))
    return problems


def _of_folder(folder: Path, stored: Stored) -> Iterator[str]:
    listed = {file["path"] for file in stored.index["files"]}
    present = {file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file()}
    yield from (f"{name}: the index does not list it" for name in sorted(present - listed - _BESIDE))
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
    if size > LARGEST_FOLDER:
        yield f"{folder}: {size / 2**20:.1f} MB in all; at most {LARGEST_FOLDER // 2**20} MB"
    for key, contribution in stored.index["contributions"].items():
        if not contribution["licence"].strip():
            yield f"contribution {key}: no licence"
    for spec in stored.index["suites"].values():
        _, reasons = harmless_part(spec["as_run"])
        yield from (f"suite {spec['suite']}: {reason}: 'recheck' runs it with --trust alone" for reason in reasons)
    for part in sorted(private_parts(json.dumps(stored.index))):
        yield f"{INDEX}: looks private: {part[:60]}"


def _of_file(name: str, stored: Stored) -> Iterator[str]:
    entry = next(file for file in stored.index["files"] if file["path"] == name)
    rows = stored.rows(name)
    if entry["bytes"] > LARGEST_FILE:
        yield f"{name}: {entry['bytes'] / 2**20:.1f} MB; at most {LARGEST_FILE // 2**20} MB"
    if entry["rows"] != len(rows):
        yield f"{name}: {len(rows)} rows, but {entry['rows']} in the index"
    yield from (f"{name}: {problem}" for problem in _of_rows(rows, stored.index))
    yield from (f"{name}: {problem}" for problem in _of_losses(rows, stored.losses(name)))


def _of_rows(rows: Iterable[PublishedRow], index: Mapping[str, Any]) -> Iterator[str]:
    spots: Counter[tuple[Any, ...]] = Counter()
    outside: Counter[str] = Counter()
    private: set[str] = set()
    for row in rows:
        contribution = index["contributions"][row["contribution"]]
        spots[row["contribution"], row["method"], *spot_of(row["design"], row)] += row["status"] == "ok"
        for metric, (low, high) in index["suites"][contribution["suite_spec"]]["ranges"].items():
            value = row["metrics"].get(metric)
            if value is not None and ((low is not None and value < low) or (high is not None and value > high)):
                outside[metric] += 1
        if row["status"] == "ok" and not any(value is not None for value in row["metrics"].values()):
            outside["every metric (none has a value)"] += 1
        private |= private_parts(json.dumps(row, default=str))
    yield from (f"{metric} is outside what it can be in {count} rows" for metric, count in outside.items())
    repeated = sum(count - 1 for count in spots.values() if count > 1)
    if repeated:
        yield f"{repeated} rows stand where another row of the same contribution does"
    yield from (f"looks private: {part[:60]}" for part in sorted(private))


def _of_losses(rows: Iterable[PublishedRow], losses: Mapping[Key, RowLosses]) -> Iterator[str]:
    """Losses that are not those of the rows: of no trial, or with another mean than the trial's metric."""
    known = {key_of(row): row for row in rows}
    if losses.keys() - known.keys():
        yield "losses of rows that are not there"
    other: Counter[str] = Counter()
    for key in losses.keys() & known.keys():
        metric = losses[key].disagreement(known[key]["metrics"])
        if known[key]["status"] != "ok":
            other["losses of a trial that did not end ok"] += 1
        elif metric:
            other[f"losses with another mean than {metric}"] += 1
    yield from (f"{what} in {count} rows" for what, count in other.items())
