"""What a notebook shows while a suite runs: one line of text that is written anew."""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Mapping, Sequence
from typing import Any

from benchkit.plugin.spec import Run
from benchkit.session.progress import Progress, Silent
from benchkit.session.time_left import TimeLeft

_INTERVAL = 0.5  # seconds between two updates: each is a message to the browser


def in_notebook() -> bool:
    """Whether this is the kernel of a notebook; a terminal, IPython's included, is none."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and hasattr(shell, "kernel")


def default_progress() -> Progress:
    """What watches a run that `benchkit.run` was not given a watcher for: a line in a notebook, elsewhere nothing."""
    return NotebookProgress() if in_notebook() else Silent()


class NotebookProgress:
    """One line: how many trials have ended, how many of them not ok, how long it may still take, what runs."""

    def __init__(self) -> None:
        self._handle: Any = None
        self._title, self._total, self._done, self._failed = "", 0, 0, 0
        self._started = self._last = time.monotonic()
        self._time_left: TimeLeft | None = None

    def started(self, run: Run, left: int) -> None:
        """Show the plan."""
        from IPython.display import display

        self._title, self._total, self._done, self._failed = run.title or run.suite, left, 0, 0
        self._started = time.monotonic()
        self._last = 0.0
        self._time_left = TimeLeft(run)
        reused = f", {len(run.reused)} already done" if run.reused else ""
        self._handle = display(_Line(f"{self._title}: {left} trials{reused}"), display_id=True)  # type: ignore[no-untyped-call,unused-ignore]

    def tick(self, running: Sequence[str]) -> None:
        """Write the line anew, twice a second at most."""
        now = time.monotonic()
        if now - self._last < _INTERVAL or self._handle is None or self._time_left is None:
            return
        self._last = now
        self._time_left.tick(len(running))
        expected = f", {said}" if (said := str(self._time_left)) else ""
        runs = (
            f"; running: {running[0]}" + (f" and {len(running) - 1} more" if len(running) > 1 else "")
            if running
            else ""
        )
        self._show(f"{self._counts()}{expected}{runs}")

    def finished(self, record: Mapping[str, Any]) -> None:
        """Count."""
        self._done += 1
        self._failed += record["status"] not in ("ok", "skipped")
        if self._time_left is not None:
            self._time_left.finished(record)

    def ended(self) -> None:
        """Leave what became of it."""
        self._show(f"{self._counts()} in {time.monotonic() - self._started:.1f} s")

    def warn(self, message: str) -> None:
        """Warn."""
        warnings.warn(message, stacklevel=2)

    def _counts(self) -> str:
        failed = f", {self._failed} did not end ok" if self._failed else ""
        return f"{self._title}: {self._done} of {self._total} trials{failed}"

    def _show(self, text: str) -> None:
        if self._handle is not None:
            self._handle.update(_Line(text))


class _Line(str):
    """Text that a notebook shows without quotes."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)
