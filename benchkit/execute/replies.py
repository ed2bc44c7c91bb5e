"""What a worker says to its parent, in frames that can be read without waiting for the rest of one."""

from __future__ import annotations

import enum
import os
import struct
from collections.abc import Iterator
from typing import NamedTuple

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

    def read(self) -> Iterator[Reply]:
        """The replies that are complete after one more read, which must not block.

        Raises
        ------
        EOFError
            The other end is closed.
        """
        try:
            more = os.read(self._descriptor, _AT_ONCE)
        except ConnectionResetError:
            more = b""
        if not more:
            raise EOFError
        self._bytes += more
        return self._complete()

    def _complete(self) -> Iterator[Reply]:
        while len(self._bytes) >= _HEAD.size:
            kind, size = _HEAD.unpack_from(self._bytes)
            end = _HEAD.size + size
            if len(self._bytes) < end:
                return
            answer = bytes(self._bytes[_HEAD.size : end])
            del self._bytes[:end]
            yield Reply(Kind(kind), answer)
