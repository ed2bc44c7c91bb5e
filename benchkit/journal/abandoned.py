"""Whether a run that did not end is still going on."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from benchkit.journal.store import LOCK


def is_abandoned(out: Path, suite: str, run: str) -> bool:
    """Whether a run lies in an output folder, and no process writes to its journal.

    Parameters
    ----------
    out : Path
        Output folder.
    suite, run : str
        Names; those of strangers may be no names of folders, which then is False.

    Returns
    -------
    bool
        False as well where it cannot be found out.
    """
    if any(name in ("", "..") or Path(name).name != name for name in (suite, run)):
        return False
    lock = out / suite / LOCK
    try:
        if not (out / suite / run).is_dir() or not lock.is_file():
            return False
        with FileLock(lock, timeout=0):
            return True
    except (Timeout, OSError, ValueError):
        return False
