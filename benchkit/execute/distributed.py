"""The executor of a dask cluster: each function runs in a killable child process of a dask worker.

dask itself neither stops a task at a deadline nor survives one that crashes; the child does, so that limits, isolation
and records are those of `LocalExecutor`.
"""

from __future__ import annotations

import multiprocessing
import pickle
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchkit.execute.bare import bare_processes
from benchkit.execute.executor import ExecutorUnavailableError, WorkerDiedError
from benchkit.execute.local import LocalExecutor

try:
    import dask
    import distributed
except ImportError:
    raise ExecutorUnavailableError("--executor dask needs the extra 'dask': pip install 'benchkit[dask]'") from None

_SECONDS_TO_CONNECT = 10
_SECONDS_TO_SET_UP = 30
_SECONDS_BETWEEN_COUNTS = 2.0


class Children(distributed.WorkerPlugin):
    """Gives each dask worker processes of its own, as many as it has threads.

    Parameters
    ----------
    log : Path or None
    memory : float or None
        As for `LocalExecutor`.
    """

    def __init__(self, log: Path | None, memory: float | None) -> None:
        self.name = f"benchkit-{uuid.uuid4().hex}"
        self._log, self._memory = log, memory

    def setup(self, worker: Any) -> None:
        """Start them."""
        log = self._log if self._log is not None and self._log.parent.is_dir() else None
        self.executor = LocalExecutor(worker.state.nthreads, log, self._memory).__enter__()

    def teardown(self, worker: Any) -> None:
        """End them, and what they run."""
        self.executor.__exit__(None, None, None)


def _children_of(worker: Any, plugin: str) -> LocalExecutor:
    """A dask worker's processes; one that has just been restarted may run a task before it has set them up."""
    if multiprocessing.current_process().daemon:
        raise ExecutorUnavailableError("a dask worker may not start processes: set distributed.worker.daemon to false")
    deadline = time.monotonic() + _SECONDS_TO_SET_UP
    while getattr(worker.plugins.get(plugin), "executor", None) is None:
        if time.monotonic() > deadline:
            raise WorkerDiedError("a dask worker did not set up its processes")
        time.sleep(0.01)
    executor: LocalExecutor = worker.plugins[plugin].executor
    return executor


def _run_in_child(plugin: str, topic: str, number: str, call: bytes, timeout: float | None) -> Any:
    """Run a pickled call in a child of the dask worker that this is called on; its value, or what it raised."""
    worker = distributed.get_worker()
    worker.log_event(topic, number)
    function, args = pickle.loads(call)
    future = _children_of(worker, plugin).submit(function, *args, timeout=timeout)
    error = future.exception()
    return (future.result(), None) if error is None else (None, error)


class DaskExecutor:
    """Workers of a dask cluster.

    Parameters
    ----------
    scheduler : str or None
        Address of the scheduler; None starts a cluster on this machine.
    jobs : int or None
        Workers of the cluster that is started here; all processors by default.
    log : Path or None
        File that takes what workers print, where they can reach its folder.
    memory : float or None
        MB that a function and its children may hold together.
    """

    def __init__(
        self, scheduler: str | None, jobs: int | None = None, log: Path | None = None, memory: float | None = None
    ) -> None:
        self._scheduler, self._jobs, self._log, self._memory = scheduler, jobs, log, memory
        self._started: dict[str, Future[Any]] = {}
        self._counted, self._capacity = float("-inf"), 1

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._client = self._connect(stack)
            stack.callback(self._client.close)
            self._plugin = Children(self._log, self._memory)
            self._client.register_plugin(self._plugin)
            stack.callback(self._client.unregister_worker_plugin, self._plugin.name)
            self._topic = self._plugin.name
            self._client.subscribe_topic(self._topic, self._note_start)
            self._stack = stack.pop_all()
        return self

    def _connect(self, stack: ExitStack) -> Any:
        if self._scheduler is None:
            stack.enter_context(dask.config.set({"distributed.worker.daemon": False}))
            stack.enter_context(bare_processes())
            cluster = distributed.LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=self._jobs, threads_per_worker=1, memory_limit=0, dashboard_address=None, silence_logs="ERROR"
            )
            stack.callback(cluster.close)
            return distributed.Client(cluster)  # type: ignore[no-untyped-call]
        try:
            return distributed.Client(self._scheduler, timeout=_SECONDS_TO_CONNECT)  # type: ignore[no-untyped-call]
        except (OSError, ValueError) as error:
            raise ExecutorUnavailableError(f"no dask scheduler at {self._scheduler}: {error}") from None

    @property
    def capacity(self) -> int:
        """Threads of the workers that are there now."""
        now = time.monotonic()
        if now - self._counted > _SECONDS_BETWEEN_COUNTS:
            self._counted, self._capacity = now, max(1, sum(self._client.nthreads().values()))
        return self._capacity

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Queue a function; see `Executor.submit`."""
        future: Future[Any] = Future()
        number = uuid.uuid4().hex
        self._started[number] = future
        call = pickle.dumps((function, args))
        remote = self._client.submit(
            _run_in_child, self._plugin.name, self._topic, number, call, timeout, pure=False, key=f"trial-{number}"
        )
        remote.add_done_callback(lambda done: self._pass_on(number, done))
        return future

    def _note_start(self, event: Any) -> None:
        _, number = event
        future = self._started.get(number)
        if future is not None and not future.running() and not future.done():
            future.set_running_or_notify_cancel()

    def _pass_on(self, number: str, remote: Any) -> None:
        future = self._started.pop(number)
        if remote.status == "cancelled":
            future.cancel()
            return
        lost = remote.exception()
        value, error = remote.result() if lost is None else (None, lost)
        if isinstance(error, distributed.scheduler.KilledWorker):
            error = WorkerDiedError("the dask workers that ran it were lost")
        if error is None:
            future.set_result(value)
        else:
            future.set_exception(error)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError, TimeoutError):  # the scheduler may be gone
            self._stack.close()
