"""What a trial used: its own peak memory, not the worker's history."""

from __future__ import annotations

import resource
import sys
from contextlib import suppress
from pathlib import Path

_STATUS = Path("/proc/self/status")
_CLEAR = Path("/proc/self/clear_refs")


def reset_peak() -> None:
    """Start measuring peak memory anew, where the system can (Linux: proc(5), clear_refs)."""
    with suppress(OSError):
        _CLEAR.write_text("5")


def peak_megabytes() -> float:
    """Largest resident size since `reset_peak`, in MB; since the process started where that cannot be reset."""
    try:
        line = next(line for line in _STATUS.read_text().splitlines() if line.startswith("VmHWM"))
        return int(line.split()[1]) / 1024
    except (OSError, StopIteration):
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1024 * 1024 if sys.platform == "darwin" else 1024)
