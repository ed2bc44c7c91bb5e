"""Files that anybody may have put there: regular ones alone are opened, and no more is read than such a file has.

A link to a device never ends, and a FIFO never begins. What is wrong is an `OSError` like any other of opening a file.
"""

from __future__ import annotations

import errno
import os
import shutil
import stat
from pathlib import Path
from typing import IO


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file whole or not at all: beside its place, and renamed; a device or a pipe is written to as it is.

    Raises
    ------
    OSError
    """
    content = content.encode() if isinstance(content, str) else content
    target = path.resolve()  # through a link, which stays
    if path.is_relative_to("/dev") or (target.exists() and not target.is_file()):
        path.write_bytes(content)
        return
    if target.exists() and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    partial = target.with_name(f".{target.name[:200]}.{os.getpid()}.partial")
    partial.unlink(missing_ok=True)
    try:
        with open(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o666), "wb") as file:
            file.write(content)
        if target.exists():
            shutil.copymode(target, partial)
        partial.replace(target)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(path)) from None
    finally:
        partial.unlink(missing_ok=True)


def open_regular(path: str | Path) -> IO[bytes]:
    """Open a file for reading, which is regular.

    Raises
    ------
    OSError
    """
    # Opening a FIFO waits for somebody to write; not so without blocking, of which a regular file takes no notice.
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | getattr(os, "O_NOCTTY", 0))
    mode = os.fstat(descriptor).st_mode
    if not stat.S_ISREG(mode):
        os.close(descriptor)
        number = errno.EISDIR if stat.S_ISDIR(mode) else errno.EINVAL
        raise OSError(number, "a folder" if stat.S_ISDIR(mode) else "a device or a pipe, no file of data", str(path))
    return os.fdopen(descriptor, "rb")


def read_regular(path: str | Path, most: int) -> bytes:
    """The content of a regular file of so many bytes at most.

    Raises
    ------
    OSError
    """
    with open_regular(path) as file:
        too_large = OSError(errno.EFBIG, f"larger than {_size(most)}, which no such file is", str(path))
        if os.fstat(file.fileno()).st_size > most:
            raise too_large
        content = file.read(most + 1)
    if len(content) > most:  # it grew, or the system does not tell its size
        raise too_large
    return content


def _size(count: int) -> str:
    return f"{count / 2**20:g} MB" if count >= 2**20 else f"{count / 2**10:g} kB"
