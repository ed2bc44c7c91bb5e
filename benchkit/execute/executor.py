"""How a trial that did not come back is told apart from one that did."""

from __future__ import annotations

from benchkit.errors import BenchkitError, RequestError
from benchkit.trial.record import Status


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

    status: Status = "crashed"

    def __init__(self, reason: str, *, cpu_seconds: float | None = None, peak_mb: float | None = None) -> None:
        super().__init__(reason)
        self.cpu_seconds, self.peak_mb = cpu_seconds, peak_mb


class OverTimeError(EndedError):
    """Stopped at its deadline."""

    status: Status = "timeout"


class OverMemoryError(EndedError):
    """Stopped because it and its children held more memory than allowed."""

    status: Status = "memory"


class WorkerDiedError(EndedError):
    """The process that ran it is gone: a crash, or a lost machine."""
