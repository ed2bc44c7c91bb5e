"""Whether anybody writes to the journal of a run."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from benchkit.journal.store import LOCK


def is_written(out: Path, suite: str, run: str) -> bool | None:
    """Whether a run lies in an output folder, and a process writes to its suite's journal now.

    Parameters
    ----------
    out : Path
        Output folder.
    suite, run : str
        Names; those of strangers may be no names of folders.

    Returns
    -------
    bool or None
        None where there is no such run, or it cannot be found out.
    """
    if any(name in ("", "..") or Path(name).name != name for name in (suite, run)):
        return None
    lock = out / suite / LOCK
    try:
        if not (out / suite / run).is_dir() or not lock.is_file():
            return None
        with FileLock(lock, timeout=0):
            return False
    except Timeout:
        return True
    except (OSError, ValueError):
        return None
