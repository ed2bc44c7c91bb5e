"""What watches a run: every method is called in the parent process. A notebook shows one line that is written anew."""

from __future__ import annotations

import sys
import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any

from benchkit.plugin.spec import Run


class Progress:
    """Watches a run; every method is called in the parent process. A subclass writes those that it needs."""

    def started(self, run: Run, left: int) -> None:
        """The plan is known: how many trials are left after reuse."""

    def tick(self, running: Sequence[str]) -> None:
        """Called at least twice a second with the names of the running trials."""

    def finished(self, record: Mapping[str, Any]) -> None:
        """A trial ended; ``ready_seconds`` are those that its worker took to import and compile before."""

    def ended(self) -> None:
        """No trial of this run is left, or it was interrupted; its report follows."""

    def warn(self, message: str) -> None:
        """Something went wrong that does not stop the run: a Python warning, unless a subclass shows it."""
        warnings.warn(message, stacklevel=2)


class Silent(Progress):
    """Watches nothing; warnings become Python warnings."""


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
        self._left: Counter[tuple[str, str]] = Counter(
            (fields["dataset"], fields["algorithm"]) for trial, fields in run.planned.items() if trial not in done
        )
        self._took: dict[tuple[str, str], list[float]] = defaultdict(list)
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


_INTERVAL = 0.5  # seconds between two updates: each is a message to the browser


def default_progress() -> Progress:
    """What watches a run that `benchkit.run` was not given a watcher for: a line in a notebook, elsewhere nothing."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    # A terminal, IPython's included, has no kernel.
    return NotebookProgress() if hasattr(shell, "kernel") else Silent()


class NotebookProgress(Progress):
    """One line: how many trials have ended, how many of them not ok, how long it may still take, what runs."""

    def started(self, run: Run, left: int) -> None:
        """Show the plan."""
        from IPython.display import display

        self._title, self._total, self._done, self._failed = run.title or run.suite, left, 0, 0
        self._started, self._last = time.monotonic(), 0.0
        self._time_left = TimeLeft(run)
        reused = f", {len(run.reused)} already done" if run.reused else ""
        line = _Line(f"{self._title}: {left} trials{reused}")
        self._handle: Any = display(line, display_id=True)  # type: ignore[no-untyped-call,unused-ignore]

    def tick(self, running: Sequence[str]) -> None:
        """Write the line anew, twice a second at most."""
        if time.monotonic() - self._last < _INTERVAL:
            return
        self._last = time.monotonic()
        self._time_left.tick(len(running))
        more = f" and {len(running) - 1} more" if len(running) > 1 else ""
        parts = [str(self._time_left), f"; running: {running[0]}{more}" if running else ""]
        self._show(self._counts() + (f", {parts[0]}" if parts[0] else "") + parts[1])

    def finished(self, record: Mapping[str, Any]) -> None:
        """Count."""
        self._done += 1
        self._failed += record["status"] not in ("ok", "skipped")
        self._time_left.finished(record)

    def ended(self) -> None:
        """Leave what became of it."""
        self._show(f"{self._counts()} in {time.monotonic() - self._started:.1f} s")

    def _counts(self) -> str:
        failed = f", {self._failed} did not end ok" if self._failed else ""
        return f"{self._title}: {self._done} of {self._total} trials{failed}"

    def _show(self, text: str) -> None:
        self._handle.update(_Line(text))


class _Line(str):
    """Text that a notebook shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
