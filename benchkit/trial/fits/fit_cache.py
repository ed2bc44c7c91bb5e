"""Fits that trials share, done once: a store of fitted estimators keyed by content."""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import joblib
from filelock import FileLock

from benchkit.trial.fits.recent_fits import RecentFits, StoredFit

Fit = tuple[Any, float]

# While another worker does the same fit: trials that differ in their budget alone often want one fit at once.
_SECONDS_BETWEEN_LOOKS = 0.002

_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


@dataclass
class Shared:
    """What the fits took that a trial used and others had done.

    Attributes
    ----------
    cpu_seconds : float
    peak_mb : float
    """

    cpu_seconds: float = 0.0
    peak_mb: float = 0.0


class FitCache:
    """Fitted estimators and the seconds that each fit took, in memory and, given a folder, on disk.

    Two processes that want the same fit at once do it once: the second waits. A process that dies while fitting
    leaves nothing behind, and its lock is released by the operating system.

    Parameters
    ----------
    folder : Path or None
    capacity : int, default=64
        Fits held in memory.
    peak_megabytes : callable, optional
        Returns the most memory that this process has held.
    """

    def __init__(
        self,
        folder: Path | None,
        capacity: int = 64,
        peak_megabytes: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.folder = folder
        self._peak_megabytes = peak_megabytes
        self._recent = RecentFits(capacity)
        self._used: set[str] = set()
        self.shared = Shared()

    def begin_trial(self) -> None:
        """Count from here on what shared fits took that were done before; get them as they were fitted."""
        self._recent.begin_trial()
        self._used = set()
        self.shared = Shared()

    @staticmethod
    def key(sources: str, params: Mapping[str, Any], data: str) -> str:
        """Key of a fit: of code, parameters (by content) and data (its digest)."""
        content = sources, dict(params), data
        if _is_plain(content):  # nearly always, and then a tenth of the time
            return hashlib.sha1(repr(content).encode(errors="surrogatepass"), usedforsecurity=False).hexdigest()
        hashed: str = joblib.hash(content, hash_name="sha1")
        return hashed

    def fit(self, key: str, make: Callable[[], Any]) -> Fit:
        """The fitted estimator with this key and its fit's wall seconds; ``make`` fits it where it is not there yet."""
        done_here = False

        def make_here() -> Any:
            nonlocal done_here
            done_here = True
            return make()

        stored = self._recent.get(key)
        if stored is None:
            stored = self._shared(key, make_here)
            self._recent.add(key, stored)
        if not done_here and key not in self._used:
            self.shared.cpu_seconds += stored.cpu_seconds
            self.shared.peak_mb = max(self.shared.peak_mb, stored.peak_mb or 0.0)
        self._used.add(key)
        return stored.model, stored.seconds

    def _shared(self, key: str, make: Callable[[], Any]) -> StoredFit:
        if self.folder is None:
            return self._timed(make)
        path = self.folder / f"{key}.joblib"
        if (stored := _read(path)) is not None:
            return stored
        lock = FileLock(self.folder / f"{key}.lock")
        try:
            lock.acquire(poll_interval=_SECONDS_BETWEEN_LOOKS)  # makes the folder
        except OSError:  # nothing can be shared here, such as on a machine without this folder
            return self._timed(make)
        try:
            if (stored := _read(path)) is not None:
                return stored
            fit = self._timed(make)
            dump_whole(fit, path)
        finally:
            lock.release()
        # Whoever still waits on this lock, or makes it anew, finds the fit.
        Path(lock.lock_file).unlink(missing_ok=True)
        return fit

    def _timed(self, make: Callable[[], Any]) -> StoredFit:
        start, cpu_start = time.perf_counter(), time.process_time()
        model = make()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        return StoredFit(model, seconds, cpu_seconds, self._peak_megabytes())


def _is_plain(value: Any) -> bool:
    """Whether `repr` tells all of a value."""
    kind = type(value)
    if kind in (str, int, float, bool, type(None)):
        return True
    if kind in (list, tuple):
        return all(map(_is_plain, value))
    return kind is dict and all(map(_is_plain, value)) and all(map(_is_plain, value.values()))


def dump_whole(value: Any, path: Path) -> bool:
    """Store a value whole or not at all; False where it cannot be pickled or written (a full disk)."""
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        with _created(partial) as file:  # joblib reads it; its own pickler is written in Python, and as slow
            pickle.dump(value, file, pickle.HIGHEST_PROTOCOL)
        partial.replace(path)
    except Exception:  # pickling raises anything
        partial.unlink(missing_ok=True)
        return False
    return True


def _created(path: Path) -> IO[bytes]:
    """A new file that nobody else may write, in a folder that mostly is there."""
    try:
        return open(path, "wb", opener=_ours)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        return open(path, "wb", opener=_ours)


def _ours(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o644)


def _as_it_is(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK)  # no link, and no waiting for a pipe


def _read(path: Path) -> StoredFit | None:
    """A stored fit; None where there is none, or a damaged file, or one that another user may have made."""
    try:
        with open(path, "rb", opener=_as_it_is) as file:
            # Unpickling can execute anything: in a folder that others may write to, they could have put it there.
            state = os.fstat(file.fileno())
            ours = state.st_uid in (os.getuid(), 0) and not state.st_mode & _OTHERS_WRITE
            if not stat.S_ISREG(state.st_mode) or not ours:
                return None
            stored = joblib.load(file)
    except FileNotFoundError:
        return None
    except Exception:  # a damaged pickle raises anything
        return None
    return stored if isinstance(stored, StoredFit) else None
