"""Processes whose worker has died: nobody is their parent any more, and they may have left its group.

A worker that lives is the head of all that it starts (`family`). What outlives it is found by a mark in the environment
that programs get when they are executed; a copy of the worker itself (`os.fork`) that has left the group has none.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from benchkit.execute import family

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
                family.end(int(environment.parent.name))
