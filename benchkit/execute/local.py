"""The executor of this machine: worker processes that can be killed one by one."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack
from functools import partial
from multiprocessing import forkserver
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, Self

from benchkit.execute.bare import bare_processes, ignore_sigint
from benchkit.execute.pool import Pool
from benchkit.execute.work import prepare_worker


class LocalExecutor:
    """Worker processes, each with a single BLAS thread.

    Parameters
    ----------
    jobs : int
        Number of processes.
    log : Path or None
        File that takes what they print.
    memory : float or None
        MB that a function and its children may hold together.
    """

    def __init__(self, jobs: int, log: Path | None = None, memory: float | None = None) -> None:
        self.capacity = jobs
        self._log, self._memory = log, memory

    def __enter__(self) -> Self:
        context = multiprocessing.get_context("forkserver")
        context.set_forkserver_preload(["benchkit.execute.preload"])
        self._stack = ExitStack()
        self._stack.enter_context(bare_processes())
        with ignore_sigint():
            forkserver.ensure_running()
        temporary = Path(self._stack.enter_context(TemporaryDirectory(prefix="benchkit-", ignore_cleanup_errors=True)))
        # The server that workers are forked from keeps the environment of the first run of this process.
        prepare = partial(prepare_worker, self._log, temporary, dict(os.environ))
        self._pool = Pool(context, self.capacity, prepare, self._memory)
        return self

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Queue a function; see `RunningExecutor.submit`."""
        return self._pool.submit(function, *args, timeout=timeout)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._pool.close()
        self._stack.close()
