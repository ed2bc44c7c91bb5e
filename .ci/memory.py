"""Run a command, and say how much memory it takes at most with all its processes; what they share is counted once.

    python .ci/memory.py pytest -n 2

The sum of ``Pss`` in /proc/PID/smaps_rollup, once a second, over the command and all that descends from it (Linux).
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # what outlives its parent is ours, and counted on


def descendants() -> list[str]:
    """The processes below this one, by their numbers."""
    parents = {}
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parents[status.parent.name] = status.read_text().rpartition(")")[2].split()[1]
        except OSError:  # it has ended
            continue
    found: list[str] = [str(os.getpid())]
    for number in found:
        found += [child for child, parent in parents.items() if parent == number]
    return found[1:]


def taken(process: str) -> tuple[float, str]:
    """MB of a process, a page that several share in parts, and its command; nothing where it has ended."""
    try:
        lines = Path(f"/proc/{process}/smaps_rollup").read_text().splitlines()
        command = Path(f"/proc/{process}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return 0.0, ""
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("Pss:")), 0.0), command


def main() -> int:
    """Run the command of the arguments; its exit code."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    most: list[tuple[float, str]] = []
    with subprocess.Popen(sys.argv[1:]) as command:
        while command.poll() is None:
            now = [taken(process) for process in descendants()]
            most = max(most, now, key=lambda rows: sum(megabytes for megabytes, _ in rows))
            time.sleep(1)
    print(f"at most {sum(megabytes for megabytes, _ in most):,.0f} MB, of these processes:")
    for megabytes, line in sorted(most, reverse=True)[:12]:
        print(f"{megabytes:8,.0f} MB  {line[:100]}")
    return command.returncode


if __name__ == "__main__":
    sys.exit(main())
