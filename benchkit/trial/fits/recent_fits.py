"""Fits that a process has used of late; who changes a fitted estimator changes it for the present trial alone."""

from __future__ import annotations

import pickle
from collections import OrderedDict
from dataclasses import dataclass
from typing import Any

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
