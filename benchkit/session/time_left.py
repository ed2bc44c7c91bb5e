"""How long a run may still take, from what its trials took so far."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Any

from benchkit.plugin.spec import Run

Key = tuple[str, str]
"""Dataset and algorithm: their trials take alike."""

GETTING_READY = "getting ready: imports, compiles"
_READY = 180.0  # seconds that imports and compiling take at most, also on a busy machine


class TimeLeft:
    """Weighs the trials that are left by what those of the same dataset and algorithm took.

    Nothing is said before each method that is left has ended a trial: a rate of the quick ones says nothing of the slow
    ones. What workers took to import and compile counts neither in the rate nor in what is left.

    Parameters
    ----------
    run : Run
    clock : callable, default=time.monotonic
    """

    def __init__(self, run: Run, clock: Callable[[], float] = time.monotonic) -> None:
        done = {row["trial"] for row in run.reused}
        self._left: Counter[Key] = Counter(
            (fields["dataset"], fields["algorithm"]) for trial, fields in run.planned.items() if trial not in done
        )
        self._took: dict[Key, list[float]] = defaultdict(list)
        self._ready = 0.0
        self._workers = 1
        self._clock = clock
        self._started = clock()

    def tick(self, running: int) -> None:
        """Note how many trials run at once."""
        self._workers = max(self._workers, running)

    def finished(self, record: Mapping[str, Any]) -> None:
        """Note what a trial took."""
        key = record["dataset"], record["algorithm"]
        self._took[key].append(record.get("cpu_seconds") or 0.0)
        self._ready += record.get("ready_seconds") or 0.0
        self._left[key] -= self._left[key] > 0

    @property
    def seconds(self) -> float | None:
        """Seconds that the rest may take; None where that is not known yet."""
        took = [seconds for each in self._took.values() for seconds in each]
        of_method: dict[str, list[float]] = defaultdict(list)
        for (_, algorithm), each in self._took.items():
            of_method[algorithm] += each
        waiting = {key: count for key, count in self._left.items() if count}
        if not took or any(algorithm not in of_method for _, algorithm in waiting):
            return None
        left = sum(count * fmean(self._took.get(key) or of_method[key[1]]) for key, count in waiting.items())
        elapsed = max(0.0, self._clock() - self._started - self._ready / self._workers)
        # Trials that share a fit each tell of its seconds: what was done and what is left are counted alike.
        return elapsed * left / spent if (spent := sum(took)) > 0 else 0.0

    def __str__(self) -> str:
        if not self._took:
            elapsed = self._clock() - self._started
            return GETTING_READY if elapsed < _READY else f"the first take {elapsed / 60:.0f} min so far"
        return "" if (seconds := self.seconds) is None else f"about {seconds:.0f} s left"
