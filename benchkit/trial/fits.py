"""Fits that trials share: kept in this process, and in files beside the journal; what they warn of."""

from __future__ import annotations

import hashlib
import os
import pickle
import stat
import time
import warnings
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import joblib
from filelock import FileLock

MOST_CLASSES = 10
"""Classes that a record names; the rest are counted together."""
OTHER = "other"


class Watched(NamedTuple):
    """What a call returned, and how many warnings of each class it raised."""

    value: Any
    warned: Mapping[str, int]


def watch(call: Callable[[], Any]) -> Watched:
    """Call, counting every warning by the name of its class; the first of each class is also shown as usual.

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
        value = call()
    return Watched(value, dict(counts))


def bounded(counts: Mapping[str, int]) -> dict[str, int]:
    """The most frequent classes, and the rest as `OTHER`."""
    ordered = Counter(counts).most_common()
    rest = sum(count for _, count in ordered[MOST_CLASSES:])
    return dict(ordered[:MOST_CLASSES]) | ({OTHER: rest} if rest else {})


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


# Bytes of pickled fits that are held; the latest is held whatever its size.
_MOST = 256 * 2**20


@dataclass(frozen=True)
class StoredFit:
    """A fitted estimator and what its fit took, wherever it was done.

    Attributes
    ----------
    model : object
    seconds, cpu_seconds : float
        Wall and processor time of the fit.
    peak_mb : float or None
        The most memory that the process held by the end of the fit.
    """

    model: Any
    seconds: float
    cpu_seconds: float
    peak_mb: float | None


class RecentFits:
    """Fits by key, the least recently used of them forgotten.

    They are held as bytes: an adversary or a metric may change an estimator, and the next trial gets it as it was
    fitted. What cannot be pickled is held as it is, and no other process gets it either.

    Parameters
    ----------
    capacity : int
    """

    def __init__(self, capacity: int) -> None:
        self.capacity = capacity
        self._pickled: OrderedDict[str, bytes | StoredFit] = OrderedDict()
        self._of_this_trial: OrderedDict[str, StoredFit] = OrderedDict()

    def __len__(self) -> int:
        return len(self._pickled)

    def begin_trial(self) -> None:
        """Leave the estimators to the trial that had them."""
        self._of_this_trial.clear()

    def get(self, key: str) -> StoredFit | None:
        """The fit, the same object within a trial; None where it is not there."""
        stored = self._of_this_trial.get(key)
        if stored is None and (pickled := self._pickled.get(key)) is not None:
            stored = pickle.loads(pickled) if isinstance(pickled, bytes) else pickled
            self._remember(key, stored)
        if key in self._pickled:
            self._pickled.move_to_end(key)
        return stored

    def add(self, key: str, stored: StoredFit) -> None:
        """Hold a fit; to be called before anybody has its estimator."""
        try:
            self._pickled[key] = pickle.dumps(stored, protocol=pickle.HIGHEST_PROTOCOL)
        except Exception:  # pickling raises anything
            self._pickled[key] = stored
        while len(self._pickled) > 1 and (len(self._pickled) > self.capacity or self._bytes() > _MOST):
            self._pickled.popitem(last=False)
        self._remember(key, stored)

    def _remember(self, key: str, stored: StoredFit) -> None:
        self._of_this_trial[key] = stored
        if len(self._of_this_trial) > self.capacity:
            self._of_this_trial.popitem(last=False)

    def _bytes(self) -> int:
        return sum(len(pickled) for pickled in self._pickled.values() if isinstance(pickled, bytes))
