"""How much memory this process may hold: what goes beyond is a MemoryError, before it is taken."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager

_LONGEST = 1 << 14


@contextmanager
def memory_limit(megabytes: float | None) -> Iterator[None]:
    """Let this process grow to so many resident MB; more is a `MemoryError`, at once and not when pages are touched.

    The limit is on private writable memory (RLIMIT_DATA), which a process reserves before it is resident: what may be
    added is what is resident now short of the limit.
    """
    if megabytes is None:
        yield
        return
    held, resident = status_field("VmData"), status_field("VmRSS")
    if held is None or resident is None:
        yield
        return
    with _data_limit(held + max(0.0, megabytes - resident)):
        yield


@contextmanager
def growth_limit(megabytes: float) -> Iterator[None]:
    """Let this process reserve so many MB more than it has; more is a `MemoryError`. Without Linux there is no limit.

    What is imported in here counts, too, and a linear algebra library may reserve 32 MB for each processor.
    """
    held = status_field("VmData")
    if held is None or megabytes == float("inf"):
        yield
        return
    with _data_limit(held + megabytes):
        yield


@contextmanager
def _data_limit(megabytes: float) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = [int(megabytes * 2**20), *(each for each in (soft, hard) if each != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_DATA, (min(allowed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def status_field(name: str) -> float | None:
    """A size of /proc/self/status, in MB."""
    try:
        _, there, rest = proc_self("status").partition(f"\n{name}:".encode())
    except OSError:
        return None
    return int(rest.split(maxsplit=1)[0]) / 1024 if there else None


def proc_self(name: str) -> bytes:
    """What the system says of this process; asked several times a trial, and text files would cost it 0.1 ms."""
    file = os.open(f"/proc/self/{name}", os.O_RDONLY)
    try:
        return os.read(file, _LONGEST)
    finally:
        os.close(file)
