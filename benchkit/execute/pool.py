"""Worker processes under a watch: each has a pipe of its own, and can be killed at any instant without harm to others.

Pools of the usual kind share a queue and its locks among their workers: a worker that is killed while it holds one
blocks the rest, and the parent does not know which process has run what since when. Here the parent hands each task to
one idle worker, so it knows the task's process and start, ends it at its deadline together with its children, and
notices a death at once. A worker whose tasks are brief gets its next one ahead, lest it idle between them; that one
counts as started when the one before it has ended, and goes back to the queue should that not be soon (`handover`).
"""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import connection
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from benchkit.environment.address import BuiltEnvironment
from benchkit.environment.errors import EnvironmentMissingError
from benchkit.execute import family
from benchkit.execute.bare import daemon_may_start_processes
from benchkit.execute.executor import EndedError, OverMemoryError, OverTimeError, Usage, WorkerDiedError
from benchkit.execute.foreign import ForeignProcess, InEnvironment
from benchkit.execute.handover import Giver, NumberPipe
from benchkit.execute.replies import Kind, Reply, ReplyReader
from benchkit.execute.serve import serve

# How often the memory of running tasks is looked at, in seconds.
_INTERVAL = 0.1

# Tasks shorter than this, in seconds, are brief: the next may wait behind one, if both fit into the pipe (bytes).
_BRIEF = 0.05
_FITS = 2**15

# So many of them: a worker must not wait for a parent that is writing down what others did.
_AHEAD = 3

# Workers that wait idle for work of another interpreter, for each that works at once; more are ended.
_KEPT = 4

# A worker that dies this often in a row before its first task will never start.
_FALSE_STARTS = 3


@dataclass(eq=False)
class _Task:
    call: bytes
    timeout: float | None
    future: Future[Any]
    home: BuiltEnvironment | None = None  # the environment it must run in; None: this interpreter


@dataclass(eq=False)
class _Worker:
    process: BaseProcess | ForeignProcess
    home: BuiltEnvironment | None
    pipe: connection.Connection
    numbers: tuple[connection.Connection, connection.Connection]
    giver: Giver[_Task]
    replies: ReplyReader
    ready: bool = False
    task: _Task | None = None  # the one whose clock runs
    since: float = 0.0
    brief: bool = False
    deadline: float = float("inf")
    look: float = float("inf")
    cpu_before: float = 0.0
    usage: Usage = field(default_factory=Usage)
    family: set[family.Member] = field(default_factory=set)

    @property
    def pid(self) -> int:
        """Its process."""
        assert self.process.pid is not None
        return self.process.pid

    @property
    def folder(self) -> Path | None:
        """That of its environment."""
        return self.home.folder if self.home is not None else None

    @property
    def has_next(self) -> bool:
        """Whether a task waits behind the one whose clock runs."""
        return len(self.giver.items) > 1

    @property
    def due(self) -> float:
        """When it is to be looked at next, whatever it says."""
        return min(self.deadline, self.look, self.since + _BRIEF if self.brief and self.has_next else float("inf"))

    def takes_next(self, task: _Task) -> bool:
        """Whether a task may wait behind the one whose clock runs."""
        return (
            self.brief
            and task.home == self.home
            and self.task is not None
            and len(self.giver.items) <= _AHEAD
            and self.giver.without_reply + len(task.call) < _FITS
        )

    def close(self) -> None:
        """Close the parent's ends of its pipes."""
        for end in (self.pipe, *self.numbers):
            end.close()
        if isinstance(self.process, ForeignProcess):
            self.process.close()


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
        self._submitted: SimpleQueue[_Task] = SimpleQueue()
        self._waiting: deque[_Task] = deque()  # the watch's own: what another thread adds to is not looked through
        self._workers: list[_Worker] = []
        self._false_starts: Counter[Path | None] = Counter()
        self._last_words: dict[Path | None, str] = {}
        self._closing = False
        self._woken, self._wake = context.Pipe(duplex=False)
        os.set_blocking(self._wake.fileno(), False)
        self._watch = threading.Thread(target=self._keep_watch, name="benchkit-watch", daemon=True)
        self._watch.start()

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Queue a function; see `Executor.submit`."""
        home = None
        future: Future[Any] = Future()
        if isinstance(function, InEnvironment):
            try:
                home, function = function.place(), function.function
            except EnvironmentMissingError as error:
                future.set_exception(error)
                return future
        task = _Task(pickle.dumps((function, args)), timeout, future, home)
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
            family.end(worker.pid, worker.family)
        for worker in self._workers:
            worker.process.join(5)
            items = worker.giver.items
            for task in items[:1]:
                _resolve(task.future, error=WorkerDiedError("stopped", worker.usage))
            self._queue_again(items[1:])
            worker.close()
        self._take_submitted()
        for task in self._waiting:
            if task.future.cancel():
                task.future.set_running_or_notify_cancel()  # who waits for it learns of it only so
            else:  # it was taken back from a worker
                _resolve(task.future, error=WorkerDiedError("stopped"))
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
        if not isinstance(error, EndedError):
            error = WorkerDiedError(f"the watch over the workers failed: {type(error).__name__}: {error}")
        while not self._closing:
            for worker in self._workers:
                for task in worker.giver.items:
                    _resolve(task.future, error=error)
            self._take_submitted()
            while self._waiting:
                _resolve(self._waiting.popleft().future, error=error)
            time.sleep(_INTERVAL)

    def _take_submitted(self) -> None:
        with suppress(Empty):
            while True:
                self._waiting.append(self._submitted.get_nowait())

    def _hand_out(self) -> None:
        self._take_submitted()
        self._forget_cancelled()
        idle = [worker for worker in self._workers if worker.ready and not worker.giver.without_reply]
        starting = Counter(worker.folder for worker in self._workers if not worker.ready)
        room = self._size - (len(self._workers) - len(idle))
        for task in [task for task in self._waiting if not task.future.cancelled()]:
            folder = task.home.folder if task.home is not None else None
            worker = next((worker for worker in idle if worker.folder == folder), None)
            if room > 0 and worker is not None:
                idle.remove(worker)
                self._give(worker, task)
            elif starting[folder] > 0:  # one is being started for it
                starting[folder] -= 1
                continue
            elif room > 0:
                if not self._can_start(task):
                    continue
                self._make_room(idle)
                self._start(task.home)
            else:
                break
            room -= 1
        for worker in self._workers:
            while self._waiting and worker.takes_next(self._waiting[0]):
                self._give(worker, self._waiting[0])

    def _forget_cancelled(self) -> None:
        while self._waiting and self._waiting[0].future.cancelled():
            self._waiting.popleft().future.set_running_or_notify_cancel()

    def _can_start(self, task: _Task) -> bool:
        """Whether workers of a task's interpreter come to life; a task of an environment that is broken ends so."""
        if task.home is None or self._false_starts[task.home.folder] < _FALSE_STARTS:
            return True
        self._waiting.remove(task)
        words = self._last_words.get(task.home.folder) or "the run's workers.log may say why"
        _resolve(task.future, error=WorkerDiedError(f"workers of its environment die before they can begin: {words}"))
        return False

    def _make_room(self, idle: list[_Worker]) -> None:
        """End a worker that waits for work of another interpreter, where many do."""
        if len(idle) >= self._size * _KEPT:
            worker = idle.pop(0)
            self._remove(worker)
            worker.process.join(5)

    def _start(self, home: BuiltEnvironment | None) -> None:
        try:
            self._workers.append(self._new(home))
        except OSError as error:
            if home is None:
                raise
            self._false_starts[home.folder], self._last_words[home.folder] = _FALSE_STARTS, str(error)
            self._wake_watch()  # what waits for it is to end

    def _new(self, home: BuiltEnvironment | None) -> _Worker:
        if home is None and self._false_starts[None] >= _FALSE_STARTS:
            raise WorkerDiedError("worker processes die before they can begin; the run's workers.log may say why")
        here, there = self._context.Pipe()
        numbers = reader, writer = self._context.Pipe(duplex=False)
        giver: Giver[_Task] = Giver(NumberPipe(reader.fileno(), writer.fileno()), here.send_bytes)
        process: BaseProcess | ForeignProcess
        if home is None:
            process = self._context.Process(target=serve, args=(there, reader, self._prepare), daemon=False)
            with daemon_may_start_processes():
                process.start()
        else:
            process = ForeignProcess(home, there, reader, self._prepare)
            here.send_bytes(process.first_message)
        there.close()
        return _Worker(process, home, here, numbers, giver, ReplyReader(here.fileno()))

    def _give(self, worker: _Worker, task: _Task) -> None:
        self._waiting.remove(task)
        with suppress(OSError):  # it died while idle: its sentinel says so
            worker.giver.give(task, task.call)
        self._follow(worker)

    def _follow(self, worker: _Worker) -> None:
        """Let the clock run for the first task that a worker has, if it has any."""
        task = next(iter(worker.giver.items), None)
        if task is worker.task:
            return
        worker.task, worker.deadline, worker.look = task, float("inf"), float("inf")
        if task is None:
            return
        if not task.future.running():
            task.future.set_running_or_notify_cancel()
        worker.usage, worker.family = Usage(), set()
        worker.cpu_before = family.cpu_seconds(worker.pid) or 0.0
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
            sources[worker.pipe] = worker
            if worker.process.sentinel >= 0:
                sources[worker.process.sentinel] = worker
        for source in connection.wait([self._woken, *sources], patience):
            if source is self._woken:
                os.read(self._woken.fileno(), _FITS)
            elif (worker := sources[source]) in self._workers:
                if source is worker.pipe:
                    self._hear(worker)
                else:
                    self._bury(worker)

    def _hear(self, worker: _Worker) -> None:
        """Take what a worker sends; a pipe that has ended is a death."""
        try:
            replies = list(worker.replies.read())
        except EOFError:
            self._bury(worker)
            return
        for reply in replies:
            self._take(worker, reply)

    def _take(self, worker: _Worker, reply: Reply) -> None:
        if reply.kind is Kind.READY:
            worker.ready, self._false_starts[worker.folder] = True, 0
            return
        task = worker.giver.hear(reply.number, reply.kind is not Kind.DROPPED)
        if task is not None:
            worker.brief = task is worker.task and time.monotonic() - worker.since < _BRIEF
            _settle(task, reply.answer)
        if reply.kind is Kind.LAST_ANSWER:
            self._queue_again(worker.giver.take_back())
            assert not worker.giver.items, "a worker that ends owns no call"
            self._remove(worker)
        else:
            self._follow(worker)

    def _bury(self, worker: _Worker) -> None:
        """A worker has died: what it was running died with it, and what it had not begun goes elsewhere."""
        worker.process.join(5)
        if not worker.ready:
            self._false_starts[worker.folder] += 1
            if isinstance(worker.process, ForeignProcess):
                self._last_words[worker.folder] = worker.process.last_words()
        self._hear_the_rest(worker)
        if worker not in self._workers:
            return  # its last words were that it ends
        self._queue_again(worker.giver.take_back())
        error = WorkerDiedError(f"the worker process died ({_exit(worker.process.exitcode)})", worker.usage)
        for task in worker.giver.items:
            _resolve(task.future, error=error)
        self._remove(worker)

    def _hear_the_rest(self, worker: _Worker) -> None:
        """Take what a worker that is dead has sent."""
        with suppress(EOFError, OSError):
            while worker in self._workers and worker.pipe.poll():
                for reply in worker.replies.read():
                    self._take(worker, reply)

    def _supervise(self) -> None:
        now = time.monotonic()
        for worker in [worker for worker in self._workers if worker.task is not None]:
            if worker.pipe.poll():
                continue  # it has ended by itself
            assert worker.task is not None
            if worker.brief and now >= worker.since + _BRIEF:
                worker.brief = False
                if worker.has_next:
                    self._queue_again(worker.giver.take_back())
                    self._follow(worker)
                    if worker.task is None:
                        continue
            if now >= worker.deadline:
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
        worker.family = family.members(worker.pid)
        held = family.resident_megabytes(worker.family)
        if self._memory is not None and held > self._memory and len(worker.family) > 1:
            held = family.proportional_megabytes(worker.family)
        cpu = family.cpu_seconds(worker.pid)
        spent = None if cpu is None else cpu - worker.cpu_before
        worker.usage = Usage(spent, max(held, worker.usage.peak_mb or 0.0) if worker.family else None)
        return held

    def _end(self, worker: _Worker, error: EndedError) -> None:
        """End a worker because of its task; whatever else it has goes elsewhere."""
        task = worker.task
        family.end(worker.pid, worker.family)
        worker.process.join(5)
        self._hear_the_rest(worker)  # it may have answered at the last moment
        if worker not in self._workers:
            return
        if task in worker.giver.items:
            assert task is not None
            _resolve(task.future, error=error)
        self._queue_again(each for each in worker.giver.items if each is not task)
        self._remove(worker)

    def _queue_again(self, tasks: Iterable[_Task]) -> None:
        self._waiting.extendleft(reversed(list(tasks)))

    def _remove(self, worker: _Worker) -> None:
        family.end(worker.pid, worker.family)  # what a dead worker leaves behind
        self._workers.remove(worker)
        worker.close()


def _settle(task: _Task, answer: bytes) -> None:
    try:
        value, raised = pickle.loads(answer)
    except Exception as problem:  # the class of what it returned may be known there alone
        value, raised = None, problem
    _resolve(task.future, value, raised)


def _resolve(future: Future[Any], value: Any = None, error: BaseException | None = None) -> None:
    with suppress(InvalidStateError):  # cancelled in the meantime
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)


def _exit(code: int | None) -> str:
    if code is None or code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        name = signal.Signals(-code).name
        return f"{name}, perhaps for want of memory" if name in ("SIGKILL", "SIGABRT") else name
    return f"signal {-code}"
