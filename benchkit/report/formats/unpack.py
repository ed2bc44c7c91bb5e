"""Unpacking an archive that a stranger may have made: files and folders alone, and no more than it plausibly holds."""

from __future__ import annotations

import gzip
import os
import tarfile
import zlib
from pathlib import Path
from typing import IO

from benchkit.regular_file import open_regular

_LEAST_LIMIT = 64 * 2**20
_TIMES_PACKED = 100  # a journal of equal rows shrinks by 30; zeros by 1000
_MOST_BYTES = 8 * 2**30
_MOST_FILES = 20_000
_GZIP = b"\x1f\x8b"


class UnusableArchiveError(Exception):
    """It cannot be unpacked, or should not be; the message is one line."""


class _BoundedReading:
    """What is read of a file, up to so many bytes: headers may be bombs, too."""

    def __init__(self, file: IO[bytes], limit: int) -> None:
        self._file, self._left, self._limit = file, limit, limit

    def read(self, size: int) -> bytes:
        content = self._file.read(min(size, self._left + 1))
        self._left -= len(content)
        if self._left < 0:
            raise UnusableArchiveError(_too_large(self._limit))
        return content


def _too_large(limit: int) -> str:
    return f"unpacked it would be larger than {limit / 2**20:.0f} MB, which no run of its size is"


def unpack(path: Path, folder: Path) -> None:
    """Unpack a ``.tar`` or ``.tar.gz`` into an empty folder.

    Parameters
    ----------
    path, folder : Path

    Raises
    ------
    UnusableArchiveError
        It is no such archive, holds links or devices, leads out of the folder, or would be too large: more than 64 MB
        and a hundred times its own size, or more than 8 GB. What is too large is refused before it is written.
    """
    try:
        with open_regular(path) as packed:
            limit = min(max(_LEAST_LIMIT, _TIMES_PACKED * os.fstat(packed.fileno()).st_size), _MOST_BYTES)
            is_compressed = packed.read(2) == _GZIP
            packed.seek(0)
            plain: IO[bytes] = gzip.GzipFile(fileobj=packed) if is_compressed else packed  # type: ignore[assignment]
            with tarfile.open(fileobj=_BoundedReading(plain, limit), mode="r|") as archive:  # type: ignore[call-overload]
                _extract(archive, folder, limit)
    except tarfile.ReadError:
        raise UnusableArchiveError("it is no .tar.gz archive, nor a run's folder") from None
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError) as error:
        raise UnusableArchiveError(str(error).splitlines()[0] if str(error) else type(error).__name__) from None


def _extract(archive: tarfile.TarFile, folder: Path, limit: int) -> None:
    size = 0
    for count, member in enumerate(archive, start=1):
        size += member.size
        if size > limit:
            raise UnusableArchiveError(_too_large(limit))
        if count > _MOST_FILES:
            raise UnusableArchiveError(f"it holds more than {_MOST_FILES} files")
        if not (member.isreg() or member.isdir()) or member.issparse():
            raise UnusableArchiveError(f"{member.name[:80]!r} in it is neither a file nor a folder")
        archive.extract(member, folder, filter="data")
