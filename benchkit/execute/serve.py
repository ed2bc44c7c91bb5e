"""The worker's side: take a call, make it, send back what became of it, in frames that can be read piece by piece."""

from __future__ import annotations

import enum
import os
import pickle
import struct
from collections.abc import Callable
from contextlib import suppress
from multiprocessing import connection
from typing import Any, NamedTuple

from benchkit.execute.process_tree import found_family, mark_own

_HEAD = struct.Struct("<BQ")
_AT_ONCE = 2**16


class Kind(enum.IntEnum):
    """What a reply says."""

    READY = 0  # the worker takes its first call
    ANSWER = 1
    LAST_ANSWER = 2  # and the worker ends: it takes no further call


class Reply(NamedTuple):
    """One reply, with the answer to the call."""

    kind: Kind
    answer: bytes


def send_reply(descriptor: int, kind: Kind, answer: bytes = b"") -> None:
    """Write a reply whole."""
    frame = memoryview(_HEAD.pack(kind, len(answer)) + answer)
    while frame:
        frame = frame[os.write(descriptor, frame) :]


class ReplyReader:
    """Puts replies together from what a descriptor has.

    A worker may be stopped or killed in the middle of a reply: `Connection.recv` would wait for the rest of it, and
    nobody would watch the other workers meanwhile.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._bytes = bytearray()

    def read(self) -> list[Reply]:
        """The replies that are complete after one more read, which must not block; an `EOFError` at the end."""
        try:
            more = os.read(self._descriptor, _AT_ONCE)
        except ConnectionResetError:
            more = b""
        if not more:
            raise EOFError
        self._bytes += more
        replies = []
        while len(self._bytes) >= _HEAD.size:
            kind, size = _HEAD.unpack_from(self._bytes)
            end = _HEAD.size + size
            if len(self._bytes) < end:
                break
            replies.append(Reply(Kind(kind), bytes(self._bytes[_HEAD.size : end])))
            del self._bytes[:end]
        return replies


class _Role:
    """Whether this process is a worker, and is to end after its present call."""

    serves = False
    ends = False


def is_worker() -> bool:
    """Whether this process makes calls for a parent, of whichever interpreter."""
    return _Role.serves


def retire() -> None:
    """Let this worker end after the call that it makes now; another takes its place."""
    _Role.ends = True


def serve(parent: connection.Connection, prepare: Callable[[], None], mark: str) -> None:
    """Make calls until the parent closes the connection, or until one of them has retired this worker.

    ``prepare`` is called first; ``mark`` tells what this worker leaves behind.
    """
    _Role.serves = True
    found_family()
    prepare()
    mark_own(mark)
    with suppress(EOFError, OSError):  # the parent is gone
        send_reply(parent.fileno(), Kind.READY)
        while not _Role.ends:
            answer = _answer(parent.recv_bytes())
            send_reply(parent.fileno(), Kind.LAST_ANSWER if _Role.ends else Kind.ANSWER, answer)


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
