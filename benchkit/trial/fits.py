"""Fits that trials share, in files beside the journal; what they warn of."""

from __future__ import annotations

import os
import pickle
import stat
import time
import warnings
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
from filelock import FileLock

# While another worker does the same fit: trials that differ in their budget alone often want one fit at once.
_SECONDS_BETWEEN_LOOKS = 0.002
# Fits of one trial that are held, of which tuning has chosen none yet.
_MOST = 64


def watch(call: Callable[[], Any]) -> tuple[Any, dict[str, int]]:
    """What a call returns, and how many warnings of each class it raised; the first of each is also shown as usual.

    What the called code ignores by a filter stays ignored.
    """
    counts: Counter[str] = Counter()
    with warnings.catch_warnings():
        show = warnings.showwarning

        def count(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if category.__name__ not in counts:
                show(message, category, *where, **more)
            counts[category.__name__] += 1

        warnings.simplefilter("always")
        warnings.showwarning = count
        return call(), dict(counts)


def fit_key(sources: str, params: Mapping[str, Any], data: str) -> str:
    """Key of a fit: of code, parameters (by content) and data (its digest)."""
    hashed: str = joblib.hash((sources, dict(params), data), hash_name="sha1")
    return hashed


@dataclass(frozen=True)
class Fit:
    """A fitted estimator (or several), how many warnings of each class that raised, and what it took, wherever it was.

    That is wall and processor time, and the most memory that the process held.
    """

    model: Any
    seconds: float
    warned: Mapping[str, int]
    cpu_seconds: float = 0.0
    peak_mb: float | None = None


class FitCache:
    """The fits of one trial; given a folder, shared with other trials by a file for each.

    Two processes that want the same fit at once do it once: the second waits. A process that dies while fitting
    leaves nothing behind, and its lock is released by the operating system. An adversary or a metric may change an
    estimator: the next trial reads it as it was fitted. What cannot be pickled is shared with nobody.

    ``peak_megabytes`` returns the most memory that this process has held; ``shared_cpu_seconds`` and ``shared_peak_mb``
    are what the fits took that the trial used and others had done.
    """

    def __init__(self, folder: Path | None, peak_megabytes: Callable[[], float | None] = lambda: None) -> None:
        self.folder, self._peak_megabytes = folder, peak_megabytes
        self._fits: dict[str, Fit] = {}
        self._counted: set[str] = set()  # what these took is in the trial's own time, or added to it
        self.shared_cpu_seconds = self.shared_peak_mb = 0.0

    def fit(self, key: str, make: Callable[[], Any]) -> Fit:
        """The fit with this key; ``make`` makes it where it is not there yet.

        Warnings are kept with it: a trial that shares it did not converge either.
        """
        if key not in self._fits:
            self._fits[key] = self._shared(key, make)
            if len(self._fits) > _MOST:
                self._fits.pop(next(iter(self._fits)))
        fit = self._fits[key]
        if key not in self._counted:
            self._counted.add(key)
            self.shared_cpu_seconds += fit.cpu_seconds
            self.shared_peak_mb = max(self.shared_peak_mb, fit.peak_mb or 0.0)
        return fit

    def _shared(self, key: str, make: Callable[[], Any]) -> Fit:
        """What another trial has fitted; else fit, while nobody else does, and unless another has done it meanwhile."""
        if self.folder is None:
            return self._fit(key, make)
        path = self.folder / f"{key}.joblib"
        if (stored := _read(path)) is not None:
            return stored
        lock = FileLock(path.with_suffix(".lock"))
        try:
            lock.acquire(poll_interval=_SECONDS_BETWEEN_LOOKS)  # makes the folder
        except OSError:  # nothing can be shared here
            return self._fit(key, make)
        try:
            if (stored := _read(path)) is None:
                stored = self._fit(key, make)
                _write(path, stored)
        finally:
            lock.release()
        # Whoever still waits on this lock, or makes it anew, finds the fit.
        Path(lock.lock_file).unlink(missing_ok=True)
        return stored

    def _fit(self, key: str, make: Callable[[], Any]) -> Fit:
        start, cpu_start = time.perf_counter(), time.process_time()
        model, warned = watch(make)
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        self._counted.add(key)
        return Fit(model, seconds, warned, cpu_seconds, self._peak_megabytes())


def _read(path: Path) -> Fit | None:
    """A fit that was done before; None where there is none, or a file that is damaged, or may be another user's.

    Unpickling can execute anything: in a folder that others may write to, they could have put it there.
    """
    try:
        state = path.lstat()
        if state.st_uid not in (os.getuid(), 0) or state.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
            return None
        stored = pickle.loads(path.read_bytes()) if stat.S_ISREG(state.st_mode) else None
    except Exception:  # a damaged pickle raises anything
        return None
    return stored if isinstance(stored, Fit) else None


def _write(path: Path, stored: Fit) -> None:
    """Write a fit whole or, as on a full disk, not at all; nobody else may change it."""
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        content = pickle.dumps(stored, pickle.HIGHEST_PROTOCOL)
        # Through no link that somebody else has put there, and writable by nobody else from its first moment on.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(partial, flags, 0o644), "wb") as file:
            file.write(content)
        partial.replace(path)
    except Exception:  # pickling raises anything
        with suppress(OSError):
            partial.unlink(missing_ok=True)
