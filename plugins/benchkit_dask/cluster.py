"""The executor of a dask cluster: each function runs in a killable child process of a dask worker.

dask itself neither stops a task at a deadline nor survives one that crashes; the child does, so that limits, isolation
and records are those of `LocalExecutor`.
"""

import pickle
import threading
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from benchkit import ExecutorUnavailableError, WorkerDiedError, __version__, bare_processes, one_line

try:
    import distributed
except ImportError:
    raise ExecutorUnavailableError(
        "--executor dask needs the extra 'dask': pip install '.[dask]' in benchkit's checkout"
    ) from None

from benchkit_dask.children import Call, Children, Outcome, run_in_children

# So many brief calls go together.
_TOGETHER = 8

_SECONDS_TO_CONNECT = 10
_SECONDS_BETWEEN_COUNTS = 2.0
_SECONDS_BETWEEN_LOOKS = 1.0
# Evaluated on workers, where neither benchkit nor this plugin need be.
_ASK_VERSION = "__import__('benchkit').__version__"


def check_versions(client: Any) -> None:
    """Refuse workers of a `distributed.Client` with another benchkit, or none: what they return is read by this one."""
    answers = client.run(eval, _ASK_VERSION, on_error="return")
    for worker, answer in sorted(answers.items()):
        if answer != __version__:
            reason = f"no benchkit that can be imported ({type(answer).__name__})"
            has = f"benchkit {' '.join(answer.split())[:40]}" if isinstance(answer, str) else reason
            raise ExecutorUnavailableError(
                f"the dask worker {worker} has {has}, and this is benchkit {__version__}: install the same there"
            )


@dataclass
class _Pending:
    call: Call
    future: Future[Any]
    task: str = ""


def _outcomes(remote: Any) -> tuple[list[Outcome], bool, BaseException | None]:
    """What a task returned: outcomes, whether they were brief, and what it is that lost the others.

    dask waits for ever where its client is closed meanwhile, and one thread waits for all clients of a process.
    """
    try:
        while remote.client.status != "closed":
            with suppress(TimeoutError):
                return (*remote.result(timeout=_SECONDS_BETWEEN_LOOKS), None)
        raise CancelledError
    except distributed.scheduler.KilledWorker:
        return [], False, WorkerDiedError("the dask workers that ran it were lost")
    except CancelledError:
        return [], False, WorkerDiedError("the dask scheduler cancelled it, or is gone")
    except OSError as error:  # `CommClosedError` is one
        return [], False, WorkerDiedError(f"the dask scheduler is gone: {error}")
    except Exception as error:  # what it returned may be known there alone
        return [], False, error


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
        self._pending: dict[str, _Pending] = {}
        self._waiting: list[_Pending] = []
        self._under_way = 0
        self._brief = False
        self._lock = threading.RLock()
        self._counted, self._capacity = float("-inf"), 1

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self._client = self._connect(stack)
            stack.callback(self._client.close)
            if self._scheduler is not None:  # workers that are started here have this one
                check_versions(self._client)
            self._plugin = Children(self._log, self._memory)
            self._client.register_plugin(self._plugin)
            stack.callback(self._unregister)
            self._topic = self._plugin.name
            self._client.subscribe_topic(self._topic, self._note)
            self._stack = stack.pop_all()
        return self

    def _unregister(self) -> None:
        if self._client.status == "running":  # else the scheduler is gone, and its workers with it
            self._client.unregister_worker_plugin(self._plugin.name)

    def _connect(self, stack: ExitStack) -> Any:
        if self._scheduler is None:
            stack.enter_context(bare_processes())
            cluster = distributed.LocalCluster(  # type: ignore[no-untyped-call]
                n_workers=self._jobs,
                threads_per_worker=1,
                memory_limit=0,
                silence_logs="ERROR",
                dashboard_address=None,
                # Its plain pages: at a port that is free. dask wants 8787, and warns where another cluster has it.
                scheduler_kwargs={"dashboard_address": "127.0.0.1:0"},
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
            self._counted = now
            if self._client.status == "closed":  # it gave up: what it still held, nobody will answer
                self._lose_all("the dask scheduler is gone")
            # The scheduler may be gone, and its proxy with it: `submit` will say so.
            with suppress(OSError, RuntimeError, TimeoutError, AttributeError):
                self._capacity = max(1, sum(self._client.nthreads().values()))
        return self._capacity

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Queue a function; see `benchkit.Executor`."""
        pending = _Pending((uuid.uuid4().hex, pickle.dumps((function, args)), timeout), Future())
        with self._lock:
            self._pending[pending.call[0]] = pending
            self._waiting.append(pending)
            if not (self._brief and self._under_way) or len(self._waiting) == _TOGETHER:
                self._send()
        return pending.future

    def _send(self) -> None:
        """Send the calls that wait, together."""
        sent, self._waiting = self._waiting, []
        if not sent:
            return
        task = f"trial-{uuid.uuid4().hex}"
        for pending in sent:
            pending.task = task
        calls = [pending.call for pending in sent]
        try:
            remote = self._client.submit(
                run_in_children, self._plugin.name, self._topic, task, calls, pure=False, key=task
            )
        except Exception as error:  # of many kinds, once the scheduler is gone
            lost = WorkerDiedError(f"the dask scheduler did not take it: {one_line(error)}")
            self._settle([(number, None, lost) for number, _, _ in calls])
            return
        self._under_way += 1
        remote.add_done_callback(self._take)

    def _note(self, event: Any) -> None:
        """A call is not brief: it runs, and those that were sent with it and come after it go elsewhere."""
        task, number, before = event[1]
        self._settle(pickle.loads(before))
        with self._lock:
            self._brief = False
            here = [each for each in self._pending.values() if each.task == task]
            behind = here[[each.call[0] for each in here].index(number) + 1 :] if number in self._pending else []
            if number in self._pending and not (future := self._pending[number].future).running():
                future.set_running_or_notify_cancel()
            self._send()
            for each in behind:
                self._waiting.append(each)
                self._send()

    def _take(self, remote: Any) -> None:
        """Pass on what became of the calls of a task."""
        outcomes, brief, lost = _outcomes(remote)
        with self._lock:
            self._under_way -= 1
            self._brief = brief
            if not (brief and self._under_way):
                self._send()
            if lost is not None:
                outcomes = [(number, None, lost) for number, each in self._pending.items() if each.task == remote.key]
        self._settle(outcomes)

    def _settle(self, outcomes: Sequence[Outcome]) -> None:
        for number, value, error in outcomes:
            with self._lock:
                pending = self._pending.pop(number, None)
            if pending is None:
                continue  # a dask worker that was lost ran it before
            if error is not None:
                pending.future.set_exception(error)
            else:
                pending.future.set_result(value)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError, RuntimeError, TimeoutError):  # the scheduler may be gone
            self._stack.close()
        self._lose_all("stopped")

    def _lose_all(self, reason: str) -> None:
        with self._lock:
            left = list(self._pending)
        self._settle([(number, None, WorkerDiedError(reason)) for number in left])
