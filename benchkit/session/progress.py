"""How long trials may take; a watcher that counts them, and the line that a notebook shows."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from benchkit.plugin.spec import Run
from benchkit.session.listeners import Progress

Kind = tuple[str, str]
"""Labels of a trial's data set and algorithm."""


def expected_seconds(left: Mapping[Kind, int], took: Mapping[Kind, Sequence[float]]) -> float | None:
    """What so many trials of each kind may take; None where nothing is known.

    Each is expected to take what those of its kind took on average; failing that, those of its algorithm; failing
    that, any.
    """
    seconds: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for (dataset, algorithm), values in took.items():
        for key in ((dataset, algorithm), (algorithm,), ()):
            seconds[key] += values
    if not seconds:
        return None
    means = {key: fmean(values) for key, values in seconds.items()}
    return sum(count * next(means[key] for key in (kind, kind[1:], ()) if key in means) for kind, count in left.items())


class CountingProgress(Progress):
    """Counts what ended and failed, and weighs the trials that are left by what those of the same kind took."""

    total = done = failed = 0

    def started(self, run: Run, left: int) -> None:
        """Begin to count."""
        self.total, self.done, self.failed = left, 0, 0
        reused = {row["trial"] for row in run.reused}
        waiting = (fields for trial, fields in run.planned.items() if trial not in reused)
        self._left = Counter((fields["dataset"], fields["algorithm"]) for fields in waiting)
        self._took: dict[Kind, list[float]] = defaultdict(list)
        self._workers = 1

    def finished(self, record: Mapping[str, Any]) -> None:
        """Count a trial, and note what it took."""
        self.done += 1
        self.failed += record["status"] not in ("ok", "skipped")
        kind = record["dataset"], record["algorithm"]
        self._took[kind].append(record.get("cpu_seconds") or 0.0)
        self._left[kind] -= self._left[kind] > 0

    def seconds_left(self, running: int) -> float | None:
        """Seconds that the rest may take where so many trials run at once.

        None before each method that is left has ended a trial: a rate of quick ones says nothing of slow ones.
        """
        self._workers = max(self._workers, running)
        waiting = +self._left
        if {algorithm for _, algorithm in waiting} - {algorithm for _, algorithm in self._took}:
            return None
        seconds = expected_seconds(waiting, self._took)
        return None if seconds is None else seconds / self._workers

    def expected(self, running: Sequence[str]) -> str:
        """The forecast in words; empty where there is none yet."""
        if not self.done:
            return "getting ready: imports, compiles"
        seconds = self.seconds_left(len(running))
        return "" if seconds is None else f"about {seconds:.0f} s left"


_INTERVAL = 0.5  # seconds between two updates: each is a message to the browser


class NotebookProgress(CountingProgress):
    """One line: how many trials have ended, how many of them not ok, how long it may still take, what runs."""

    def started(self, run: Run, left: int) -> None:
        """Show the plan."""
        from IPython.display import display

        super().started(run, left)
        self._title = run.title or run.suite
        self._began, self._last = time.monotonic(), 0.0
        reused = f", {len(run.reused)} already done" if run.reused else ""
        line = {"text/plain": f"{self._title}: {left} trials{reused}"}
        self._handle: Any = display(line, raw=True, display_id=True)  # type: ignore[no-untyped-call,unused-ignore]

    def tick(self, running: Sequence[str]) -> None:
        """Write the line anew, twice a second at most."""
        if time.monotonic() - self._last >= _INTERVAL:
            self._last = time.monotonic()
            time_left = f", {text}" if (text := self.expected(running)) else ""
            more = f" and {len(running) - 1} more" if len(running) > 1 else ""
            self._show(time_left + (f"; running: {running[0]}{more}" if running else ""))

    def ended(self) -> None:
        """Leave what became of it."""
        self._show(f" in {time.monotonic() - self._began:.1f} s")

    def _show(self, end: str) -> None:
        failed = f", {self.failed} did not end ok" if self.failed else ""
        line = f"{self._title}: {self.done} of {self.total} trials{failed}{end}"
        self._handle.update({"text/plain": line}, raw=True)
