"""Tasks that a worker holds in advance and the parent can still take back: whoever reads its token has it.

A token is one number in a pipe that both processes may read; the system gives it to one of them.
"""

from __future__ import annotations

import os
import struct
from multiprocessing.connection import Connection

_NUMBER = struct.Struct("<Q")
_AT_ONCE = 0


class Claims:
    """The tokens of one worker, of which at most one is unread at a time.

    Parameters
    ----------
    reader, writer : Connection
        Ends of a pipe for one direction; the worker needs the reader only.
    """

    def __init__(self, reader: Connection, writer: Connection | None = None) -> None:
        self._reader, self._writer = reader, writer
        self._offered = _AT_ONCE
        self._held: int | None = None
        os.set_blocking(reader.fileno(), False)

    def now(self, call: bytes) -> bytes:
        """The message of a call that is the worker's without ado."""
        return _NUMBER.pack(_AT_ONCE) + call

    def offer(self, call: bytes) -> bytes:
        """The message of a call that can be taken back; to be sent at once."""
        assert self._writer is not None
        self._offered += 1
        os.write(self._writer.fileno(), _NUMBER.pack(self._offered))
        return _NUMBER.pack(self._offered) + call

    def take_back(self) -> bool:
        """Whether the call offered last is the parent's again: the worker had not begun it and will not."""
        return self._read() is not None

    def accept(self, message: bytes) -> bytes | None:
        """In the worker: the call of a message, or None where it was taken back."""
        (number,) = _NUMBER.unpack_from(message)
        if number != _AT_ONCE:
            if self._held is None:
                self._held = self._read()
            if self._held != number:
                return None  # what is held belongs to a later message
            self._held = None
        return message[_NUMBER.size :]

    def close(self) -> None:
        """Close the parent's ends."""
        self._reader.close()
        if self._writer is not None:
            self._writer.close()

    def _read(self) -> int | None:
        try:
            (number,) = _NUMBER.unpack(os.read(self._reader.fileno(), _NUMBER.size))
        except BlockingIOError:
            return None
        return int(number)
