"""How much memory this process may hold: what goes beyond is a MemoryError, before it is taken."""

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
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    allowed = [int((held + max(0.0, megabytes - resident)) * 2**20)]
    allowed += [limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY]
    resource.setrlimit(resource.RLIMIT_DATA, (min(allowed), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def check_memory(megabytes: float, what: str, instead: str) -> None:
    """Refuse work that memory has no room for, before any of it is taken.

    Room is what the system can give (Linux: MemAvailable of proc(5)), and no more than this process may still reserve:
    ``--memory`` and ``ulimit`` count. Without Linux nothing is refused.

    Parameters
    ----------
    megabytes : float
        That the work needs beside what this process holds.
    what : str
        The work, in words, with its size.
    instead : str
        What would do.

    Raises
    ------
    MemoryError
        One line that says all three, and how much there is.
    """
    room = _room()
    if megabytes > room:
        raise MemoryError(f"{what} needs about {_size(megabytes)} of memory, {_size(room)} are free: {instead}")


def _room() -> float:
    """MB that this process can still take."""
    room = [float("inf")]
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            room += [int(line.split()[1]) / 1024 for line in file if line.startswith("MemAvailable:")]
    except OSError:
        return room[0]
    for limit, name in ((resource.RLIMIT_DATA, "VmData"), (resource.RLIMIT_AS, "VmSize")):
        allowed, held = resource.getrlimit(limit)[0], status_field(name)
        if allowed != resource.RLIM_INFINITY and held is not None:
            room.append(max(0.0, allowed / 2**20 - held))
    return min(room)


def _size(megabytes: float) -> str:
    return f"{megabytes:.0f} MB" if megabytes < 1000 else f"{megabytes / 1024:.1f} GB"


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
