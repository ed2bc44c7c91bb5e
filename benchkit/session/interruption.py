"""Ctrl-C and SIGTERM stop a run, whatever they find it doing."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """Make SIGTERM raise KeyboardInterrupt, as Ctrl-C does; only the main thread of a process can.

    Yields
    ------
    callable
        To be called now and then: raises the KeyboardInterrupt that was raised before and has stopped nothing, since a
        library catches everything, or Python forgets it, as it does in ``__del__`` and in callbacks of weak references.
    """
    if threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    swallowed = False

    def stop(number: int, frame: Any) -> None:
        nonlocal swallowed
        swallowed = True
        raise KeyboardInterrupt

    def check() -> None:
        nonlocal swallowed
        if swallowed:
            swallowed = False
            raise KeyboardInterrupt

    numbers = [signal.SIGTERM]
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:  # else somebody wants it otherwise
        numbers.append(signal.SIGINT)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield check
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
