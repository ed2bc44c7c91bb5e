"""The executor of this machine: worker processes that can be killed one by one."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import forkserver
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchkit.execute.bare import bare_processes, ignore_sigint
from benchkit.execute.pool import Pool
from benchkit.execute.work import prepare_worker

# A process that is forked takes its parent's server of workers for its own child, and fails when it asks for it.
os.register_at_fork(after_in_child=forkserver._forkserver.__init__)  # type: ignore[misc]


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
        temporary = self._stack.enter_context(_temporary_folder())
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


_PREFIX = "benchkit-run-"


@contextmanager
def _temporary_folder() -> Iterator[Path]:
    """A folder for what workers leave, locked by this process; those whose process was killed are removed first."""
    for left_behind in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):  # another user's, or one that is in use
            lock = _lock(left_behind)
            shutil.rmtree(left_behind, ignore_errors=True)
            os.close(lock)
    descriptor: int | None
    while True:
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        try:
            descriptor = _lock(folder)
        except (BlockingIOError, FileNotFoundError):  # another run took it for left behind, before it was locked
            continue
        except OSError:  # a file system without locks, where nobody else can lock it either
            descriptor = None
        break
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if descriptor is not None:
            os.close(descriptor)


def _lock(folder: Path) -> int:
    """Lock a folder of this user's, until its descriptor is closed or the process ends; `OSError` where that fails."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        state = os.fstat(descriptor)
        if state.st_uid != os.geteuid():
            raise PermissionError
        if not os.path.samestat(state, os.stat(folder)):
            raise FileNotFoundError
    except OSError:
        os.close(descriptor)
        raise
    return descriptor
