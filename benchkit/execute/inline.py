"""The executor that is the present process."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Self

from benchkit.execute.work import forget


class InlineExecutor:
    """One function at a time, in this process: for notebooks, debuggers and tests. It can stop nothing."""

    capacity = 1

    def __enter__(self) -> Self:
        forget()  # a worker starts afresh; this process may have run before, on other files
        return self

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Call the function now."""
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
