"""What a trial uses of its process, and what it leaves changed there for the next."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
import threading
from contextlib import suppress
from functools import cache
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from benchkit.memory_limit import proc_self, status_field

_PAGE = os.sysconf("SC_PAGE_SIZE")


def reset_peak() -> None:
    """Give freed memory back and measure the peak anew, where the system can (Linux: proc(5), clear_refs)."""
    give_memory_back()
    with suppress(OSError):
        file = os.open("/proc/self/clear_refs", os.O_WRONLY)
        try:
            os.write(file, b"5")
        finally:
            os.close(file)


def give_memory_back() -> None:
    """Return what was freed to the system, where the system can take it."""
    if (trim := _malloc_trim()) is not None:
        trim(0)


@cache
def _malloc_trim() -> ctypes._NamedFuncPointer | None:
    return getattr(ctypes.CDLL(None), "malloc_trim", None)


def resident_megabytes() -> float:
    """What this process holds now, in MB; 0 where the system does not say."""
    try:
        return int(proc_self("statm").split()[1]) * _PAGE / 2**20
    except OSError:
        return 0.0


def peak_megabytes() -> float:
    """Largest resident size since `reset_peak`, in MB; since the process started where that cannot be reset."""
    peak = status_field("VmHWM")
    if peak is not None:
        return peak
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (1024 * 1024 if sys.platform == "darwin" else 1024)


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


class Surroundings:
    """The state of a worker before a trial.

    The global generators are no part of it: they are seeded for each fit and each trial.
    """

    _modules = 0  # how many were imported when the libraries were looked for, which takes milliseconds
    _libraries: tuple[Any, ...] = ()

    def __init__(self) -> None:
        if Surroundings._modules != len(sys.modules):
            Surroundings._modules = len(sys.modules)
            Surroundings._libraries = tuple(ThreadpoolController().lib_controllers)
            gc.collect()
            gc.freeze()  # what is there now need not be looked at after every trial
        self._before = self._state()

    def _state(self) -> dict[str, Any]:
        """What is compared by value, as the warning names it."""
        directory = ""
        with suppress(OSError):  # it was removed
            directory = os.getcwd()
        return {
            "working directory": directory,
            "environment": dict(os.environ),
            "threads": {thread.ident for thread in threading.enumerate()},
            "BLAS threads": [library.num_threads for library in Surroundings._libraries],
            "numpy errors": dict(np.geterr()),
        }

    def changes(self) -> list[str]:
        """What differs now, in words, once what is left in cycles is freed."""
        gc.collect()
        now = self._state()
        return [name for name, before in self._before.items() if now[name] != before]
