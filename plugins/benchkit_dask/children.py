"""What a dask worker does: it runs calls in child processes of its own, which can be killed."""

import pickle
import time
import uuid
from collections.abc import Sequence
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import distributed

from benchkit import LocalExecutor, WorkerDiedError, __version__

# A call, by its number: pickled, and the seconds it may take.
Call = tuple[str, bytes, float | None]
Outcome = tuple[str, Any, BaseException | None]

# Calls that take less than so many seconds go together: dask's own part in each takes milliseconds.
_BRIEF = 0.05

_SECONDS_TO_SET_UP = 30


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
        self._version = __version__
        self.refused = ""

    def setup(self, worker: Any) -> None:
        """Start them; not for a benchkit of another version, whose worker came when the run had begun."""
        if self._version != __version__:
            self.refused = f"a dask worker has benchkit {__version__}, and the run is of benchkit {self._version}"
            return
        log = self._log if self._log is not None and self._log.parent.is_dir() else None
        self.executor = LocalExecutor(worker.state.nthreads, log, self._memory).__enter__()

    def teardown(self, worker: Any) -> None:
        """End them, and what they run."""
        if not self.refused:
            self.executor.__exit__(None, None, None)


def _children_of(worker: Any, plugin: str) -> LocalExecutor:
    """A dask worker's processes; one that has just been restarted may run a task before it has set them up."""
    deadline = time.monotonic() + _SECONDS_TO_SET_UP
    while getattr(worker.plugins.get(plugin), "executor", None) is None:
        if reason := getattr(worker.plugins.get(plugin), "refused", ""):
            raise WorkerDiedError(reason)
        if time.monotonic() > deadline:
            raise WorkerDiedError("a dask worker did not set up its processes")
        time.sleep(0.01)
    executor: LocalExecutor = worker.plugins[plugin].executor
    return executor


def run_in_children(plugin: str, topic: str, task: str, calls: Sequence[Call]) -> tuple[list[Outcome], bool]:
    """Run calls one after another in a child of the dask worker that this is called on.

    While a call runs that is not brief, it is reported with what came before it; what comes after is left to others.

    Returns
    -------
    outcomes : list
        Of each call that ran and was not reported: its number, its value, and what it raised.
    brief : bool
        Whether all were.
    """
    worker = distributed.get_worker()
    outcomes: list[Outcome] = []
    for number, call, timeout in calls:
        function, args = pickle.loads(call)
        future = _children_of(worker, plugin).submit(function, *args, timeout=timeout)
        brief = not wait([future], timeout=_BRIEF).not_done
        if not brief:
            worker.log_event(topic, (task, number, pickle.dumps(outcomes)))
            outcomes = []
        error = future.exception()
        outcomes.append((number, None if error is not None else future.result(), error))
        if not brief:
            return outcomes, False
    return outcomes, True
