"""The executor of worker processes on this machine: one pipe for each worker, one thread that watches all of them."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import pickle
import shutil
import signal
import tempfile
import threading
import time
import uuid
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import connection, forkserver
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from benchkit.environment.place import BuiltEnvironment, EnvironmentMissingError
from benchkit.execute import process_tree
from benchkit.execute.bare import bare_processes, daemon_may_start_processes, ignore_sigint
from benchkit.execute.executor import EndedError, OverMemoryError, OverTimeError, Usage, WorkerDiedError
from benchkit.execute.foreign import ForeignProcess, InEnvironment
from benchkit.execute.serve import Kind, Reply, ReplyReader, serve
from benchkit.execute.work import prepare_worker

# Seconds between looks at what a running task uses, and at what was submitted to a pool whose watch has failed.
_INTERVAL = 0.1
# Seconds that a process which has been killed, or has closed its connection, may take to be gone.
_DYING = 5
# What a server that was killed may take to be gone.
_SECONDS_TO_BE_GONE = 0.2
# A worker that dies this often in a row before its first task will never start.
_MOST = 3
# Workers that wait idle for work of another interpreter, for each that works at once; more are ended.
_KEPT = 4

_NEVER = float("inf")

# What may have ended a process, by the name of its signal.
_NO_MEMORY, _NOT_ITS_OWN = ", perhaps for want of memory", ": it touched memory that is not its own to write or read"
_PERHAPS = {"SIGKILL": _NO_MEMORY, "SIGABRT": _NO_MEMORY, "SIGSEGV": _NOT_ITS_OWN, "SIGBUS": _NOT_ITS_OWN}


@dataclass(eq=False)
class Task:
    """One call, pickled; the seconds it may take from its start; the environment that it must run in, if any."""

    call: bytes
    timeout: float | None
    home: BuiltEnvironment | None = None
    future: Future[Any] = field(default_factory=Future)

    @property
    def folder(self) -> Path | None:
        """That of its environment."""
        return self.home.folder if self.home is not None else None

    def claim(self) -> bool:
        """Whether it has not ended, and can no longer be cancelled; one that was tells so to who waits for it."""
        if self.future.done() and not self.future.cancelled():
            return False
        return self.future.running() or self.future.set_running_or_notify_cancel()

    def settle(self, answer: bytes) -> None:
        """Pass on what a worker answered."""
        try:
            value, error = pickle.loads(answer)
        except Exception as problem:  # the class of what it returned may be known there alone
            value, error = None, problem
        if error is not None:
            self.fail(error)
        else:
            self.future.set_result(value)

    def fail(self, error: BaseException) -> None:
        """End it with an error, unless it has ended."""
        if self.claim():
            self.future.set_exception(error)


class Worker:
    """A worker process as its parent sees it, which says so once it is ready to make calls.

    ``home`` is the environment whose interpreter it is, if any; `Pool` has the others.
    """

    def __init__(
        self,
        context: ForkServerContext,
        home: BuiltEnvironment | None,
        prepare: Callable[[], None],
        memory: float | None,
    ) -> None:
        self.folder = home.folder if home is not None else None
        self.ready = False
        self.task: Task | None = None
        self.family: set[process_tree.Member] = set()
        self._memory, self._usage, self._cpu_before = memory, Usage(), 0.0
        self._deadline = self._look = _NEVER
        self._mark = uuid.uuid4().hex
        self._connection, there = context.Pipe()
        self._replies = ReplyReader(self._connection.fileno())
        self._process: BaseProcess | ForeignProcess
        with there:
            if home is None:
                self._process = context.Process(target=serve, args=(there, prepare, self._mark), daemon=False)
                with daemon_may_start_processes():
                    self._process.start()
            else:
                self._process = ForeignProcess(home, there)
                self._connection.send((prepare, self._mark))
        assert self._process.pid is not None
        self.pid = self._process.pid

    @property
    def idle(self) -> bool:
        """Whether it waits for a task."""
        return self.ready and self.task is None

    @property
    def due(self) -> float:
        """When its task is to be looked at next, whatever it says."""
        return min(self._deadline, self._look)

    @property
    def sources(self) -> list[Any]:
        """What to wait for: each is ready when it has said something, or is gone."""
        sentinel = self._process.sentinel
        return [self._connection, sentinel] if sentinel >= 0 else [self._connection]

    def begin(self, task: Task) -> None:
        """Let it make a call, from now on; an `OSError` where it has died while idle."""
        self._connection.send_bytes(task.call)
        self.task, self.family, self._usage = task, set(), Usage()
        self._cpu_before = process_tree.cpu_seconds(self.pid) or 0.0
        now = time.monotonic()
        self._deadline, self._look = now + task.timeout if task.timeout else _NEVER, now + _INTERVAL

    def release(self) -> Task | None:
        """Its task, which has ended."""
        task, self.task = self.task, None
        self._deadline = self._look = _NEVER
        return task

    def has_said_something(self) -> bool:
        """Whether `hear` has something to read."""
        return self._connection.poll()

    def hear(self) -> list[Reply]:
        """What it has said whole; an `EOFError` where it is gone."""
        if not self.has_said_something():
            raise EOFError  # a child that it has left behind still holds the connection
        return self._replies.read()

    def last_replies(self) -> list[Reply]:
        """What one that is dead has said."""
        replies = []
        with suppress(EOFError, OSError):
            while True:
                replies += self.hear()
        return replies

    def limit_passed(self, now: float) -> EndedError | None:
        """Why its task is to be ended now, if it is; for one whose task is due."""
        assert self.task is not None
        if now >= self._deadline:
            self.observe()
            return OverTimeError(f"took longer than {self.task.timeout:g} s", self._usage)
        self._look = now + _INTERVAL
        held = self.observe()
        if self._memory is None or held <= self._memory:
            return None
        return OverMemoryError(f"held {held:.0f} MB with its children, more than {self._memory:g} MB", self._usage)

    def observe(self) -> float:
        """Note what its task has used so far; the MB that it holds now."""
        self.family = process_tree.members(self.pid)
        held = process_tree.resident_megabytes(self.family)
        if self._memory is not None and held > self._memory and len(self.family) > 1:
            held = process_tree.resident_megabytes(self.family, shared_once=True)
        cpu = process_tree.cpu_seconds(self.pid)
        spent = None if cpu is None else cpu - self._cpu_before
        self._usage = Usage(spent, max(held, self._usage.peak_mb or 0.0) if self.family else None)
        return held

    def kill(self) -> None:
        """End its process, if that is still there, and what its task has started."""
        process_tree.end(self.pid, self.family)

    def wait(self) -> None:
        """Wait until its process is gone."""
        self._process.join(_DYING)

    def end_orphans(self) -> None:
        """End what it has left behind, where it died by itself."""
        process_tree.end_marked(self._mark)

    def died(self, reason: str | None = None) -> WorkerDiedError:
        """What becomes of its task where its process is gone."""
        return WorkerDiedError(reason or f"the worker process died ({_exit(self._process.exitcode)})", self._usage)

    def last_words(self) -> str:
        """What one that could not begin has printed; of this interpreter's, the run's log has it."""
        return self._process.last_words() if isinstance(self._process, ForeignProcess) else ""

    def close(self) -> None:
        """Give back what the parent holds of it."""
        self._connection.close()
        if isinstance(self._process, ForeignProcess):
            self._process.close()


def _exit(code: int | None) -> str:
    if code is None:
        return "it closed its connection, and lives"
    if code >= 0:
        return f"exit code {code}"
    with suppress(ValueError):
        name = signal.Signals(-code).name
        return f"{name}{_PERHAPS.get(name, '')}"
    return f"signal {-code}"


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
        # By interpreter, which the folder of its environment names: deaths before a worker began, and its last words.
        self._false_starts: Counter[Path | None] = Counter()
        self._last_words: dict[Path | None, str] = {}
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
            elif self._false_starts[task.folder] >= _MOST:
                self._waiting.remove(task)
                workers = "worker processes" if task.folder is None else "workers of its environment"
                words = self._last_words[task.folder] or "the run's workers.log may say why"
                task.fail(WorkerDiedError(f"{workers} die before they can begin: {words}"))
            else:
                if len(idle) >= self._size * _KEPT:  # one of those that wait for work of another interpreter
                    self._remove(idle[0])
                    idle.pop(0).wait()
                self._start(task)
                room -= 1

    def _start(self, task: Task) -> None:
        try:
            self._workers.append(Worker(self._context, task.home, self._prepare, self._memory))
        except (EOFError, ConnectionError) as error:
            # The server that workers are forked from was killed, and is not gone yet: the next start finds it gone, and
            # starts another.
            self._false_starts[task.folder] += 1
            self._last_words[task.folder] = f"the server they are forked from was lost ({type(error).__name__})"
            time.sleep(_SECONDS_TO_BE_GONE)
            self._wake_watch()
        except OSError as error:
            self._false_starts[task.folder], self._last_words[task.folder] = _MOST, str(error)
            self._wake_watch()  # what waits for it is to end

    def _listen(self) -> None:
        """Take what workers say, wait for it until something is due."""
        sources = {source: worker for worker in self._workers for source in worker.sources}
        due = min((worker.due for worker in self._workers), default=_NEVER)
        patience = None if due == _NEVER else max(0.0, due - time.monotonic())
        for source in connection.wait([self._woken, *sources], patience):
            if source is self._woken:
                os.read(self._woken.fileno(), 2**16)
            elif (worker := sources[source]) in self._workers:
                try:
                    for reply in worker.hear():
                        self._take(worker, reply)
                except EOFError:
                    worker.wait()
                    worker.end_orphans()
                    self._lose(worker, worker.died())

    def _take(self, worker: Worker, reply: Reply) -> None:
        if reply.kind is Kind.READY:
            worker.ready = True
            self._false_starts[worker.folder] = 0
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
            self._false_starts[worker.folder] += 1
            self._last_words[worker.folder] = worker.last_words()
        if (task := worker.release()) is not None:
            task.fail(error)
        self._remove(worker)

    def _remove(self, worker: Worker) -> None:
        worker.kill()  # what it leaves behind
        self._workers.remove(worker)
        worker.close()


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
