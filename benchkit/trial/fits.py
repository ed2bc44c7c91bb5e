"""Fits that trials share: kept in this process, and in files beside the journal; what they warn of."""

from __future__ import annotations

import os
import pickle
import stat
import time
import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
from filelock import FileLock

# While another worker does the same fit: trials that differ in their budget alone often want one fit at once.
_SECONDS_BETWEEN_LOOKS = 0.002
# Bytes of pickled fits that are held; the latest is held whatever its size.
_MOST = 256 * 2**20


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
class StoredFit:
    """A fitted estimator and what its fit took, wherever it was done: wall and processor time, the process's peak."""

    model: Any
    seconds: float
    cpu_seconds: float
    peak_mb: float | None


class FitCache:
    """Fitted estimators and the seconds that each fit took, in memory and, given a folder, on disk.

    Two processes that want the same fit at once do it once: the second waits. A process that dies while fitting
    leaves nothing behind, and its lock is released by the operating system. Fits are held as bytes: an adversary or a
    metric may change an estimator, and the next trial gets it as it was fitted. What cannot be pickled is held as it
    is, and no other process gets it.

    Parameters
    ----------
    folder : Path or None
    capacity : int, default=64
        Fits held in memory.
    peak_megabytes : callable, optional
        Returns the most memory that this process has held.

    Attributes
    ----------
    shared_cpu_seconds, shared_peak_mb : float
        What the fits took that the present trial used and others had done.
    """

    def __init__(
        self,
        folder: Path | None,
        capacity: int = 64,
        peak_megabytes: Callable[[], float | None] = lambda: None,
    ) -> None:
        self.folder, self.capacity = folder, capacity
        self._peak_megabytes = peak_megabytes
        self._held: OrderedDict[str, bytes | StoredFit] = OrderedDict()
        self.begin_trial()

    def begin_trial(self) -> None:
        """Count from here on what shared fits took that were done before; get them as they were fitted."""
        self._of_this_trial: OrderedDict[str, StoredFit] = OrderedDict()
        self._used: set[str] = set()
        self.shared_cpu_seconds = self.shared_peak_mb = 0.0

    def fit(self, key: str, make: Callable[[], Any]) -> tuple[Any, float]:
        """The fitted estimator with this key and its fit's wall seconds; ``make`` fits it where it is not there yet."""
        stored = self._of_this_trial.get(key)
        if stored is None:
            stored = self._stored(key) or self._make(key, make)
            self._of_this_trial[key] = stored
            if len(self._of_this_trial) > self.capacity:
                self._of_this_trial.popitem(last=False)
        if key not in self._used:
            self._used.add(key)
            self.shared_cpu_seconds += stored.cpu_seconds
            self.shared_peak_mb = max(self.shared_peak_mb, stored.peak_mb or 0.0)
        return stored.model, stored.seconds

    def _stored(self, key: str) -> StoredFit | None:
        """A fit that was done before; nothing where there is none, or only a damaged or doubtful file."""
        held = self._held.get(key)
        if held is None and self.folder is not None:
            held = _read(self.folder / f"{key}.joblib")
        try:
            stored = pickle.loads(held) if isinstance(held, bytes) else held
        except Exception:  # a damaged pickle raises anything
            return None
        if held is None or not isinstance(stored, StoredFit):
            return None
        self._hold(key, held)
        return stored

    def _make(self, key: str, make: Callable[[], Any]) -> StoredFit:
        """Fit; where fits are shared, while nobody else does, and unless another has done it meanwhile."""
        if self.folder is None:
            return self._fit(key, make)
        lock = FileLock(self.folder / f"{key}.lock")
        try:
            lock.acquire(poll_interval=_SECONDS_BETWEEN_LOOKS)  # makes the folder
        except OSError:  # nothing can be shared here, such as on a machine without this folder
            return self._fit(key, make)
        try:
            stored = self._stored(key)
            if stored is None:
                stored = self._fit(key, make)
                if isinstance(pickled := self._held[key], bytes):
                    _write(self.folder / f"{key}.joblib", pickled)
        finally:
            lock.release()
        # Whoever still waits on this lock, or makes it anew, finds the fit.
        Path(lock.lock_file).unlink(missing_ok=True)
        return stored

    def _fit(self, key: str, make: Callable[[], Any]) -> StoredFit:
        start, cpu_start = time.perf_counter(), time.process_time()
        model = make()
        seconds, cpu_seconds = time.perf_counter() - start, time.process_time() - cpu_start
        stored = StoredFit(model, seconds, cpu_seconds, self._peak_megabytes())
        self._used.add(key)  # it is in the trial's own time
        try:
            self._hold(key, pickle.dumps(stored, pickle.HIGHEST_PROTOCOL))  # before anybody has its estimator
        except Exception:  # pickling raises anything
            self._hold(key, stored)
        return stored

    def _hold(self, key: str, pickled: bytes | StoredFit) -> None:
        self._held[key] = pickled
        self._held.move_to_end(key)
        sizes = {name: len(held) for name, held in self._held.items() if isinstance(held, bytes)}
        while len(self._held) > 1 and (len(self._held) > self.capacity or sum(sizes.values()) > _MOST):
            sizes.pop(self._held.popitem(last=False)[0], None)


def _read(path: Path) -> bytes | None:
    """The content of a file; None where there is none, or one that another user may have made.

    Unpickling can execute anything: in a folder that others may write to, they could have put it there.
    """
    try:
        state = path.lstat()
        ours = state.st_uid in (os.getuid(), 0) and not state.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
        return path.read_bytes() if stat.S_ISREG(state.st_mode) and ours else None
    except OSError:
        return None


def _write(path: Path, content: bytes) -> None:
    """Write a file whole or, as on a full disk, not at all; nobody else may change it."""
    partial = path.with_suffix(f".{os.getpid()}.partial")
    try:
        # Through no link that somebody else has put there, and writable by nobody else from its first moment on.
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(partial, flags, 0o644), "wb") as file:
            file.write(content)
        partial.replace(path)
    except OSError:
        with suppress(OSError):
            partial.unlink(missing_ok=True)
