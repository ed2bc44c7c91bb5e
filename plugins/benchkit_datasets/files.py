"""Where data files are: the folder that ``BENCHKIT_DATA`` names, then the user's cache. Nothing else looks there."""

from __future__ import annotations

import os
from pathlib import Path

import pooch

from benchkit import DataUnavailableError


def folders() -> list[Path]:
    """The folders that are searched, in order."""
    named = os.environ.get("BENCHKIT_DATA")
    cache = Path(pooch.os_cache("benchkit")) / "data"
    return [Path(named), cache] if named else [cache]


def locate(name: str) -> Path | None:
    """Path of a data file such as ``spambase/spambase.data``, or None."""
    for folder in folders():
        if (folder / name).is_file():
            return folder / name
    return None


def require(name: str) -> Path:
    """Path of a data file.

    Raises
    ------
    DataUnavailableError
        It is in none of the folders; the message says where to put it.
    """
    found = locate(name)
    if found is None:
        searched = " or ".join(str(folder) for folder in folders())
        raise DataUnavailableError(f"{name} is not in {searched}; set BENCHKIT_DATA to the folder that holds it")
    return found


def present(*names: str) -> list[Path]:
    """Paths of those files that are here."""
    return [path for name in names if (path := locate(name)) is not None]
