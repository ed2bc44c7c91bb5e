"""What a trial uses, its own and not its worker's history."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from contextlib import suppress
from functools import cache

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
