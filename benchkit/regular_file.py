"""Files that anybody may have put there: regular ones alone are opened, and no more is read than such a file has.

A link to a device never ends, and a FIFO never begins. What is wrong is an `OSError` like any other of opening a file.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from benchkit.memory_limit import growth_limit

MOST_VALUES = 3_000_000
"""Values in a JSON text: each takes 100 bytes once it is read, where the text has three."""

MEMORY = "BENCHKIT_READ_MB"
_MEGABYTES = 640.0


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


def require_few_values(text: bytes, most: int = MOST_VALUES) -> None:
    """Refuse a JSON text of more values than any that is written here has, before it is parsed.

    Raises
    ------
    ValueError
    """
    # At least one of these stands before each value but the first; those within strings count, too.
    if sum(map(text.count, (b",", b"[", b"{", b":"))) > most:
        raise ValueError(f"it holds more than {most} values")


def parse_json(text: bytes, most: int = MOST_VALUES) -> Any:
    """What a JSON text says, which is not too long and not nested too deep.

    Raises
    ------
    ValueError
    """
    require_few_values(text, most)
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deep") from None


class ReadingRoom:
    """What reading may add to the memory of this process, over all that it reads: rows of a hostile file are few bytes
    each on the disk.

    Parameters
    ----------
    what : str
        What is read, for the message.
    """

    _taken = 0.0

    def __init__(self, what: str) -> None:
        self._what, self._before = what, _peak_megabytes()
        self._limit = most_megabytes()

    def check(self) -> None:
        """To be called now and then.

        Raises
        ------
        OSError
            It is too much.
        """
        if _peak_megabytes() - self._before + ReadingRoom._taken > self._limit:
            raise _too_much(self._limit, self._what)

    def leave(self) -> None:
        """Reading has ended."""
        ReadingRoom._taken += _peak_megabytes() - self._before


@contextmanager
def bounded_reading(what: str, most: float | None = None) -> Iterator[None]:
    """Read with libraries that take what a file says of its sizes for true, and what is in it for harmless.

    Import these libraries before: what is imported within counts as read. Without Linux there is no limit.

    Parameters
    ----------
    what : str
        What is read, for the message: its path.
    most : float, optional
        MB that it may add to the memory of this process, 640 by default; what the environment variable
        ``BENCHKIT_READ_MB`` says, where that is more.

    Raises
    ------
    OSError
        It wants more, which it does not get (``errno.EFBIG``).
    """
    limit = most_megabytes() if most is None else max(most, most_megabytes(0.0))
    try:
        with growth_limit(limit):
            yield
    except MemoryError:
        raise _too_much(limit, what) from None


def _too_much(most: float, what: str) -> OSError:
    return OSError(
        errno.EFBIG,
        f"reading it takes more than {most:.0f} MB of memory; where you trust it, set {MEMORY} to more",
        what,
    )


def most_megabytes(unsaid: float = _MEGABYTES) -> float:
    """What reading may take in all, in MB: what the environment variable says, else 640."""
    try:
        return float(os.environ.get(MEMORY, unsaid))
    except ValueError:
        return unsaid


def _peak_megabytes() -> float:
    """The most that this process has held: what is read into memory that was freed before adds nothing."""
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (1024 * 1024 if sys.platform == "darwin" else 1024)
