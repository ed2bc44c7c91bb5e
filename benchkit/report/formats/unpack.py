"""Unpacking an archive that a stranger may have made: files and folders alone, and nothing outside its folder."""

from __future__ import annotations

import tarfile
import zlib
from pathlib import Path


class UnusableArchiveError(Exception):
    """It cannot be unpacked, or should not be; the message is one line."""


def unpack(path: Path, folder: Path) -> None:
    """Unpack a ``.tar`` or ``.tar.gz`` into an empty folder.

    Raises
    ------
    UnusableArchiveError
        It is no such archive, holds links or devices, or leads out of the folder.
    """
    try:
        with tarfile.open(path) as archive:
            archive.extractall(folder, filter=_files_and_folders)
    except tarfile.ReadError:
        raise UnusableArchiveError("it is no .tar.gz archive, nor a run's folder") from None
    except (tarfile.TarError, OSError, EOFError, zlib.error, ValueError) as error:
        raise UnusableArchiveError(str(error).splitlines()[0] if str(error) else type(error).__name__) from None


def _files_and_folders(member: tarfile.TarInfo, folder: str) -> tarfile.TarInfo | None:
    if not (member.isreg() or member.isdir()):
        raise UnusableArchiveError(f"{member.name[:80]!r} in it is neither a file nor a folder")
    return tarfile.data_filter(member, folder)
