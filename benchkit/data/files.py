"""Where data files are: the folder that ``BENCHKIT_DATA`` names, then the user's cache. Nothing else looks there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from benchkit.plugin.declarations import DataUnavailableError

_only: ContextVar[tuple[Path, ...] | None] = ContextVar("benchkit_data_folders", default=None)


def cache_folder() -> Path:
    """The user's cache: ``BENCHKIT_CACHE``, else ``XDG_CACHE_HOME/benchkit``, else ``~/.cache/benchkit``."""
    named = os.environ.get("BENCHKIT_CACHE")
    if named:
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "benchkit"


def data_folders() -> tuple[Path, ...]:
    """The folders that are searched for data files, in order."""
    only = _only.get()
    if only is not None:
        return only
    named = os.environ.get("BENCHKIT_DATA")
    downloaded = cache_folder() / "data"
    return (Path(named), downloaded) if named else (downloaded,)


@contextmanager
def search_only(*folders: Path) -> Iterator[None]:
    """Search these folders instead, so that a file can be checked before it takes its place."""
    token = _only.set(folders)
    try:
        yield
    finally:
        _only.reset(token)


def locate_file(name: str) -> Path | None:
    """Path of a data file such as ``spambase/spambase.data``, or None where no folder has it."""
    for folder in data_folders():
        if (folder / name).is_file():
            return folder / name
    return None


def require_file(name: str) -> Path:
    """Path of a data file.

    Parameters
    ----------
    name : str
        Its path below a data folder, such as ``spambase/spambase.data``.

    Raises
    ------
    DataUnavailableError
        No folder has it; the message says how to get it.
    """
    file = locate_file(name)
    if file is None:
        folders: Sequence[Path] = data_folders()
        searched = " or ".join(str(folder) for folder in folders)
        raise DataUnavailableError(f"{name} is not in {searched}; see 'benchkit data get', or set BENCHKIT_DATA")
    return file
