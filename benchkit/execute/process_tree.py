"""A process and its descendants: what they hold, and how to end them all (Linux: proc(5); elsewhere the group only).

A process tree is found from its head downwards. psutil's `children` looks at every process of the machine instead: 4.4
ms among 135 of them, where this takes 0.25 ms, for each worker and ten times a second. A worker that lives is the head
of all that it starts. What outlives it is found by a mark in the environment that programs get when they are executed;
a copy of the worker itself (`os.fork`) that has left the group has none.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_PAGE = os.sysconf("SC_PAGE_SIZE")
_LONGEST = 1 << 12
_TICKS = os.sysconf("SC_CLK_TCK")


class Member(NamedTuple):
    """A process; its start time tells it from a later one with the same number."""

    pid: int
    started: int


def found_family() -> None:
    """Make this process the head of its descendants: of their group, and of those that detach themselves from it.

    It dies with its parent.
    """
    os.setpgid(0, 0)
    if sys.platform == "linux":
        prctl = ctypes.CDLL(None).prctl
        prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)


def members(pid: int) -> set[Member]:
    """A process and its descendants that live."""
    found: set[Member] = set()
    waiting = [pid]
    while waiting:
        stat = _stat(pid := waiting.pop())
        if stat is None or stat[0] == "Z":
            continue
        found.add(Member(pid, int(stat[19])))
        with suppress(OSError):
            for thread in os.scandir(f"/proc/{pid}/task"):
                waiting.extend(int(child) for child in Path(thread.path, "children").read_text().split())
    return found


def end(pid: int, known: Iterable[Member] = ()) -> None:
    """Kill a process that leads a group, its descendants, and those known before that still live.

    They are stopped first, so that none starts another in the meantime.
    """
    doomed = {member for member in known if _lives(member)}
    while found := members(pid) - doomed:
        for member in found:
            _signal(member.pid, signal.SIGSTOP)
        doomed |= found
    for member in doomed:
        _signal(member.pid, signal.SIGKILL)
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, signal.SIGKILL)
    if sys.platform != "linux":
        _signal(pid, signal.SIGKILL)


def end_children() -> None:
    """Kill this process's descendants, and reap them.

    Where this process heads its family, a descendant whose parent ends becomes its child: one that started while the
    others were looked at is seen the next time.
    """
    spared: set[int] = {os.getpid()}
    while _has_living_children():
        doomed = {member.pid for member in members(os.getpid())} - spared
        spared |= {pid for pid in doomed if _is_tracker(pid) or not _signal(pid, signal.SIGSTOP)}
        for pid in doomed - spared:
            _signal(pid, signal.SIGKILL)
        for pid in doomed - spared:
            with suppress(ChildProcessError):  # a child of one of them
                os.waitpid(pid, 0)
        if not doomed - spared and len(spared) > 1:
            break  # those that live may be the spared ones; without any, one that lives was missed


def _has_living_children() -> bool:
    """Whether a child lives; the dead are reaped. Asking costs less than a look into /proc."""
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        return False
    return True


def resident_megabytes(family: Iterable[Member], shared_once: bool = False) -> float:
    """Resident memory of processes, in MB; what they share is counted for each, or once, which takes longer."""
    total = 0.0
    for member in family:
        with suppress(OSError, ValueError, IndexError):
            if not shared_once:
                total += int(Path(f"/proc/{member.pid}/statm").read_text().split()[1]) * _PAGE / 2**20
                continue
            lines = Path(f"/proc/{member.pid}/smaps_rollup").read_text().splitlines()
            total += sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:"))
    return total


def cpu_seconds(pid: int) -> float | None:
    """Processor time of a process and of those of its children that have ended."""
    stat = _stat(pid)
    return None if stat is None else sum(int(ticks) for ticks in stat[11:15]) / _TICKS


def _stat(pid: int) -> list[str] | None:
    """Fields of /proc/PID/stat from the state on; asked for every trial, and a text file would cost it 0.1 ms."""
    try:
        file = os.open(f"/proc/{pid}/stat", os.O_RDONLY)
    except OSError:
        return None
    try:
        return os.read(file, _LONGEST).decode(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    finally:
        os.close(file)


def _lives(member: Member) -> bool:
    stat = _stat(member.pid)
    return stat is not None and int(stat[19]) == member.started


def _is_tracker(pid: int) -> bool:
    """Whether a process is one that Python starts to clean up after others; it ends by itself."""
    try:
        return b"resource_tracker" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def _signal(pid: int, number: signal.Signals) -> bool:
    """Send a signal; False where the process is another user's. One that is gone needs none."""
    try:
        os.kill(pid, number)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return True


_VARIABLE = "BENCHKIT_WORKER"


def mark_own(mark: str) -> None:
    """Mark the programs that this process executes from now on."""
    os.environ[_VARIABLE] = mark


def end_marked(mark: str) -> None:
    """Kill the programs with a mark, where the system shows their environments (Linux: proc(5))."""
    sought = f"{_VARIABLE}={mark}".encode()
    for environment in Path("/proc").glob("[0-9]*/environ"):
        with suppress(OSError):  # it is gone, or another user's
            if sought in environment.read_bytes().split(b"\0"):
                end(int(environment.parent.name))
