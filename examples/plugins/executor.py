"""An executor: a place that runs functions, and says how many it runs at once."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any

from benchkit import Executor, ExecutorOption, hookimpl


class OneByOne:
    """Run in this process, one function at a time: to be replaced by a queue, a cluster or a service.

    Parameters
    ----------
    jobs : int or None
        How many functions may run at once; this place runs one.
    pause : float, default=0.0
        Seconds before each function: ``--executor-option pause=0.5``.
    """

    def __init__(self, jobs: int | None, pause: float = 0.0) -> None:
        self.capacity = 1
        self.pause = pause

    def __enter__(self) -> OneByOne:
        """Get ready: connect, or raise `benchkit.ExecutorUnavailableError`."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End what runs and waits."""

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Run a function; its future holds what it returned or raised."""
        time.sleep(self.pause)
        future: Future[Any] = Future()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future


@hookimpl
def benchkit_executors() -> list[Executor]:
    """Declare the executors."""
    return [
        Executor(
            name="one-by-one",
            make=OneByOne,
            summary="This process, one trial at a time",
            options=[ExecutorOption(name="pause", type=float, default=0.0, summary="Seconds before each function")],
            stops=False,  # it cannot end a function; leave this out once it can
            in_process=True,  # so that no run uses code that was edited since; leave this out once it has workers
        )
    ]
