"""Writing to a file wholly or not at all."""

import errno
import os
import shutil
import threading
from contextlib import suppress
from pathlib import Path


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
    partial = target.with_name(f".{target.name[:200]}.{os.getpid()}-{threading.get_ident()}.partial")
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


def append_whole(path: Path, content: bytes) -> None:
    """Append to a file all of the content or, where that fails, nothing.

    Raises
    ------
    OSError
    """
    # Unbuffered: what a full disk did not take must not come later, behind what was written again.
    with path.open("ab", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        waiting = memoryview(content)
        try:
            while waiting:
                waiting = waiting[file.write(waiting) :]
        except OSError:
            with suppress(OSError):
                file.truncate(size)
            raise
