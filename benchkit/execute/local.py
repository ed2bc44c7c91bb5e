"""Executors on this machine: killable worker processes, or this process itself."""

from __future__ import annotations

import multiprocessing
import os
import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from pebble import ProcessPool

from benchkit.execute.work import forget, prepare_worker

_THREAD_VARIABLES = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMEXPR_NUM_THREADS",
    "NUMBA_NUM_THREADS",
)


class Executor(Protocol):
    """Where functions run."""

    capacity: int

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Run a function somewhere; a ``timeout`` in seconds counts from its start."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class LocalExecutor:
    """Worker processes that can be killed one by one, each with a single BLAS thread.

    Parameters
    ----------
    jobs : int
        Number of processes.
    log : Path or None
        File that takes what they print.
    """

    def __init__(self, jobs: int, log: Path | None = None) -> None:
        self.capacity = jobs
        self._log = log

    def __enter__(self) -> Self:
        self._environment = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
        os.environ.update(dict.fromkeys(_THREAD_VARIABLES, "1"))
        # Workers need nothing of the user's script; importing it there would run it again.
        main = sys.modules["__main__"]
        self._main = {name: getattr(main, name, None) for name in ("__file__", "__spec__")}
        main.__dict__.pop("__file__", None)
        main.__spec__ = None
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["benchkit.execute.work"])
        self._pool = ProcessPool(
            max_workers=self.capacity, initializer=prepare_worker, initargs=(self._log,), context=context
        )
        return self

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Queue a function; a worker that passes the timeout is killed."""
        future: Future[Any] = self._pool.schedule(function, args=args, timeout=timeout)
        return future

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self._pool.close()  # type: ignore[no-untyped-call]
        else:
            self._pool.stop()  # type: ignore[no-untyped-call]
        self._pool.join()
        main = sys.modules["__main__"]
        for attribute, held in self._main.items():
            if held is not None:
                setattr(main, attribute, held)
        for name, value in self._environment.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class InlineExecutor:
    """The present process, one function at a time: for notebooks, debuggers and tests. Knows no timeout."""

    capacity = 1

    def __init__(self, jobs: int = 1, log: Path | None = None) -> None:
        """There is one process, and it prints where it prints."""

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
