"""Files that an earlier run wrote of the same records: a run with nothing to do need not draw them again."""

from __future__ import annotations

import hashlib
import json
import shutil
from importlib.metadata import version
from pathlib import Path

from benchkit.journal import JournalError, read_manifest
from benchkit.regular_file import read_regular
from benchkit.report.analysis import Analysis

# What these say does not depend on which run writes them, as the page and the tables do: they name it.
PLOTS, POINTS, RECORDS = FILES = ("plots", "points.csv", "records.parquet")
PAGE = "report.html"
_MOST_BYTES = 256 * 2**20
_HEAD = 1000  # characters of a page in which it says what it was written of


def content_key(analysis: Analysis) -> str:
    """A hash of all that decides what `FILES` hold: records, what the suite says of them, and the code that writes."""
    results = analysis.results
    said = [
        [results.suite, results.title, list(results.metrics), dict(results.greater_is_better), results.margin],
        [dict(results.attack_order), dict(results.ranges), dict(results.axis_titles), list(results.labels)],
        [dict(results.situations), dict(results.shares)],
        [results.until_decided, list(results.damaged), repr(analysis.settings), version("matplotlib")],
    ]
    hashed = hashlib.sha256(json.dumps(said, sort_keys=True, default=str).encode())
    for row in results.rows:
        hashed.update(json.dumps(dict(row), sort_keys=True, default=str).encode())
    here = Path(__file__).parents[1]
    for source in sorted([*here.rglob("*.py"), *here.rglob("*.html")]):
        hashed.update(source.read_bytes())
    return hashed.hexdigest()


def page_before(folder: Path, key: str) -> str:
    """The page of the run before this one, if it wrote it of the same; empty otherwise."""
    earlier = _before(folder, key)
    try:
        text = "" if earlier is None else read_regular(earlier / PAGE, _MOST_BYTES).decode()
    except (OSError, UnicodeDecodeError):  # somebody took it away: it is written
        return ""
    return text if f'content="{key}"' in text[:_HEAD] else ""  # not that of a `report -o` that has replaced it


def _before(folder: Path, key: str) -> Path | None:
    """The run before this one, if its files say the same."""
    earlier = max((each for each in folder.parent.glob("*/") if each.name < folder.name), default=None)
    if earlier is None:
        return None
    try:
        return earlier if read_manifest(earlier).get("written") == key else None
    except JournalError:
        return None


def take_over(folder: Path, key: str, names: tuple[str, ...]) -> set[str]:
    """Copy files of the run before this one, if it wrote them of the same; return the names of those copied."""
    earlier = _before(folder, key)
    if earlier is None:
        return set()
    taken = set()
    for name in names:
        source, place = earlier / name, folder / name
        if any(each.is_symlink() or not (each.is_file() or each.is_dir()) for each in (source, *source.glob("*"))):
            continue  # a link, a device or a pipe, which none of these is: copying it might never end
        try:
            shutil.copytree(source, place) if source.is_dir() else shutil.copyfile(source, place)
        except (OSError, shutil.Error):  # somebody took it away: it is written
            shutil.rmtree(place, ignore_errors=True)
            continue
        taken.add(name)
    return taken
