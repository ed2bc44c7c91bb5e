"""The loop of a worker process: take a call, make it, send back what became of it."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import connection
from typing import Any

from benchkit.execute.family import found_family
from benchkit.execute.orphans import mark_own
from benchkit.execute.replies import Kind, send_reply


class _Retirement:
    """Whether this worker is to end after its present call."""

    due = False


class _Role:
    """Whether this process is a worker."""

    serves = False


def is_worker() -> bool:
    """Whether this process makes calls for a parent, of whichever interpreter."""
    return _Role.serves


def retire() -> None:
    """Let this worker end after the call that it makes now; another takes its place."""
    _Retirement.due = True


def serve(parent: connection.Connection, prepare: Callable[[], None], mark: str) -> None:
    """Make calls until the parent closes the connection, or until one of them has retired this worker.

    Parameters
    ----------
    parent : Connection
    prepare : callable
        Called first.
    mark : str
        Tells what this worker leaves behind; see `orphans`.
    """
    _Role.serves = True
    found_family()
    prepare()
    mark_own(mark)
    with suppress(EOFError, OSError):  # the parent is gone
        send_reply(parent.fileno(), Kind.READY)
        while not _Retirement.due:
            answer = _answer(parent.recv_bytes())
            send_reply(parent.fileno(), Kind.LAST_ANSWER if _Retirement.due else Kind.ANSWER, answer)


def _answer(call: bytes) -> bytes:
    value: Any = None
    problem: BaseException | None = None
    process = os.getpid()
    try:
        function, args = pickle.loads(call)
        value = function(*args)
    except BaseException as error:
        problem = error
    if os.getpid() != process:
        os._exit(0)  # the function forked, and this is the child: the call, and its answer, are its parent's
    try:
        return pickle.dumps((value, problem))
    except Exception as error:
        what = "what it returned" if problem is None else f"{type(problem).__name__}: {problem}"
        return pickle.dumps((None, TypeError(f"{what} cannot be sent between processes: {error}")))
