"""Worker processes under a watch: each has a pipe of its own, and can be killed at any instant without harm to others.

Pools of the usual kind share a queue and its locks among their workers: a worker that is killed while it holds one
blocks the rest, and the parent does not know which process has run what since when. Here the parent hands each task to
one idle worker, so it knows the task's process and start, ends it at its deadline together with its children, and
notices a death at once. A worker whose tasks are brief gets its next one ahead, lest it idle between them; that one
counts as started when the one before it has ended, and goes back to the queue should that not be soon.
"""

from __future__ import annotations

import pickle
import signal
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from typing import Any

from benchkit.execute import family
from benchkit.execute.claims import Claims
from benchkit.execute.executor import EndedError, OverMemoryError, OverTimeError, Usage, WorkerDiedError
from benchkit.execute.serve import READY, serve

# How often the memory of running trials is looked at, in seconds.
_INTERVAL = 0.1

# Tasks shorter than this, in seconds, are brief: the next may wait behind one, if it fits into the pipe (bytes).
_BRIEF = 0.05
_FITS = 2**15

# A worker that dies this often in a row before its first task will never start.
_FALSE_STARTS = 3


@dataclass
class _Task:
    call: bytes
    timeout: float | None
    future: Future[Any]


@dataclass(eq=False)
class _Worker:
    process: BaseProcess
    pipe: connection.Connection
    claims: Claims
    ready: bool = False
    task: _Task | None = None
    ahead: _Task | None = None
    since: float = 0.0
    brief: bool = False
    deadline: float = float("inf")
    look: float = float("inf")
    cpu_before: float = 0.0
    usage: Usage = field(default_factory=Usage)
    family: set[family.Member] = field(default_factory=set)

    @property
    def due(self) -> float:
        """When it is to be looked at next, whatever it says."""
        return min(self.deadline, self.look, self.since + _BRIEF if self.ahead and self.brief else float("inf"))


class Pool:
    """Runs functions in processes.

    Parameters
    ----------
    context : multiprocessing context
    size : int
        Number of processes; each is started when there is work for it.
    prepare : callable
        Called in each process before its first task; picklable.
    memory : float or None
        MB that a task and its children may hold together.
    """

    def __init__(
        self, context: ForkServerContext, size: int, prepare: Callable[[], None], memory: float | None = None
    ) -> None:
        self._context, self._size, self._prepare, self._memory = context, size, prepare, memory
        self._waiting: deque[_Task] = deque()
        self._workers: list[_Worker] = []
        self._false_starts = 0
        self._closing = False
        self._woken, self._wake = context.Pipe(duplex=False)
        self._watch = threading.Thread(target=self._keep_watch, name="benchkit-watch", daemon=True)
        self._watch.start()

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Queue a function; see `Executor.submit`."""
        task = _Task(pickle.dumps((function, args)), timeout, Future())
        self._waiting.append(task)
        self._wake.send_bytes(b"")
        return task.future

    def close(self) -> None:
        """End every process, those that work included."""
        if self._closing:
            return
        self._closing = True
        self._wake.send_bytes(b"")
        self._watch.join()
        for worker in self._workers:
            family.end(_pid(worker), worker.family)
        for worker in self._workers:
            worker.process.join(5)
            worker.pipe.close()
            self._settle(worker, error=WorkerDiedError("stopped", worker.usage))
        for task in [*self._waiting, *(worker.ahead for worker in self._workers if worker.ahead is not None)]:
            task.future.cancel()
        self._wake.close()
        self._woken.close()

    def _keep_watch(self) -> None:
        try:
            while not self._closing:
                self._hand_out()
                self._listen(self._patience())
                self._supervise()
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """Without a watch nothing can be run: every task ends with the reason."""
        while not self._closing:
            for worker in self._workers:
                self._settle(worker, error=error)
                if worker.ahead is not None:
                    _resolve(worker.ahead.future, error=error)
            while self._waiting:
                _resolve(self._waiting.popleft().future, error=error)
            time.sleep(_INTERVAL)

    def _hand_out(self) -> None:
        for worker in self._workers:
            if not self._waiting:
                return
            if worker.ready and worker.task is None:
                self._start(worker, self._waiting.popleft())
        for worker in self._workers:
            if self._waiting and worker.brief and worker.ahead is None and len(self._waiting[0].call) < _FITS:
                worker.ahead = self._waiting.popleft()
                self._send(worker, worker.claims.offer(worker.ahead.call))
        starting = sum(not worker.ready for worker in self._workers)
        for _ in range(min(self._size - len(self._workers), len(self._waiting) - starting)):
            self._workers.append(self._new())

    def _new(self) -> _Worker:
        if self._false_starts >= _FALSE_STARTS:
            raise WorkerDiedError("worker processes die before they can begin; the run's workers.log may say why")
        here, there = self._context.Pipe()
        tokens, offers = self._context.Pipe(duplex=False)
        process = self._context.Process(target=serve, args=(there, tokens, self._prepare), daemon=False)
        process.start()
        there.close()
        return _Worker(process, here, Claims(tokens, offers))

    def _start(self, worker: _Worker, task: _Task) -> None:
        if task.future.set_running_or_notify_cancel():
            self._count(worker, task)
            self._send(worker, worker.claims.now(task.call))

    def _send(self, worker: _Worker, message: bytes) -> None:
        with suppress(OSError):  # it died while idle: its sentinel says so
            worker.pipe.send_bytes(message)

    def _count(self, worker: _Worker, task: _Task) -> None:
        """From now on the worker has this task."""
        worker.task = task
        worker.usage, worker.family = Usage(), set()
        worker.cpu_before = family.cpu_seconds(_pid(worker)) or 0.0
        worker.since = time.monotonic()
        worker.deadline = worker.since + task.timeout if task.timeout else float("inf")
        worker.look = worker.since + _INTERVAL

    def _patience(self) -> float | None:
        """Seconds until something is due, whatever the workers say."""
        busy = [worker for worker in self._workers if worker.task is not None]
        if not busy:
            return None
        return max(0.0, min(worker.due for worker in busy) - time.monotonic())

    def _listen(self, patience: float | None) -> None:
        sources: dict[Any, _Worker] = {}
        for worker in self._workers:
            sources |= {worker.pipe: worker, worker.process.sentinel: worker}
        for source in connection.wait([self._woken, *sources], patience):
            if source is self._woken:
                while self._woken.poll():
                    self._woken.recv_bytes()
            elif sources[source] in self._workers:
                self._hear(sources[source])

    def _hear(self, worker: _Worker) -> None:
        """Take what a worker sends; a pipe or a process that has ended is a death."""
        try:
            message = worker.pipe.recv_bytes() if worker.pipe.poll() else None
        except (EOFError, OSError):
            message = None
        if message is None:
            self._bury(worker)
        elif message == READY:
            worker.ready, self._false_starts = True, 0
        else:
            worker.brief = time.monotonic() - worker.since < _BRIEF
            self._settle(worker, message)
            if worker.ahead is not None:
                following, worker.ahead = worker.ahead, None
                following.future.set_running_or_notify_cancel()
                self._count(worker, following)

    def _bury(self, worker: _Worker) -> None:
        worker.process.join(5)
        self._false_starts += not worker.ready
        code = worker.process.exitcode
        self._settle(worker, error=WorkerDiedError(f"the worker process died ({_exit(code)})", worker.usage))
        self._remove(worker)

    def _supervise(self) -> None:
        now = time.monotonic()
        for worker in [worker for worker in self._workers if worker.task is not None]:
            if worker.pipe.poll():
                continue  # it has ended by itself
            if worker.brief and now >= worker.since + _BRIEF:
                self._take_back(worker)
            if now >= worker.deadline:
                assert worker.task is not None
                self._observe(worker)
                self._end(worker, OverTimeError(f"took longer than {worker.task.timeout:g} s", worker.usage))
            elif now >= worker.look:
                worker.look = now + _INTERVAL
                held = self._observe(worker)
                if self._memory is not None and held > self._memory:
                    reason = f"held {held:.0f} MB with its children, more than {self._memory:g} MB"
                    self._end(worker, OverMemoryError(reason, worker.usage))

    def _observe(self, worker: _Worker) -> float:
        """Note what a worker's task has used so far; the MB that it holds now."""
        pid = _pid(worker)
        worker.family = family.members(pid)
        held = family.resident_megabytes(worker.family)
        if self._memory is not None and held > self._memory and len(worker.family) > 1:
            held = family.proportional_megabytes(worker.family)
        cpu = family.cpu_seconds(pid)
        spent = None if cpu is None else cpu - worker.cpu_before
        worker.usage = Usage(spent, max(held, worker.usage.peak_mb or 0.0) if worker.family else None)
        return held

    def _end(self, worker: _Worker, error: EndedError) -> None:
        family.end(_pid(worker), worker.family)
        self._settle(worker, error=error)
        self._remove(worker)

    def _settle(self, worker: _Worker, message: bytes | None = None, error: Exception | None = None) -> None:
        task, worker.task, worker.deadline = worker.task, None, float("inf")
        if task is None:
            return
        if message is None:
            _resolve(task.future, error=error)
            return
        try:
            value, raised = pickle.loads(message)
        except Exception as problem:  # the class of what it returned may be known there alone
            value, raised = None, problem
        _resolve(task.future, value, raised)

    def _remove(self, worker: _Worker) -> None:
        family.end(_pid(worker), worker.family)  # what a dead worker leaves behind
        if worker.ahead is not None:
            self._waiting.appendleft(worker.ahead)
        self._workers.remove(worker)
        worker.pipe.close()
        worker.claims.close()

    def _take_back(self, worker: _Worker) -> None:
        """Let nothing wait behind a task that is not brief, unless the worker has just begun it."""
        worker.brief = False
        if worker.ahead is not None and worker.claims.take_back():
            self._waiting.appendleft(worker.ahead)
            worker.ahead = None


def _resolve(future: Future[Any], value: Any = None, error: BaseException | None = None) -> None:
    with suppress(InvalidStateError):  # cancelled in the meantime
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)


def _pid(worker: _Worker) -> int:
    assert worker.process.pid is not None
    return worker.process.pid


def _exit(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        name = signal.Signals(-code).name
        return f"{name}, perhaps for want of memory" if name in ("SIGKILL", "SIGABRT") else name
    return f"signal {-code}"
