"""Files of the user's own, named by ``path``, relative to the current directory."""

from __future__ import annotations

import gzip
import zlib
from contextlib import suppress
from pathlib import Path
from typing import Any

from benchkit import DataUnavailableError

# A file that says it is larger unpacked is no data: text shrinks to a tenth, equal rows to a thirtieth.
_LEAST_LIMIT = 64 * 2**20
_TIMES_PACKED = 100


def named_path(path: str | list[str] | None = None, **params: Any) -> list[str]:
    """What a dataset with a ``path`` declares as its `paths`: the files whose content decides what is loaded.

    Raises
    ------
    ValueError
        The path is no text, nor a list of texts.
    """
    if path is None:
        return []
    paths = path if isinstance(path, list) else [path]
    if not paths or not all(isinstance(each, str) for each in paths):
        raise ValueError(f"path is {path!r}, expected the name of a file")
    return paths


def require_path(path: str | None) -> Path:
    """The file that ``path`` names.

    Raises
    ------
    ValueError
        No path is given, several are, or the file is much larger unpacked.
    DataUnavailableError
        There is no such file.
    """
    if path is None:
        raise ValueError("'path' is missing: it names the file to read")
    if not isinstance(path, str):
        raise ValueError(f"path is {path!r}: this reader takes one file")
    file = Path(path).expanduser()
    if not file.is_file():
        where = "" if file.is_absolute() else f" in {Path.cwd()}"
        raise DataUnavailableError(f"there is no file {path}{where}")
    if file.suffix == ".gz":
        _require_room(file)
    return file


def _require_room(file: Path) -> None:
    limit = left = max(_LEAST_LIMIT, _TIMES_PACKED * file.stat().st_size)
    with suppress(EOFError, OSError, zlib.error), gzip.open(file) as unpacked:  # the reader says what is damaged
        while part := unpacked.read(2**20):
            left -= len(part)
            if left < 0:
                raise ValueError(f"{file}: unpacked it has more than {limit >> 20} MB, which no data of its size has")
