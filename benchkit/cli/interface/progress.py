"""What a person watches while a suite runs: a live display on a terminal, plain lines elsewhere."""

import sys
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Group
from rich.live import Live
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.text import Text

from benchkit.document.terminal import Console
from benchkit.document.text import printable
from benchkit.plugin.spec import Run
from benchkit.session.listeners import CountingProgress

# A line is printed after so many seconds, or such a share of all so far.
_PLAIN_INTERVAL, _PLAIN_SHARE = 10.0, 0.05
WRITING = "writing the report"
_SILENT = 2.0  # seconds that planning takes without a word


class LiveProgress(CountingProgress):
    """Running trials with their elapsed time, and a bar: done, failed, left, expected end."""

    def __init__(self, console: Console, *, looks: bool = False) -> None:
        self._console, self._looks = console, looks
        self._planning = say_after_a_while()
        self._live = Live(console=console, refresh_per_second=4, transient=True)

    def started(self, run: Run, left: int) -> None:
        """Show the plan."""
        self._planning.cancel()
        super().started(run, left)
        reused = f", {len(run.reused)} already done" if run.reused else ""
        title = Text.assemble((run.title or run.suite, "bold"), f": {left} trials{reused}")
        self._console.print(title, highlight=False)
        self._bar = Progress(
            *(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn()),
            *(TextColumn("{task.fields[failed]}"), TimeElapsedColumn(), TextColumn("{task.fields[expected]}")),
            console=self._console,
        )
        self._task = self._bar.add_task(run.suite, total=left, failed="", expected="")
        if left:
            self._live.start()
            self._live.update(self._bar)

    def tick(self, running: Sequence[str]) -> None:
        """Show what runs."""
        super().tick(running)
        now = time.monotonic()
        lines = [
            Text(f"  {now - since:5.0f} s  {name}", style="dim", no_wrap=True, overflow="ellipsis")
            for name, since in self._since.items()
        ]
        self._bar.update(self._task, expected=self.expected())
        self._live.update(Group(*lines, self._bar))

    def finished(self, record: Mapping[str, Any]) -> None:
        """Advance the bar."""
        super().finished(record)
        failed = f"[red]{self.failed} failed[/red]" if self.failed else ""
        self._bar.update(self._task, completed=self.done, failed=failed)

    def ended(self) -> None:
        """Take the bar away: results follow."""
        self._live.stop()
        if not (self._looks and self.total):
            self._console.print(Text(WRITING, style="dim"))

    def warn(self, message: str) -> None:
        """Print a line above the display."""
        self._console.print(Text.assemble(("warning:", "yellow"), f" {message}"), highlight=False, soft_wrap=True)


class PlainProgress(CountingProgress):
    """A line when the run starts, one now and then, one per kind of failure."""

    def __init__(self, *, looks: bool = False) -> None:
        self._looks = looks
        self._began = self._last = time.monotonic()
        self._failures: set[str] = set()

    def started(self, run: Run, left: int) -> None:
        """Print the plan."""
        super().started(run, left)
        _print(f"{run.suite}: {left} trials to run, {len(run.reused)} already done")

    def tick(self, running: Sequence[str]) -> None:
        """Print where things stand, now and then: of a long run less often."""
        super().tick(running)
        now = time.monotonic()
        if now - self._last >= max(_PLAIN_INTERVAL, _PLAIN_SHARE * (now - self._began)):
            self._last = now
            _print(self.line())

    def finished(self, record: Mapping[str, Any]) -> None:
        """Print a failure, once of those for one reason, whose methods and data sets the report lists."""
        super().finished(record)
        failure = f"{record['error_type']}: {record['error']}"
        if record["error"] and record["status"] != "skipped" and failure not in self._failures:
            self._failures.add(failure)
            what = "metric failed" if record["status"] == "ok" else record["status"]
            _print(f"{what}: {record['algorithm']} on {record['dataset']}: {failure}")

    def ended(self) -> None:
        """Print that results follow."""
        if not (self._looks and self.total):
            _print(WRITING)

    def warn(self, message: str) -> None:
        """Print a warning."""
        _print(f"warning: {message}")


def _print(line: str) -> None:
    print(printable(line), file=sys.stderr, flush=True)


def say_after_a_while() -> threading.Timer:
    """Say on a terminal what planning does, if it is not cancelled before."""
    timer = threading.Timer(_SILENT, _print, ["planning: reading the data, and what was run before"])
    timer.daemon = True
    if sys.stderr.isatty():
        timer.start()
    return timer


def make_progress(*, looks: bool = False) -> LiveProgress | PlainProgress:
    """The display that fits standard error; of several looks, which run trials, only the last run writes a report."""
    console = Console(stderr=True)
    return LiveProgress(console, looks=looks) if console.is_terminal else PlainProgress(looks=looks)
