"""Files of the user's own, named by ``path``, relative to the current directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from benchkit import DataUnavailableError


def named_path(path: str | None = None, **params: Any) -> list[str]:
    """What a dataset with a ``path`` declares as its `paths`: the file whose content decides what is loaded.

    Raises
    ------
    ValueError
        The path is no text.
    """
    if path is not None and not isinstance(path, str):
        raise ValueError(f"path is {path!r}, expected the name of a file")
    return [] if path is None else [path]


def require_path(path: str | None) -> Path:
    """The file that ``path`` names.

    Raises
    ------
    ValueError
        No path is given.
    DataUnavailableError
        There is no such file.
    """
    if path is None:
        raise ValueError("'path' is missing: it names the file to read")
    file = Path(path).expanduser()
    if not file.is_file():
        where = "" if file.is_absolute() else f" in {Path.cwd()}"
        raise DataUnavailableError(f"there is no file {path}{where}")
    return file
