"""What a person watches while a suite runs: a live display on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from benchkit.document.terminal import Console
from benchkit.document.text import printable
from benchkit.plugin.spec import Run
from benchkit.session.progress import Progress as Watcher
from benchkit.session.progress import TimeLeft

_PLAIN_INTERVAL = 10.0
_PLAIN_WIDTH = 80


class _Counts:
    def __init__(self, run: Run | None = None, total: int = 0) -> None:
        self.total = total
        self.done = self.failed = 0
        self.time_left = None if run is None else TimeLeft(run)

    def add(self, record: Mapping[str, Any]) -> None:
        self.done += 1
        self.failed += record["status"] not in ("ok", "skipped")
        if self.time_left is not None:
            self.time_left.finished(record)

    def expected(self, running: Sequence[str]) -> str:
        if self.time_left is None:
            return ""
        self.time_left.tick(len(running))
        return str(self.time_left)


class LiveProgress(Watcher):
    """Running trials with their elapsed time, and a bar: done, failed, left, expected end."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._counts = _Counts()
        self._since: dict[str, float] = {}
        self._bar = self._new_bar()
        self._live = Live(console=console, refresh_per_second=4, transient=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._live.stop()

    def _new_bar(self) -> Progress:
        return Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[failed]}"),
            TimeElapsedColumn(),
            TextColumn("{task.fields[expected]}"),
            console=self._console,
        )

    def started(self, run: Run, left: int) -> None:
        """Show the plan."""
        self._counts, self._since = _Counts(run, left), {}
        reused = f", {len(run.reused)} already done" if run.reused else ""
        title = Text.assemble((run.title or run.suite, "bold"), f": {left} trials{reused}")
        self._console.print(title, highlight=False)
        self._bar = self._new_bar()
        self._task = self._bar.add_task(run.suite, total=left, failed="", expected="")
        if left:
            self._live.start()
            self._live.update(self._bar)

    def tick(self, running: Sequence[str]) -> None:
        """Show what runs."""
        now = time.monotonic()
        self._since = {name: self._since.get(name, now) for name in running}
        lines = [
            Text(f"  {now - since:5.0f} s  {name}", style="dim", no_wrap=True, overflow="ellipsis")
            for name, since in self._since.items()
        ]
        self._bar.update(self._task, expected=self._counts.expected(running))
        self._live.update(Group(*lines, self._bar))

    def finished(self, record: Mapping[str, Any]) -> None:
        """Advance the bar."""
        self._counts.add(record)
        failed = f"[red]{self._counts.failed} failed[/red]" if self._counts.failed else ""
        self._bar.update(self._task, completed=self._counts.done, failed=failed)

    def ended(self) -> None:
        """Take the bar away: results follow."""
        self._live.stop()

    def warn(self, message: str) -> None:
        """Print a line above the display."""
        self._console.print(Text.assemble(("warning:", "yellow"), f" {message}"), highlight=False, soft_wrap=True)


class PlainProgress(Watcher):
    """A line when the run starts, one every ten seconds, one per failure."""

    def __init__(self) -> None:
        self._counts = _Counts()
        self._last = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def started(self, run: Run, left: int) -> None:
        """Print the plan."""
        self._counts = _Counts(run, left)
        _print(f"{run.suite}: {left} trials to run, {len(run.reused)} already done")

    def tick(self, running: Sequence[str]) -> None:
        """Print where things stand, now and then."""
        now = time.monotonic()
        if now - self._last >= _PLAIN_INTERVAL:
            self._last = now
            counts = self._counts
            expected = f", {said}" if (said := counts.expected(running)) else ""
            _print(_with_names(f"{counts.done} of {counts.total} done, {counts.failed} failed{expected}", running))

    def finished(self, record: Mapping[str, Any]) -> None:
        """Print a failure."""
        self._counts.add(record)
        if record["status"] not in ("ok", "skipped"):
            name = f"{record['algorithm']} on {record['dataset']} #{record['repetition']}"
            _print(f"{record['status']}: {name}: {record['error_type']}: {record['error']}")

    def ended(self) -> None:
        """Results follow."""

    def warn(self, message: str) -> None:
        """Print a warning."""
        _print(f"warning: {message}")


def _with_names(said: str, running: Sequence[str]) -> str:
    """As many names of what runs as a line has room for, and how many trials more."""
    for shown in range(len(running), 0, -1):
        more = f" and {len(running) - shown} more" if shown < len(running) else ""
        line = f"{said}; running: {'; '.join(running[:shown])}{more}"
        if len(line) <= _PLAIN_WIDTH:
            return line
    return f"{said}; {len(running)} running" if running else said


def _print(line: str) -> None:
    print(printable(line), file=sys.stderr, flush=True)


def make_progress() -> LiveProgress | PlainProgress:
    """The display that fits standard error."""
    console = Console(stderr=True)
    return LiveProgress(console) if console.is_terminal else PlainProgress()
