"""Worker processes under a watch: each has a connection of its own, and can be killed at any instant without harm.

Pools of the usual kind share a queue and its locks among their workers: a worker that is killed while it holds one
blocks the rest, and the parent does not know which process has run what since when. Here one thread, the watch, hands
each task to one idle worker and hears one answer to it. So it knows the task's process and start, ends it at its
deadline together with its children, and notices a death at once; a death costs the one task that the worker had.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from multiprocessing import connection
from multiprocessing.context import ForkServerContext
from queue import Empty, SimpleQueue
from typing import Any

from benchkit.environment.place import EnvironmentMissingError
from benchkit.execute.executor import EndedError, WorkerDiedError
from benchkit.execute.false_starts import FalseStarts
from benchkit.execute.foreign import InEnvironment
from benchkit.execute.replies import Kind, Reply
from benchkit.execute.task import Task
from benchkit.execute.worker import Worker

# Workers that wait idle for work of another interpreter, for each that works at once; more are ended.
_KEPT = 4

# Seconds between looks at what was submitted to a pool whose watch has failed.
_INTERVAL = 0.1

# What a server that was killed may take to be gone.
_SECONDS_TO_BE_GONE = 0.2


class Pool:
    """Runs functions in processes.

    Parameters
    ----------
    context : multiprocessing context
    size : int
        Number of processes that work at once; each is started when there is work for it. Those of an environment wait
        idle while others work.
    prepare : callable
        Called in each process before its first task; picklable.
    memory : float or None
        MB that a task and its children may hold together.
    """

    def __init__(
        self, context: ForkServerContext, size: int, prepare: Callable[[], None], memory: float | None = None
    ) -> None:
        self._context, self._size, self._prepare, self._memory = context, size, prepare, memory
        self._submitted: SimpleQueue[Task] = SimpleQueue()
        self._waiting: deque[Task] = deque()  # the watch's own: what another thread adds to is not looked through
        self._workers: list[Worker] = []
        self._false_starts = FalseStarts()
        self._closing = False
        self._woken, self._wake = context.Pipe(duplex=False)
        os.set_blocking(self._wake.fileno(), False)
        self._watch = threading.Thread(target=self._keep_watch, name="benchkit-watch", daemon=True)
        self._watch.start()

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Queue a function; see `RunningExecutor.submit`."""
        home = None
        if isinstance(function, InEnvironment):
            try:
                home, function = function.place(), function.function
            except EnvironmentMissingError as error:
                future: Future[Any] = Future()
                future.set_exception(error)
                return future
        task = Task(pickle.dumps((function, args)), timeout, home)
        self._submitted.put(task)
        self._wake_watch()
        return task.future

    def _wake_watch(self) -> None:
        with suppress(BlockingIOError):  # a full pipe wakes it as well
            os.write(self._wake.fileno(), b"!")

    def close(self) -> None:
        """End every process, those that work included."""
        if self._closing:
            return
        self._closing = True
        self._wake_watch()
        self._watch.join()
        for worker in self._workers:
            worker.kill()
        for worker in self._workers:
            worker.wait()
            if (task := worker.release()) is not None:
                task.fail(worker.died("stopped"))
            worker.close()
        self._take_submitted()
        for task in self._waiting:
            task.future.cancel()  # not one whose worker had died before it could begin
            task.fail(WorkerDiedError("stopped"))
        self._wake.close()
        self._woken.close()

    def _keep_watch(self) -> None:
        try:
            while not self._closing:
                self._take_submitted()
                self._hand_out()
                self._listen()
                self._hold_limits()
        except Exception as error:
            self._fail(error)

    def _fail(self, error: Exception) -> None:
        """Without a watch nothing can be run: every task ends with the reason."""
        if not isinstance(error, EndedError):
            error = WorkerDiedError(f"the watch over the workers failed: {type(error).__name__}: {error}")
        while not self._closing:
            for worker in self._workers:
                if (task := worker.release()) is not None:
                    task.fail(error)
            self._take_submitted()
            while self._waiting:
                self._waiting.popleft().fail(error)
            time.sleep(_INTERVAL)

    def _take_submitted(self) -> None:
        with suppress(Empty):
            while True:
                self._waiting.append(self._submitted.get_nowait())

    def _hand_out(self) -> None:
        """Give tasks, in the order in which they came, to idle workers of their interpreters; start those that lack."""
        idle = [worker for worker in self._workers if worker.idle]
        starting = Counter(worker.folder for worker in self._workers if not worker.ready)
        room = self._size - (len(self._workers) - len(idle))
        for task in tuple(self._waiting) if room > 0 else ():
            if room <= 0:
                break
            worker = next((worker for worker in idle if worker.folder == task.folder), None)
            if (worker is not None or task.future.cancelled()) and not task.claim():
                self._waiting.remove(task)
            elif worker is not None:
                idle.remove(worker)
                room -= 1
                with suppress(OSError):  # it has died while idle, as the watch is about to hear
                    worker.begin(task)
                    self._waiting.remove(task)
            elif starting[task.folder] > 0:  # one is being started for it
                starting[task.folder] -= 1
            elif (reason := self._false_starts.reason(task.folder)) is not None:
                self._waiting.remove(task)
                task.fail(WorkerDiedError(reason))
            else:
                self._make_room(idle)
                self._start(task)
                room -= 1

    def _make_room(self, idle: list[Worker]) -> None:
        """End a worker that waits for work of another interpreter, where many do."""
        if len(idle) >= self._size * _KEPT:
            worker = idle.pop(0)
            self._remove(worker)
            worker.wait()

    def _start(self, task: Task) -> None:
        try:
            self._workers.append(Worker(self._context, task.home, self._prepare, self._memory))
        except (EOFError, ConnectionError) as error:
            # The server that workers are forked from was killed, and is not gone yet: the next start finds it gone, and
            # starts another.
            self._false_starts.note(task.folder, f"the server they are forked from was lost ({type(error).__name__})")
            time.sleep(_SECONDS_TO_BE_GONE)
            self._wake_watch()
        except OSError as error:
            self._false_starts.give_up(task.folder, str(error))
            self._wake_watch()  # what waits for it is to end

    def _listen(self) -> None:
        """Take what workers say, wait for it until something is due."""
        sources = {source: worker for worker in self._workers for source in worker.sources}
        due = min((worker.due for worker in self._workers), default=float("inf"))
        patience = None if due == float("inf") else max(0.0, due - time.monotonic())
        for source in connection.wait([self._woken, *sources], patience):
            if source is self._woken:
                os.read(self._woken.fileno(), 2**16)
            elif (worker := sources[source]) in self._workers:
                self._hear(worker)

    def _hear(self, worker: Worker) -> None:
        """Take what a worker says, if it lives."""
        try:
            replies = worker.hear()
        except EOFError:
            worker.wait()
            worker.end_orphans()
            self._lose(worker, worker.died())
            return
        for reply in replies:
            self._take(worker, reply)

    def _take(self, worker: Worker, reply: Reply) -> None:
        if reply.kind is Kind.READY:
            worker.ready = True
            self._false_starts.forget(worker.folder)
            return
        if (task := worker.release()) is not None:
            task.settle(reply.answer)
        if reply.kind is Kind.LAST_ANSWER:
            self._remove(worker)

    def _hold_limits(self) -> None:
        """End the tasks that take too long or too much; one that has answered meanwhile has ended by itself."""
        now = time.monotonic()
        for worker in [worker for worker in self._workers if now >= worker.due and not worker.has_said_something()]:
            if (error := worker.limit_passed(now)) is not None:
                worker.kill()
                worker.wait()
                self._lose(worker, error)

    def _lose(self, worker: Worker, error: EndedError) -> None:
        """Remove a worker that is dead; its task ends with an error, unless it had answered at the last moment."""
        for reply in worker.last_replies():
            self._take(worker, reply)
        if worker not in self._workers:
            return  # its last words were that it ends
        if not worker.ready:
            self._false_starts.note(worker.folder, worker.last_words())
        if (task := worker.release()) is not None:
            task.fail(error)
        self._remove(worker)

    def _remove(self, worker: Worker) -> None:
        worker.kill()  # what it leaves behind
        self._workers.remove(worker)
        worker.close()
