"""Addresses within the dashboard, and the folders that they stand for: none outside the output folder."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote

from benchkit.errors import BenchkitError
from benchkit.journal.folder_name import folder_name

HOME = "/"
FILES = {
    "report.html": "text/html; charset=utf-8",
    "tables.md": "text/plain; charset=utf-8",
    "summary.md": "text/plain; charset=utf-8",
    "points.csv": "text/csv; charset=utf-8",
    "records.parquet": "application/octet-stream",
    "suite.yaml": "text/plain; charset=utf-8",
    "manifest.json": "application/json; charset=utf-8",
}
"""What is shown of a run's folder, by name, as what: nothing else can be asked for."""


class NoSuchPageError(BenchkitError):
    """An address stands for nothing that there is; the message is one line for the reader."""


def run_address(suite: str, run: str, file: str = "") -> str:
    """Where a run's page is, or one of its files."""
    return "/" + "/".join(["run", quote(suite, safe=""), quote(run, safe=""), quote(file, safe="")])


def run_folder(out: Path, suite: str, run: str) -> Path:
    """The folder of a run that an address names.

    Raises
    ------
    NoSuchPageError
        These are no names, nothing is there, or a link leads out of the output folder.
    """
    try:
        folder = out / folder_name(suite) / folder_name(run)
    except ValueError as error:
        raise NoSuchPageError(str(error)) from None
    return _within(out, folder)


def run_file(out: Path, suite: str, run: str, name: str) -> Path:
    """One of `FILES` of a run.

    Raises
    ------
    NoSuchPageError
    """
    if name not in FILES:
        raise NoSuchPageError(f"a run has no page {name[:80]!r}; it has {', '.join(FILES)}")
    return _within(out, run_folder(out, suite, run) / name)


def _within(out: Path, path: Path) -> Path:
    # Links are followed first: what they lead to must lie in the folder, too.
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):
        raise NoSuchPageError(f"{path.relative_to(out)} is not there") from None
    if not real.is_relative_to(out.resolve()):
        raise NoSuchPageError(f"{path.relative_to(out)} lies outside the output folder")
    return path
