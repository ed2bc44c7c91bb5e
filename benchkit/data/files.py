"""Where data files are: the folder that ``BENCHKIT_DATA`` names, then the user's cache. Nothing else looks there."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from benchkit.plugin.declarations import DataUnavailableError
from benchkit.whole_file import write_whole

_only: ContextVar[tuple[Path, ...] | None] = ContextVar("benchkit_data_folders", default=None)


def cache_folder() -> Path:
    """The user's cache: ``BENCHKIT_CACHE``, else ``XDG_CACHE_HOME/benchkit``, else ``~/.cache/benchkit``."""
    if named := os.environ.get("BENCHKIT_CACHE"):
        return Path(named)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "benchkit"


def data_folders() -> tuple[Path, ...]:
    """The folders that are searched for data files, in order."""
    named, only = os.environ.get("BENCHKIT_DATA"), _only.get()
    return (*([Path(named)] if named else []), cache_folder() / "data") if only is None else only


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
    return next((folder / name for folder in data_folders() if (folder / name).is_file()), None)


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
    if (file := locate_file(name)) is None:
        searched = " or ".join(map(str, data_folders()))
        raise DataUnavailableError(f"{name} is not in {searched}; see 'benchkit data get', or set BENCHKIT_DATA")
    return file


def kept(kind: str, key: str) -> Any | None:
    """What was kept of a kind under a digest of all that it follows from; None where nothing can be read."""
    try:
        return json.loads((cache_folder() / kind / f"{key}.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def keep(kind: str, key: str, finding: Any) -> None:
    """Keep what JSON can hold; where nothing can be written it is found again next time."""
    path = cache_folder() / kind / f"{key}.json"
    with suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(finding))
