"""The worker's side: take a call, make it, send back what became of it."""

import gc
import os
import pickle
import signal
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from types import SimpleNamespace

from benchkit.execute.process_tree import become_head

LENGTH = 8  # bytes before an answer that say how long it is, so that its reader knows when it is there

# Whether this process is a worker, and is to end after its present call.
_role = SimpleNamespace(serves=False, ends=False)


def is_worker() -> bool:
    """Whether this process makes calls for a parent, of whichever interpreter."""
    return bool(_role.serves)


def retire() -> None:
    """Let this worker end after the call that it makes now; another takes its place."""
    _role.ends = True


def serve(parent: Connection, log: Path | None, temporary: Path, environment: Mapping[str, str]) -> None:
    """Make calls until the parent closes the connection, or until one of them has retired this worker.

    It answers with whether it ends, what the call returned, and what it raised. The log takes what is printed. In
    ``temporary``, a folder of the run, it has one of its own, which a trial may remove without harm to others. The
    ``environment`` is given since the server that workers are forked from keeps that of its process's first run.
    """
    from threadpoolctl import threadpool_limits

    gc.freeze()  # to look for garbage among what the server has imported would touch, and so copy, it all
    _role.serves = True
    become_head()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the parent's to handle
    os.environ.clear()
    os.environ.update(environment)
    os.environ["TMPDIR"] = tempfile.tempdir = tempfile.mkdtemp(dir=temporary)
    threadpool_limits(1)
    if log is not None:
        with open(log, "ab") as output:
            os.dup2(output.fileno(), 1)
            os.dup2(output.fileno(), 2)
    with suppress(EOFError, OSError):  # the parent is gone
        parent.send_bytes(b"ready")
        while not _role.ends:
            answer = _answer(parent.recv_bytes())
            waiting = memoryview(len(answer).to_bytes(LENGTH) + answer)
            while waiting:
                waiting = waiting[os.write(parent.fileno(), waiting) :]


def _answer(call: bytes) -> bytes:
    value, problem, process = None, None, os.getpid()
    try:
        function, args = pickle.loads(call)
        value = function(*args)
    except BaseException as error:
        problem = error
    if os.getpid() != process:
        os._exit(0)  # the function forked, and this is the child: the call, and its answer, are its parent's
    try:
        return pickle.dumps((_role.ends, value, problem))
    except Exception as error:
        what = "what it returned" if problem is None else f"{type(problem).__name__}: {problem}"
        why = TypeError(f"{what} cannot be sent between processes: {error}")
        return pickle.dumps((_role.ends, None, why))
