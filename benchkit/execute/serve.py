"""The loop of a worker process: take a call, make it, send back what became of it."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import connection
from typing import Any

from benchkit.execute.claims import Claims
from benchkit.execute.family import found_family

READY = b"ready"


def serve(pipe: connection.Connection, tokens: connection.Connection, prepare: Callable[[], None]) -> None:
    """Run calls until the parent closes the pipe."""
    found_family()
    prepare()
    claims = Claims(tokens)
    with suppress(EOFError, OSError):  # the parent is gone
        pipe.send_bytes(READY)
        while True:
            call = claims.accept(pipe.recv_bytes())
            if call is not None:
                pipe.send_bytes(_answer(call))


def _answer(call: bytes) -> bytes:
    value: Any = None
    problem: BaseException | None = None
    try:
        function, args = pickle.loads(call)
        value = function(*args)
    except BaseException as error:
        problem = error
    try:
        return pickle.dumps((value, problem))
    except Exception as error:
        what = "what it returned" if problem is None else f"{type(problem).__name__}: {problem}"
        return pickle.dumps((None, TypeError(f"{what} cannot be sent between processes: {error}")))
