"""The executor of worker processes on this machine: one pipe and one thread for each worker."""

import multiprocessing
import os
import pickle
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from multiprocessing import forkserver, resource_tracker
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any, Self

from filelock import FileLock, Timeout

from benchkit.environment.place import BuiltEnvironment
from benchkit.errors import EndedError, OverMemoryError, OverTimeError, WorkerDiedError
from benchkit.execute import process_tree
from benchkit.execute.foreign import ForeignProcess, InEnvironment
from benchkit.execute.worker import LENGTH, serve

_INTERVAL = 0.1  # seconds between looks at what a running call uses
_PIECE = 2**20  # bytes of an answer that are read at once
# Seconds that a process may take to be ready for its first call, and to be gone once killed or without connection.
_STARTING, _DYING = 300, 5
# How the folders of workers are called, and the file in each that its run holds: of one that was killed nobody does.
_FOLDER, _LOCK = "benchkit-workers-", "lock"
# What a server of workers that was killed may take to be gone: the next start finds it gone, and starts another.
_SECONDS_TO_BE_GONE = 0.2
_MOST = 3  # workers that die this often in a row before their first call will never start

# multiprocessing looks at all of its processes when one is started: no other thread may ask one meanwhile.
_PROCESSES = threading.Lock()

_ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)

# A process that is forked takes its parent's server of workers for its own child, and fails when it asks for it.
os.register_at_fork(after_in_child=forkserver._forkserver.__init__)  # type: ignore[misc]


_inside = [0]  # how many runs of this process, in several threads
_entering, _bared = threading.Lock(), ExitStack()


@contextmanager
def bare_processes() -> Iterator[None]:
    """Processes that are started in here import no script (which would run it again) and use one BLAS thread.

    What multiprocessing calls a daemon may start them, too, as every dask worker under a nanny is.
    """
    with _entering:
        if not _inside[0]:
            _bared.enter_context(_bare())
        _inside[0] += 1
    try:
        yield
    finally:
        with _entering:
            _inside[0] -= 1
            if not _inside[0]:
                _bared.close()


@contextmanager
def _bare() -> Iterator[None]:
    before = {name: os.environ[name] for name in _ONE_THREAD if name in os.environ}
    main, process = sys.modules["__main__"], multiprocessing.current_process()
    script = {name: getattr(main, name) for name in ("__file__", "__spec__") if getattr(main, name, None) is not None}
    is_daemon = process.daemon
    os.environ.update(_ONE_THREAD)
    main.__dict__.pop("__file__", None)
    main.__spec__ = None
    if is_daemon:  # which must not, lest they outlive it; ours end with the process that started them
        process.daemon = False
    try:
        yield
    finally:
        main.__dict__.update(script)
        if is_daemon:
            process.daemon = True
        for name in _ONE_THREAD:
            os.environ.pop(name, None)
        os.environ.update(before)


class Worker:
    """A worker process as its parent sees it; of an environment's interpreter, if any. `serve` takes the settings."""

    def __init__(self, built: BuiltEnvironment | None, settings: tuple[Any, ...]) -> None:
        self.folder = built.folder if built is not None else None
        self._family: set[process_tree.Member] = set()
        self._cpu_before = 0.0
        self._cpu: float | None = None
        self._peak: float | None = None
        self._connection, there = multiprocessing.Pipe()
        self._process: BaseProcess | ForeignProcess
        with there, _PROCESSES:
            if built is None:
                context = multiprocessing.get_context("forkserver")
                self._process = context.Process(target=serve, args=(there, *settings), daemon=False)
                self._process.start()
            else:
                self._process = ForeignProcess(built, there)
                self._connection.send(settings)
        assert self._process.pid is not None
        self.pid = self._process.pid

    def why_not_ready(self) -> str | None:
        """Wait until it takes its first call; where it never will, what it has printed, or where to look."""
        with suppress(EOFError, OSError):
            if self._connection.poll(_STARTING):
                self._connection.recv_bytes()
                return None
        words = self._process.last_words() if isinstance(self._process, ForeignProcess) else ""
        return words or "the run's workers.log may say why"

    def begin(self, call: bytes) -> None:
        """Let it make a pickled call, from now on; an `OSError` where it has died while idle."""
        self._family, self._peak, self._cpu_before = set(), None, process_tree.cpu_seconds(self.pid) or 0.0
        self._connection.send_bytes(call)

    def answer(self, timeout: float | None, memory: float | None) -> tuple[bool, Any, BaseException | None]:
        """Whether it ends, what the call returned, and what it raised; an `EndedError` where it came to no end."""
        deadline = time.monotonic() + timeout if timeout else float("inf")
        answer = bytearray()
        while len(answer) < LENGTH or len(answer) < LENGTH + int.from_bytes(answer[:LENGTH]):
            if self._connection.poll(max(0.0, min(_INTERVAL, deadline - time.monotonic()))):
                piece = b""  # a worker may send a part of an answer, and then stop
                with suppress(OSError):
                    piece = os.read(self._connection.fileno(), _PIECE)
                if not piece:
                    raise self._died()
                answer += piece
                continue
            self._family = process_tree.members(self.pid)
            held = process_tree.resident_megabytes(self._family)
            if memory is not None and held > memory and len(self._family) > 1:
                held = process_tree.resident_megabytes(self._family, shared_once=True)
            if self._family:
                self._cpu, self._peak = process_tree.cpu_seconds(self.pid), max(held, self._peak or 0.0)
            if time.monotonic() >= deadline:
                raise self._ended(OverTimeError, f"took longer than {timeout:g} s")
            if memory is not None and held > memory:
                raise self._ended(OverMemoryError, f"held {held:.0f} MB with its children, more than {memory:g} MB")
            if self._exit_code() is not None and not self._connection.poll():
                raise self._died()  # a child that it has left behind still holds the connection
        whole: tuple[bool, Any, BaseException | None] = pickle.loads(memoryview(answer)[LENGTH:])
        return whole

    def _ended(self, kind: type[EndedError], reason: str) -> EndedError:
        cpu = None if self._peak is None or self._cpu is None else self._cpu - self._cpu_before
        return kind(reason, cpu_seconds=cpu, peak_mb=self._peak)

    def _died(self) -> EndedError:
        code = self._exit_code(_DYING)
        how = f"exit code {code}"  # None of one that closed its connection, and lives
        with suppress(ValueError, TypeError):
            how = signal.Signals(-code).name  # type: ignore[operator]
        perhaps = ", perhaps for want of memory" if how in ("SIGKILL", "SIGABRT") else ""
        return self._ended(WorkerDiedError, f"the worker process died ({how}{perhaps})")

    def _exit_code(self, seconds: float = 0.0) -> int | None:
        with _PROCESSES:
            self._process.join(seconds)
            return self._process.exitcode

    def kill(self) -> None:
        """End its process, if that is still there, and what its call has started."""
        process_tree.end(self.pid, self._family)

    def close(self) -> None:
        """End it, and give back what the parent holds of it."""
        self.kill()
        self._exit_code(_DYING)
        self._connection.close()


class LocalExecutor:
    """Worker processes, each with a single BLAS thread.

    Parameters
    ----------
    jobs : int
        Number of processes that work at once; those of an environment wait idle while others work.
    log : Path or None
        File that takes what they print.
    memory : float or None
        MB that a function and its children may hold together.
    """

    def __init__(self, jobs: int, log: Path | None = None, memory: float | None = None) -> None:
        self.capacity = jobs
        self._log, self._memory = log, memory
        self._workers: set[Worker] = set()
        # By interpreter, which the folder of its environment names; of those in a row that died before they began, why.
        self._idle: defaultdict[Path | None, list[Worker]] = defaultdict(list)
        self._false_starts: defaultdict[Path | None, list[str]] = defaultdict(list)
        self._starting = threading.Lock()
        self._closing = False

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            stack.enter_context(bare_processes())
            multiprocessing.get_context("forkserver").set_forkserver_preload(["benchkit.execute.work"])
            # Ctrl-C at a terminal reaches every process: the server leaves it to this one. Starting multiprocessing's
            # tracker, which it does first, unblocks the signal.
            resource_tracker.ensure_running()
            before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                forkserver.ensure_running()
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
            for lock in Path(tempfile.gettempdir()).glob(f"{_FOLDER}*/{_LOCK}"):
                with suppress(OSError, Timeout), FileLock(lock, timeout=0):  # of a run that was killed
                    shutil.rmtree(lock.parent, ignore_errors=True)
            locked = False
            while not locked:  # who begins at the same moment may take a folder, not locked yet, for one left behind
                folder = tempfile.TemporaryDirectory(prefix=_FOLDER, ignore_cleanup_errors=True)
                guard = FileLock(Path(folder.name, _LOCK))
                with suppress(FileNotFoundError):
                    guard.acquire()
                    locked = True
            temporary = stack.enter_context(folder)
            stack.callback(guard.release)
            self._settings = self._log, Path(temporary), dict(os.environ)
            self._threads = ThreadPoolExecutor(self.capacity, "benchkit-worker")
            self._stack = stack.pop_all()
        return self

    def submit(self, function: Callable[..., Any], *args: Any, timeout: float | None) -> Future[Any]:
        """Queue a function, which may take ``timeout`` seconds from its start; see `Executor`."""
        return self._threads.submit(self._call, function, args, timeout)

    def __exit__(self, *problem: object) -> None:
        self._closing = True  # what waits in the queue ends at once
        with self._starting:  # none is started from now on
            for worker in list(self._workers):
                worker.kill()
        self._threads.shutdown()
        for worker in list(self._workers):
            self._dismiss(worker)
        self._stack.close()

    def _call(self, function: Callable[..., Any], args: tuple[Any, ...], timeout: float | None) -> Any:
        """What a function returns in a worker; called in a thread of the executor's."""
        built = None
        if isinstance(function, InEnvironment):
            built, function = function.place(), function.function
        call = pickle.dumps((function, args))
        while True:
            if self._closing:
                raise WorkerDiedError("stopped")
            worker = self._idle_worker(built)
            try:
                worker.begin(call)
                break
            except OSError:  # it has died while idle
                self._dismiss(worker)
        try:
            ends, value, problem = worker.answer(timeout, self._memory)
        except BaseException as error:
            self._dismiss(worker)
            if self._closing and isinstance(error, WorkerDiedError):
                raise WorkerDiedError("stopped", cpu_seconds=error.cpu_seconds, peak_mb=error.peak_mb) from None
            raise
        if ends:
            self._dismiss(worker)
        else:
            self._idle[worker.folder].append(worker)
        if problem is not None:
            raise problem
        return value

    def _idle_worker(self, built: BuiltEnvironment | None) -> Worker:
        """A worker of an interpreter that waits for a call, or a new one."""
        folder = built.folder if built is not None else None
        with suppress(IndexError):
            return self._idle[folder].pop()
        reasons = self._false_starts[folder]
        while len(reasons) < _MOST:
            try:
                with self._starting:
                    if self._closing:
                        raise WorkerDiedError("stopped")
                    worker = Worker(built, self._settings)
                    self._workers.add(worker)
            except (EOFError, OSError) as error:
                reasons.append(f"{type(error).__name__}: {error}")
                time.sleep(_SECONDS_TO_BE_GONE)
                continue
            if (reason := worker.why_not_ready()) is None:
                self._false_starts[folder] = []
                return worker
            reasons.append(reason)
            self._dismiss(worker)
        workers = "worker processes" if built is None else "workers of its environment"
        raise WorkerDiedError(f"{workers} die before they can begin: {reasons[-1]}")

    def _dismiss(self, worker: Worker) -> None:
        worker.close()
        self._workers.discard(worker)
