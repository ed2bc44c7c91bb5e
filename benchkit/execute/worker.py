"""A worker process as its parent sees it, and the call that it is with."""

from __future__ import annotations

import pickle
import signal
import time
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing.context import ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

from benchkit.environment.place import BuiltEnvironment
from benchkit.execute import process_tree
from benchkit.execute.bare import daemon_may_start_processes
from benchkit.execute.executor import EndedError, OverMemoryError, OverTimeError, Usage, WorkerDiedError
from benchkit.execute.foreign import ForeignProcess
from benchkit.execute.serve import Reply, ReplyReader, serve


@dataclass(eq=False)
class Task:
    """One call, pickled.

    Attributes
    ----------
    call : bytes
    timeout : float or None
        Seconds it may take from its start.
    home : BuiltEnvironment or None
        The environment it must run in; None is this interpreter.
    future : Future
    """

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


# How often what a running task uses is looked at, in seconds.
_INTERVAL = 0.1

# Seconds that a process which has been killed, or has closed its connection, may take to be gone.
_DYING = 5

_NEVER = float("inf")

# What may have ended a process, by the name of its signal.
_NO_MEMORY, _NOT_ITS_OWN = ", perhaps for want of memory", ": it touched memory that is not its own to write or read"
_PERHAPS = {"SIGKILL": _NO_MEMORY, "SIGABRT": _NO_MEMORY, "SIGSEGV": _NOT_ITS_OWN, "SIGBUS": _NOT_ITS_OWN}


class Worker:
    """Starts a process, which says so once it is ready to make calls.

    Parameters
    ----------
    context : multiprocessing context
    home : BuiltEnvironment or None
        The environment whose interpreter it is; None is this interpreter.
    prepare : callable
        Called in the process before its first task; picklable.
    memory : float or None
        MB that a task and its children may hold together.
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
        return list(self._replies.read())

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
            held = process_tree.proportional_megabytes(self.family)
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
