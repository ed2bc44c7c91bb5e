"""The console: what is printed where, mistakes in one line, and what an interruption leaves."""

from __future__ import annotations

import errno
import resource
import sys
from typing import TYPE_CHECKING

from benchkit.document.text import printable
from benchkit.errors import RequestError, is_full

if TYPE_CHECKING:
    from benchkit.report.results import Results


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


def path_too_long(error: BaseException | None) -> str | None:
    """One line where a path that is longer than the system takes is behind an exception; None of any other error."""
    while not isinstance(error, OSError) or error.errno != errno.ENAMETOOLONG:
        if error is None:
            return None
        error = error.__context__
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
    print(f"benchkit: {printable(message)}", file=sys.stderr)


def print_interrupted(results: Results) -> None:
    """Print five lines or fewer to standard output: tables of a run that was stopped would mostly be empty.

    Parameters
    ----------
    results : Results
        Of a run that was interrupted.
    """
    from rich.text import Text

    from benchkit.document.terminal import Console

    console = Console()
    if not results.rows:  # of a collection
        kept = results.folder.parent.parent
        said = f"interrupted before a suite had ended; run the same command again: finished trials are kept in {kept}"
        console.print(Text(said), highlight=False, soft_wrap=True)
        return
    statuses = results.statuses
    planned = results.planned or len(results.rows)
    ended = ", ".join(f"{count} {status}" for status, count in statuses.most_common()) or "none ended"
    lines = [
        f"interrupted after {results.seconds:.1f} s: {planned - len(results.rows)} of {planned} trials are left",
        f"trials that ended: {ended}",
        f"resume: run the same command again; finished trials are kept in {results.folder.parent}",
        f"results so far: benchkit report {results.folder}",
    ]
    if failed := results.problems():
        count, text = failed[0]
        more = f", and {len(failed) - 1} more kinds" if len(failed) > 1 else ""
        lines.insert(2, f"did not end ok: {count} x {text}{more}")
    for line in lines:
        console.print(Text(line), highlight=False, soft_wrap=True)
