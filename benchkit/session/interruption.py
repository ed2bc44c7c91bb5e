"""Ctrl-C and SIGTERM stop a run, whatever they find it doing."""

from __future__ import annotations

import _thread
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

_SECONDS_UNTIL_AGAIN = 0.02  # until what has swallowed an interrupt has ended, and a little more


@contextmanager
def forgotten_interrupts_return() -> Iterator[None]:
    """Have a KeyboardInterrupt come again that Python prints and forgets.

    That is what it does with all that is raised in ``__del__``, in callbacks of weak references, of which each import
    calls one, and in some of what extension modules call, such as pydantic's while a class is made.
    """
    before = sys.unraisablehook

    def interrupt_again() -> None:  # from a thread, for what the hook itself raises is forgotten, too
        time.sleep(_SECONDS_UNTIL_AGAIN)
        _thread.interrupt_main()

    def hook(forgotten: Any) -> None:
        if issubclass(forgotten.exc_type, KeyboardInterrupt):
            _thread.start_new_thread(interrupt_again, ())
        else:
            before(forgotten)

    sys.unraisablehook = hook
    try:
        yield
    finally:
        sys.unraisablehook = before


@contextmanager
def interruptible() -> Iterator[Callable[[], None]]:
    """Make SIGTERM raise KeyboardInterrupt, as Ctrl-C does; only the main thread of a process can.

    Yields
    ------
    callable
        To be called now and then: raises the KeyboardInterrupt that was raised before and has stopped nothing, since a
        library catches everything.
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
        with forgotten_interrupts_return():
            yield check
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
