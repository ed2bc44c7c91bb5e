"""Trials on a Ray cluster: an executor in one file.

    pip install ray
    benchkit run SUITE --plugin examples/ray_executor.py --executor ray -j 4

starts one on this machine; `--executor-option address=auto`, or an address, takes one that is there, whose machines
need benchkit, the suite's plugins and the data. Each processor has an actor, and each actor a
`benchkit.LocalExecutor` of one process, so that limits, isolation and records are those of one machine. In the place
of an actor that is lost comes another: that costs the trial that ran there, which `--retries` runs again.
"""

import pickle
import socket
import sys
import threading
from collections import deque
from concurrent.futures import Future

from benchkit import (
    Executor,
    ExecutorOption,
    ExecutorUnavailableError,
    LocalExecutor,
    WorkerDiedError,
    hookimpl,
)

benchkit_api = 1


@hookimpl
def benchkit_executors():
    """Declare the executor."""
    return [
        Executor(
            name="ray",
            make=RayExecutor,
            summary="Actors of a Ray cluster, or of one that is started here; needs the package ray",
            options=[
                ExecutorOption(
                    name="address",
                    summary="Where a cluster is, such as auto or ray://host:10001; without it one is started here",
                    elsewhere=True,
                )
            ],
        )
    ]


class Place:
    """What runs on the cluster: one function at a time, in a process that can be killed.

    Parameters
    ----------
    log : Path or None
    memory : float or None
        As for `LocalExecutor`.
    """

    def __init__(self, log, memory):
        reachable = log is not None and log.parent.is_dir()
        self._executor = LocalExecutor(1, log if reachable else None, memory).__enter__()

    def run(self, call, timeout):
        """What a pickled function returned and what it raised, pickled: Ray would wrap an error in one of its own."""
        function, args = pickle.loads(call)
        future = self._executor.submit(function, *args, timeout=timeout)
        error = future.exception()
        return pickle.dumps((None if error is not None else future.result(), error))


class RayExecutor:
    """Actors of a Ray cluster.

    Parameters
    ----------
    address : str or None
        Where a cluster is; None starts one on this machine.
    jobs : int or None
        Actors; one for each processor of the cluster by default.
    log : Path or None
        File that takes what functions print, where an actor can reach its folder.
    memory : float or None
        MB that a function and its children may hold together.
    """

    def __init__(self, address=None, jobs=None, log=None, memory=None):
        self._address, self._jobs, self._log, self._memory = address, jobs, log, memory
        self.capacity = 1
        self._lock = threading.Lock()
        self._free, self._waiting, self._open = deque(), deque(), set()
        self._closed = False

    def __enter__(self):
        try:
            import ray
        except ImportError:
            raise ExecutorUnavailableError("--executor ray needs the package ray: pip install ray") from None
        started_here = {"num_cpus": self._jobs, "include_dashboard": False} if self._address is None else {}
        try:
            _check_that_somebody_listens(self._address)
            ray.init(address=self._address or "local", log_to_driver=False, logging_level="ERROR", **started_here)
        except (OSError, ValueError) as error:
            raise ExecutorUnavailableError(f"no Ray cluster at {self._address}: {error}") from None
        self._ray = ray
        # An actor's machine cannot import this file.
        ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
        self._place = ray.remote(num_cpus=1)(Place)
        self.capacity = self._jobs or max(1, int(ray.cluster_resources().get("CPU", 1)))
        self._free.extend(self._new_actor() for _ in range(self.capacity))
        return self

    def _new_actor(self):
        return self._place.remote(self._log, self._memory)

    def submit(self, function, *args, timeout):
        """Queue a function; its future holds what it returned or raised."""
        future = Future()
        with self._lock:
            self._open.add(future)
            self._waiting.append((future, pickle.dumps((function, args)), timeout))
        self._send()
        return future

    def _send(self):
        """Give what waits to actors that are free."""
        while True:
            with self._lock:
                if not (self._free and self._waiting):
                    return
                actor, (future, call, timeout) = self._free.popleft(), self._waiting.popleft()
            future.set_running_or_notify_cancel()
            remote = actor.run.remote(call, timeout).future()
            remote.add_done_callback(lambda done, actor=actor, future=future: self._take(done, actor, future))

    def _take(self, done, actor, future):
        """Pass on what became of a function; its actor is free again."""
        if self._closed:
            return  # what is open ends as stopped
        if done.exception() is None:
            value, error = pickle.loads(done.result())
        else:
            value, error = None, WorkerDiedError(f"a Ray actor was lost: {type(done.exception()).__name__}")
            actor = self._new_actor()  # Ray's own restart would fail the calls that come meanwhile, too
        with self._lock:
            self._free.append(actor)
        self._settle(future, value, error)
        self._send()

    def _settle(self, future, value, error):
        with self._lock:
            if future not in self._open:
                return
            self._open.remove(future)
        if error is not None:
            future.set_exception(error)
        else:
            future.set_result(value)

    def __exit__(self, kind, error, trace):
        with self._lock:
            self._closed = True
            self._waiting.clear()
        # Actors end with their driver, and the processes of an actor with it.
        self._ray.shutdown()
        with self._lock:
            left = list(self._open)
        for future in left:
            self._settle(future, None, WorkerDiedError("stopped"))


def _check_that_somebody_listens(address):
    """Ray itself tries for minutes."""
    host, _, port = (address or "").removeprefix("ray://").rpartition(":")
    if port.isdigit():
        socket.create_connection((host, int(port)), timeout=10).close()
