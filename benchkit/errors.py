"""Every exception of benchkit that a caller may want to catch.

::

    BenchkitError
    ├── RequestError                    what was asked for cannot be done; one line says why
    │   ├── SuiteError                  the suite, or how it was asked for, is wrong
    │   ├── UnknownNameError            no plugin declares this name (also a KeyError)
    │   ├── SelectionError              a reader asked for what the run does not have
    │   ├── NoDataError                 the data of a run cannot be had again
    │   ├── SliceError                  no data set of a run can be divided by this column
    │   ├── PluginError                 a plugin's code raised something in this process
    │   ├── JournalError                the output folder or the journal cannot be used
    │   │   └── PublishError            published results, or rows of a row source, cannot be read, written or joined
    │   ├── TableError                  a table of scores cannot be read, or cannot be judged
    │   ├── FetchError
    │   ├── ScaffoldError
    │   ├── ExecutorUnavailableError
    │   ├── TrackingError               raised by trackers: what runs are written to cannot be reached
    │   ├── EnvironmentMissingError     also ends trials as ``skipped``
    │   └── EnvironmentBuildError
    ├── DeclarationError                a plugin declared something that cannot be used
    ├── DataUnavailableError            raised by datasets: trials end as ``skipped``
    ├── NotApplicableError              raised by methods and adversaries: trials end as ``skipped``
    ├── TuningOverError
    └── EndedError                      raised by executors: what ran was ended
        ├── OverTimeError
        ├── OverMemoryError
        └── WorkerDiedError
"""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal


class BenchkitError(Exception):
    """Of all exceptions that benchkit raises on purpose."""


class RequestError(BenchkitError):
    """What was asked for cannot be done; the message is one line for the user: what, where, and what to do.

    Attributes
    ----------
    exit_code : int
        Of the command that it ends: 2 where nothing was done, 1 where a part was.
    """

    exit_code = 2


class JournalError(RequestError):
    """The output folder or the journal cannot be used; the message is one line for the user."""


class PublishError(JournalError):
    """Published results cannot be read, written or joined; the message is one line for the user."""


@contextmanager
def writing(place: object, raising: type[RequestError] = JournalError, note: str = "") -> Iterator[None]:
    """Say in one line where something cannot be written, and what else there is to know of it."""
    try:
        yield
    except OSError as error:
        raise raising(f"{place}: cannot write: {error.strerror or error}{note}") from None


class ExecutorUnavailableError(RequestError):
    """There is no such place to run at; the message is one line for the user."""


class EndedError(BenchkitError):
    """A function that was stopped, or whose process died.

    Parameters
    ----------
    reason : str
        One line.
    cpu_seconds, peak_mb : float or None, default=None
        What it took until then, as far as that was seen: processor time, and the most memory held.
    """

    status: Literal["crashed", "timeout", "memory"] = "crashed"

    def __init__(self, reason: str, *, cpu_seconds: float | None = None, peak_mb: float | None = None) -> None:
        super().__init__(reason)
        self.cpu_seconds, self.peak_mb = cpu_seconds, peak_mb


class OverTimeError(EndedError):
    """Stopped at its deadline."""

    status = "timeout"


class OverMemoryError(EndedError):
    """Stopped because it and its children held more memory than allowed."""

    status = "memory"


class WorkerDiedError(EndedError):
    """The process that ran it is gone: a crash, or a lost machine."""


_LONGEST = 500  # characters of a message


def message_of(error: BaseException) -> str:
    """What an exception says, whatever its ``__str__`` does."""
    try:
        return str(error)
    except BaseException as raised:  # also an exit: it is anybody's code
        return f"its message cannot be read, {type(raised).__name__}"


def one_line(error: BaseException) -> str:
    """Class and message of an exception, as one line that is not too long; it never raises."""
    text = " ".join(message_of(error).split())
    return f"{type(error).__name__}: {text[:_LONGEST]}" if text else type(error).__name__


_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)


def is_full(error: BaseException | None) -> bool:
    """Whether a full disk, a quota or a limit on the size of files is behind an exception, whatever was made of it."""
    while error is not None and not (isinstance(error, OSError) and error.errno in _FULL):
        error = error.__context__
    return error is not None
