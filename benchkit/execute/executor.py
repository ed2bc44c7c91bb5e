"""What an executor is, and how a trial that did not come back is told apart from one that did."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Protocol, Self

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


class RunningExecutor(Protocol):
    """Where functions run, made from what a plugin declares as an `Executor`.

    Entered before use; leaving it with an error stops what still runs.
    """

    @property
    def capacity(self) -> int:
        """How many functions run at once."""

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Run a function somewhere; a ``timeout`` in seconds counts from its start.

        The future raises `OverTimeError`, `OverMemoryError` or `WorkerDiedError` where the function did not end by
        itself, and what the function raised otherwise.
        """

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
