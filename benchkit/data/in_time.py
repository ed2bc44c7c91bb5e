"""Ending a download that its server draws out: a byte a second keeps a client waiting for hours, and no time-out of a
socket notices.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable

_SECONDS_BETWEEN_LOOKS = 0.1
_MINUTE = 60.0


class TooSlowError(Exception):
    """The server draws it out; the message says how."""


class Arrivals:
    """What has come of a download, as the thread tells that gets it."""

    def __init__(self) -> None:
        self.began = False
        self.bytes = 0

    def add(self, count: int) -> None:
        """So many bytes more came; 0 where the answer began."""
        self.began = True
        self.bytes += count


def in_time(
    download: Callable[[Arrivals], object],
    *,
    seconds_to_begin: float = float("inf"),
    seconds_in_all: float = float("inf"),
    least_a_minute: int = 0,
) -> None:
    """Download in a thread that is left behind where it does not keep to these terms.

    Parameters
    ----------
    download : callable
        Tells what arrives, and raises what goes wrong; what it writes to is closed when it is left behind.
    seconds_to_begin, seconds_in_all : float, default=inf
        Until the answer's head is here, and until all is.
    least_a_minute : int, default=0
        Bytes that are to come in each minute.

    Raises
    ------
    TooSlowError
    Exception
        Whatever the download raises.
    """
    arrivals, ended = Arrivals(), queue.SimpleQueue[BaseException | None]()

    def get() -> None:
        try:
            download(arrivals)
        except BaseException as error:
            ended.put(error)
        else:
            ended.put(None)

    threading.Thread(target=get, daemon=True, name="benchkit-download").start()
    start = minute = time.monotonic()
    before = 0
    while True:
        try:
            error = ended.get(timeout=_SECONDS_BETWEEN_LOOKS)
        except queue.Empty:
            now = time.monotonic()
            if not arrivals.began and now - start > seconds_to_begin:
                raise TooSlowError(f"no answer within {seconds_to_begin:g} s") from None
            if now - start > seconds_in_all:
                raise TooSlowError(f"not all of it came within {seconds_in_all:g} s") from None
            if now - minute > _MINUTE:
                if arrivals.bytes - before < least_a_minute:
                    came = arrivals.bytes - before
                    raise TooSlowError(f"no more than {came} bytes came in a minute") from None
                minute, before = now, arrivals.bytes
            continue
        if error is not None:
            raise error
        return
