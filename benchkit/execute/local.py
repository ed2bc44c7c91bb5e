"""The executor of worker processes on this machine."""

from __future__ import annotations

import fcntl
import multiprocessing
import os
import pickle
import shutil
import tempfile
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from multiprocessing import connection, forkserver
from multiprocessing.context import ForkServerContext
from pathlib import Path
from queue import Empty, SimpleQueue
from types import TracebackType
from typing import Any, Self

from benchkit.environment.place import EnvironmentMissingError
from benchkit.execute.bare import bare_processes, ignore_sigint
from benchkit.execute.executor import EndedError, WorkerDiedError
from benchkit.execute.foreign import InEnvironment
from benchkit.execute.serve import Kind, Reply
from benchkit.execute.work import prepare_worker
from benchkit.execute.worker import Task, Worker

# A worker that dies this often in a row before its first task will never start.
_MOST = 3


class FalseStarts:
    """Counts them for each interpreter, which the folder of its environment names; None is the present one."""

    def __init__(self) -> None:
        self._count: Counter[Path | None] = Counter()
        self._words: dict[Path | None, str] = {}

    def note(self, folder: Path | None, words: str) -> None:
        """A worker has died before it began; its last words."""
        self._count[folder] += 1
        self._words[folder] = words

    def give_up(self, folder: Path | None, words: str) -> None:
        """No process can be started at all."""
        self._count[folder], self._words[folder] = _MOST, words

    def forget(self, folder: Path | None) -> None:
        """A worker has begun."""
        self._count[folder] = 0

    def reason(self, folder: Path | None) -> str | None:
        """Why no more are to be started; None where one more may be."""
        if self._count[folder] < _MOST:
            return None
        workers = "worker processes" if folder is None else "workers of its environment"
        words = self._words[folder] or "the run's workers.log may say why"
        return f"{workers} die before they can begin: {words}"


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
