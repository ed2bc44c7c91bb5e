"""The executor that is the present process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import Future
from types import TracebackType
from typing import Any, Self

from threadpoolctl import ThreadpoolController

from benchkit.trial.prepared import forget
from benchkit.trial.seeds import global_generators_kept


class InlineExecutor:
    """One function at a time, in this process, with one BLAS thread: for notebooks, debuggers and tests.

    It can stop nothing.
    """

    capacity = 1

    def __enter__(self) -> Self:
        self._modules = 0
        forget()  # a worker starts afresh; this process may have run before, on other files
        return self

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Call the function now."""
        if len(sys.modules) != self._modules:  # the call before has imported some; to look for libraries takes time
            self._modules, self._libraries = len(sys.modules), ThreadpoolController()
        future: Future[Any] = Future()
        future.set_running_or_notify_cancel()
        try:
            with self._libraries.limit(limits=1), global_generators_kept():  # as in a worker
                future.set_result(function(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None
