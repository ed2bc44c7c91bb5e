"""Fits that trials share, done once: a store of fitted estimators keyed by content."""

from __future__ import annotations

import os
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import joblib
from filelock import FileLock

Fit = tuple[Any, float]


class Memo:
    """Fitted estimators and the seconds that each fit took, in memory and, given a folder, on disk.

    Two processes that want the same fit at once do it once: the second waits. A process that dies while fitting
    leaves nothing behind, and its lock is released by the operating system.

    Parameters
    ----------
    folder : Path or None
    capacity : int, default=64
        Fits held in memory.
    """

    def __init__(self, folder: Path | None, capacity: int = 64) -> None:
        self.folder = folder
        self.capacity = capacity
        self._recent: OrderedDict[str, Fit] = OrderedDict()

    @staticmethod
    def key(sources: str, params: Mapping[str, Any], data: str) -> str:
        """Key of a fit: of code, parameters (by content) and data (its digest)."""
        found: str = joblib.hash((sources, dict(params), data), hash_name="sha1")
        return found

    def fit(self, key: str, make: Callable[[], Any]) -> Fit:
        """The fitted estimator with this key and its fit's wall seconds; ``make`` fits it where it is not there yet."""
        if key not in self._recent:
            self._recent[key] = self._shared(key, make)
            if len(self._recent) > self.capacity:
                self._recent.popitem(last=False)
        self._recent.move_to_end(key)
        return self._recent[key]

    def _shared(self, key: str, make: Callable[[], Any]) -> Fit:
        if self.folder is None:
            return _timed(make)
        path = self.folder / f"{key}.joblib"
        if (found := _read(path)) is not None:
            return found
        lock = FileLock(self.folder / f"{key}.lock")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            lock.acquire()
        except OSError:  # nothing can be shared here, such as on a machine without this folder
            return _timed(make)
        try:
            if (found := _read(path)) is not None:
                return found
            fit = _timed(make)
            dump_whole(fit, path)
        finally:
            lock.release()
        # Whoever still waits on this lock, or makes it anew, finds the fit.
        Path(lock.lock_file).unlink(missing_ok=True)
        return fit


def dump_whole(value: Any, path: Path) -> bool:
    """Store a value whole or not at all; False where it cannot be pickled or written (a full disk)."""
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        joblib.dump(value, partial)
        partial.replace(path)
    except Exception:  # pickling raises anything
        partial.unlink(missing_ok=True)
        return False
    return True


def _timed(make: Callable[[], Any]) -> Fit:
    start = time.perf_counter()
    model = make()
    return model, time.perf_counter() - start


def _read(path: Path) -> Fit | None:
    """A stored fit; None where there is none, or where a damaged file stands in its place."""
    if not path.exists():
        return None
    try:
        found: Fit = joblib.load(path)
    except Exception:  # a damaged pickle raises anything
        return None
    return found
