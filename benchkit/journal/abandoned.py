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
    return _held(out, suite, run) is False


def is_going_on(out: Path, suite: str, run: str) -> bool:
    """Whether a run lies in an output folder, and a process writes to its suite's journal now.

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
    return _held(out, suite, run) is True


def _held(out: Path, suite: str, run: str) -> bool | None:
    """Whether a process holds the lock of a run's journal; None where that cannot be found out."""
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
