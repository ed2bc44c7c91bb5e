"""What a trial uses, its own and not its worker's history, and how much memory it may."""

from __future__ import annotations

import ctypes
import os
import resource
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache

_PAGE = os.sysconf("SC_PAGE_SIZE")
_LONGEST = 1 << 14


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
        return int(_proc_self("statm").split()[1]) * _PAGE / 2**20
    except OSError:
        return 0.0


def peak_megabytes() -> float:
    """Largest resident size since `reset_peak`, in MB; since the process started where that cannot be reset."""
    peak = _field("VmHWM")
    if peak is not None:
        return peak
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return largest / (1024 * 1024 if sys.platform == "darwin" else 1024)


def cpu_seconds() -> float:
    """Processor time of this process and of its children that have ended."""
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


@contextmanager
def memory_limit(megabytes: float | None) -> Iterator[None]:
    """Let this process grow to so many resident MB; more is a `MemoryError`, at once and not when pages are touched.

    The limit is on private writable memory (RLIMIT_DATA), which a process reserves before it is resident: what may be
    added is what is resident now short of the limit.
    """
    if megabytes is None:
        yield
        return
    held, resident = _field("VmData"), _field("VmRSS")
    if held is None or resident is None:
        yield
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = int((held + max(0.0, megabytes - resident)) * 2**20)
    resource.setrlimit(resource.RLIMIT_DATA, (min(allowed, hard) if hard >= 0 else allowed, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _field(name: str) -> float | None:
    """A size of /proc/self/status, in MB."""
    try:
        _, there, rest = _proc_self("status").partition(f"\n{name}:".encode())
    except OSError:
        return None
    return int(rest.split(maxsplit=1)[0]) / 1024 if there else None


def _proc_self(name: str) -> bytes:
    """What the system says of this process; asked several times a trial, and text files would cost it 0.1 ms."""
    file = os.open(f"/proc/self/{name}", os.O_RDONLY)
    try:
        return os.read(file, _LONGEST)
    finally:
        os.close(file)
