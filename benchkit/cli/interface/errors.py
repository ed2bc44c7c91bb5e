"""Exit codes, and telling the user's mistakes from ours."""

from __future__ import annotations

import errno
import resource
import sys

from benchkit.errors import RequestError, is_full

EXIT_CODES = "Exit codes: 0 done; 1 some trials or checks failed; 2 wrong input, said in one line; 130 interrupted."
OK = 0
SOME_FAILED = 1
USER_MISTAKE = 2
INTERRUPTED = 130


def is_users_mistake(error: Exception) -> bool:
    """Whether an exception's message is written for the user, as one line."""
    return isinstance(error, RequestError)


def exit_code(error: Exception) -> int:
    """The exit code of an exception that is told in one line."""
    return SOME_FAILED if is_full(error) else getattr(error, "exit_code", USER_MISTAKE)


def full_disk(error: Exception) -> str | None:
    """One line where a disk is full, with what is kept; None of any other error."""
    if not is_full(error) or getattr(error, "exit_code", USER_MISTAKE) == SOME_FAILED:
        return None
    if is_users_mistake(error):
        line = str(error)
    else:
        what = getattr(error, "filename", None) or "standard output"
        line = f"{what}: cannot write: {getattr(error, 'strerror', None) or error}"
    return f"{line}; what was written before is kept: make room, and give the same command again"


def path_too_long(error: Exception) -> str | None:
    """One line where a path that the user gave is longer than the system takes; None of any other error."""
    if not isinstance(error, OSError) or error.errno != errno.ENAMETOOLONG:
        return None
    name = str(error.filename or "")
    return f"{name[:60]}{'...' * (len(name) > 60)}: a path of {len(name)} characters, too long for the system"


def too_little_room(error: Exception) -> str | None:
    """One line where the process may not have the memory that it needs; None of any other error."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    no_room = isinstance(error, MemoryError | ImportError) or (
        isinstance(error, OSError) and error.errno in (None, errno.ENOMEM)  # None: a library that could not be loaded
    )
    if not no_room or limit == resource.RLIM_INFINITY:
        return None
    why = " ".join(str(error).split())[:120] or type(error).__name__
    return f"no room: this process may have {limit / 2**20:.0f} MB of addresses ('ulimit -v'), raise that ({why})"


def print_error(message: str) -> None:
    """One line on standard error."""
    from benchkit.report.neutral import printable

    print(f"benchkit: {printable(message)}", file=sys.stderr)
