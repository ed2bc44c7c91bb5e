"""Handing calls to a worker ahead of time, so that none is lost and none is settled by another's answer.

Each call has a number. The parent writes the number into a pipe that both processes may read, and then sends the call.
A number is read by one of the two, and whoever reads it owns the call: the worker makes it, or the parent has taken it
back. Numbers and calls arrive in the order in which they were sent, therefore:

- A worker that receives call n and reads a number m > n knows that the parent took n back; m is a later call, which the
  worker now owns. If it reads nothing, the parent took n back too.
- The worker replies to every call that it receives, once and in order, with the call's number: an answer, or that the
  call was dropped.
- Once the parent has read every number that is left and every reply, the calls that remain are the worker's: the one
  that it makes now. If the worker has died, that call died with it, and no other did.

`tests/execute/test_handover.py` explores every interleaving of both sides for short sequences of calls.
"""

from __future__ import annotations

import os
import struct
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

T = TypeVar("T")

_NUMBER = struct.Struct("<Q")


class HandoverError(RuntimeError):
    """A worker replied to a call that is not the oldest without a reply: the two sides disagree."""


class Numbers(Protocol):
    """The pipe of numbers."""

    def read(self) -> int | None:
        """The oldest number, which nobody else gets; None where there is none."""

    def write(self, number: int) -> None:
        """Add a number."""


class NumberPipe:
    """Numbers in a pipe of the system, which gives each to one reader.

    Parameters
    ----------
    reader, writer : int
        File descriptors of the two ends; the worker has no writer.
    """

    def __init__(self, reader: int, writer: int | None = None) -> None:
        self._reader, self._writer = reader, writer
        os.set_blocking(reader, False)

    def read(self) -> int | None:
        """The oldest number; None where there is none. Raises `EOFError` once the parent is gone."""
        try:
            packed = os.read(self._reader, _NUMBER.size)
        except BlockingIOError:
            return None
        if not packed:
            raise EOFError
        (number,) = _NUMBER.unpack(packed)
        return int(number)

    def write(self, number: int) -> None:
        """Add a number, at once."""
        assert self._writer is not None, "only the parent adds numbers"
        os.write(self._writer, _NUMBER.pack(number))


@dataclass
class _Sent(Generic[T]):
    number: int
    size: int
    item: T | None  # None once it was taken back


class Giver(Generic[T]):
    """The parent's side.

    Parameters
    ----------
    numbers : Numbers
    send : callable
        Sends a message to the worker.
    """

    def __init__(self, numbers: Numbers, send: Callable[[bytes], None]) -> None:
        self._numbers, self._send = numbers, send
        self._last = 0
        self._sent: deque[_Sent[T]] = deque()

    def give(self, item: T, call: bytes) -> None:
        """Send the call of an item."""
        self._last += 1
        self._sent.append(_Sent(self._last, len(call), item))
        self._numbers.write(self._last)
        self._send(_NUMBER.pack(self._last) + call)

    def take_back(self) -> list[T]:
        """The items whose calls the worker has not begun and will not begin, in order."""
        taken = []
        while (number := self._numbers.read()) is not None:
            sent = next(sent for sent in self._sent if sent.number == number)
            assert sent.item is not None, "a number is read once"
            taken.append(sent.item)
            sent.item = None
        return taken

    def hear(self, number: int, answered: bool) -> T | None:
        """Note the reply to the oldest call without one; its item, where the worker made the call."""
        if not self._sent or self._sent[0].number != number or (self._sent[0].item is not None) != answered:
            raise HandoverError(f"a worker replied to call {number} out of turn")
        return self._sent.popleft().item

    @property
    def items(self) -> list[T]:
        """What the worker has, in order; it may have begun the first."""
        return [sent.item for sent in self._sent if sent.item is not None]

    @property
    def without_reply(self) -> int:
        """Bytes of the calls, taken back or not, that the worker has not replied to."""
        return sum(sent.size for sent in self._sent)


class Taker:
    """The worker's side."""

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._held: int | None = None

    def accept(self, message: bytes) -> tuple[int, bytes | None]:
        """A call's number, and the call; None in its place where the parent took it back."""
        (number,) = _NUMBER.unpack_from(message)
        if self._held is None:
            self._held = self._numbers.read()
        if self._held != number:
            return number, None  # what is held belongs to a later message
        self._held = None
        return number, message[_NUMBER.size :]
