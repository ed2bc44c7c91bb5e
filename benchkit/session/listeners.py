"""Telling what watches a run, plugins, and what tracks it, what happens in it."""

import time
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

import pluggy

from benchkit.document.text import duration
from benchkit.errors import RequestError
from benchkit.journal.store import is_written
from benchkit.plugin import spec
from benchkit.plugin.declarations import Tracker
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry
from benchkit.plugin.spec import Run


class Progress:
    """Watches a run; every method is called in the parent process. A subclass writes those that it needs."""

    def started(self, run: Run, left: int) -> None:
        """The plan is known: how many trials are left after reuse."""

    def tick(self, running: Sequence[str]) -> None:
        """Called at least twice a second with the names of the running trials."""

    def finished(self, record: Mapping[str, Any]) -> None:
        """A trial ended."""

    def ended(self) -> None:
        """No trial of this run is left, or it was interrupted; its report follows."""

    def warn(self, message: str) -> None:
        """Something went wrong that does not stop the run: a Python warning, unless a subclass shows it."""
        warnings.warn(message, stacklevel=2)


Kind = tuple[str, ...]  # of a trial, what tells how long it takes; last the labels of its data set and algorithm


def expected_seconds(left: Mapping[Kind, int], took: Mapping[Kind, Sequence[float]]) -> float | None:
    """What trials may take: what those of their kind took on average, or else of their algorithm, or else any."""
    seconds: dict[Kind, list[float]] = defaultdict(list)
    for kind, values in took.items():
        for start in range(len(kind) + 1):
            seconds[kind[start:]] += values
    if not seconds:
        return None
    means = {key: fmean(values) for key, values in seconds.items()}
    return sum(
        n * next(means[kind[at:]] for at in range(len(kind) + 1) if kind[at:] in means) for kind, n in left.items()
    )


class CountingProgress(Progress):
    """Counts what ended and failed, and weighs the trials that are left by what those of the same kind took.

    The first trial of a method on the rows of a repetition fits, and others use that fit: they are of two kinds.
    """

    total = done = failed = 0

    def started(self, run: Run, left: int) -> None:
        """Begin to count."""
        self.total, self.done, self.failed, self._workers = left, 0, 0, 1
        self._since: dict[str, float] = {}  # when each running trial was seen first
        self._first, self._spent = 0.0, 0.0  # when the first trial had ended, and processor time of those after it
        self._fits: set[Any] = set()
        self._took: dict[Kind, list[float]] = defaultdict(list)
        for row in run.reused:
            self._took[self._kind(row, self._fits)].append(row.get("cpu_seconds") or 0.0)
        reused, fits = {row["trial"] for row in run.reused}, set(self._fits)
        waiting = (fields for trial, fields in run.planned.items() if trial not in reused)
        self._left = Counter(self._kind(fields, fits) for fields in waiting)

    @staticmethod
    def _kind(fields: Mapping[str, Any], fits: set[Any]) -> Kind:
        fit = fields["dataset"], fields["algorithm"], fields.get("repetition")
        kind = "uses a fit" if fit in fits else "fits", *fit[:2]
        fits.add(fit)
        return kind

    def tick(self, running: Sequence[str]) -> None:
        """Note since when each trial runs."""
        now = time.monotonic()
        self._since = {name: self._since.get(name, now) for name in running}
        self._workers = max(self._workers, len(running))

    def finished(self, record: Mapping[str, Any]) -> None:
        """Count a trial, and note what it took."""
        self.done += 1
        self.failed += record["status"] not in ("ok", "skipped")
        kind, seconds = self._kind(record, self._fits), record.get("cpu_seconds") or 0.0
        self._spent += seconds if self._first else 0.0
        self._first = self._first or time.monotonic()
        self._took[kind].append(seconds)
        self._left[kind] -= self._left[kind] > 0

    def expected(self) -> str:
        """The forecast in words, which is a guess where a method, or a data set, has ended no trial."""
        if not self.done:
            return "getting ready: imports, compiles"
        waiting, (_, datasets, algorithms) = +self._left, map(set, zip(*self._took, strict=True))
        known = all(dataset in datasets and algorithm in algorithms for _, dataset, algorithm in waiting)
        seconds = (expected_seconds(waiting, self._took) or 0.0) / self._workers
        if self._spent:  # between trials, and beside other programs, time passes, too
            seconds *= max(1.0, (time.monotonic() - self._first) * self._workers / self._spent)
        return f"{'about' if known else 'perhaps'} {duration(seconds)} left"

    def line(self) -> str:
        """What has ended, what is expected, and which trial has run for the longest time."""
        parts = [f"{self.done} of {self.total}", f"{self.failed} failed" if self.failed else "", self.expected()]
        if self._since:
            name, since = min(self._since.items(), key=lambda item: item[1])
            minutes, seconds = divmod(int(time.monotonic() - since), 60)
            more = f" (and {len(self._since) - 1} more)" if len(self._since) > 1 else ""
            parts.append(f"now: {name.partition(', ')[0]}, {minutes}:{seconds:02} so far{more}")
        return ", ".join(filter(None, parts))


class NotebookProgress(CountingProgress):
    """One line: how many trials have ended, how many of them not ok, how long it may still take, what runs."""

    def started(self, run: Run, left: int) -> None:
        """Show the plan."""
        from IPython.display import display

        super().started(run, left)
        self._title, self._began, self._last = run.title or run.suite, time.monotonic(), 0.0
        reused = f", {len(run.reused)} already done" if run.reused else ""
        line = {"text/plain": f"{self._title}: {left} trials{reused}"}
        self._handle: Any = display(line, raw=True, display_id=True)  # type: ignore[no-untyped-call,unused-ignore]

    def tick(self, running: Sequence[str]) -> None:
        """Write the line anew, twice a second at most."""
        super().tick(running)
        if time.monotonic() - self._last >= 0.5:  # each is a message to the browser
            self._last = time.monotonic()
            self._show(self.line())

    def ended(self) -> None:
        """Leave what became of it."""
        failed = f", {self.failed} did not end ok" if self.failed else ""
        self._show(f"{self.done} of {self.total} trials{failed} in {time.monotonic() - self._began:.1f} s")

    def _show(self, line: str) -> None:
        self._handle.update({"text/plain": f"{self._title}: {line}"}, raw=True)


def chosen_trackers(known: Registry, wanted: bool | str | Sequence[str]) -> list[Tracker]:
    """The trackers of these names, or an `UnknownNameError`; True stands for all."""
    if isinstance(wanted, bool):
        return list(known.trackers.values()) if wanted else []
    return [known.trackers[name] for name in dict.fromkeys([wanted] if isinstance(wanted, str) else wanted)]


def end_killed(chosen: Sequence[Tracker], out: Path, warn: Callable[[str], None], *, connects: bool) -> None:
    """Let trackers, to which a command perhaps connects anyway, end what they show as running though it was killed."""

    def was_killed(suite: str, run: str) -> bool:
        return is_written(out, suite, run) is False

    for tracker in chosen:
        if tracker.end_killed is not None:
            with guarded(f"{of(tracker)}: end_killed", warn):
                tracker.end_killed(out=out, was_killed=was_killed, connects=connects, warn=warn)


def tracker_with_pages(known: Registry, name: str | None) -> Tracker:
    """The tracker whose dashboard is opened: the named one, or the only one that has one."""
    having = [each for each in chosen_trackers(known, True if name is None else name) if each.serve is not None]
    if not having:
        raise RequestError(f"tracker {name!r} serves no dashboard" if name else "no tracker serves a dashboard")
    if len(having) > 1:
        raise RequestError(f"--tracker NAME: name one of {', '.join(tracker.name for tracker in having)}")
    return having[0]


class Listeners:
    """Calls the hooks that listen, in pluggy's order; a listener that fails is named, and heard no more in this run.

    Each tracker makes something that listens in this run alone, through the same hooks as any plugin: the registry is
    shared with other runs of this process. One that cannot be made is named, and left out.
    """

    def __init__(self, registry: Registry, warn: Callable[[str], None], trackers: Sequence[Tracker] = ()) -> None:
        self._warn = warn
        self._silenced: set[str] = set()
        self._managers: list[tuple[str, pluggy.PluginManager]] = []
        for tracker in trackers:
            manager = pluggy.PluginManager(spec.PROJECT)
            manager.add_hookspecs(spec)
            with guarded(f"{of(tracker)}: make", warn):
                manager.register(tracker.make(warn=warn), name=of(tracker))
                self._managers.append(("{}", manager))
        self._managers.append(("plugin {!r}", registry.manager))

    def call(self, hook: str, **arguments: Any) -> None:
        """Call a hook of every plugin that has it."""
        for name, manager in self._managers:
            for listener in reversed(getattr(manager.hook, hook).get_hookimpls()):  # pluggy calls the last one first
                who = name.format(listener.plugin_name)
                if who not in self._silenced:
                    with guarded(f"{who}: {hook}", partial(self._silence, who)):
                        if listener.wrapper or listener.hookwrapper:
                            raise TypeError("a hook that listens has no result to wrap: leave out wrapper=True")
                        listener.function(*(arguments[argument] for argument in listener.argnames))

    def _silence(self, who: str, line: str) -> None:
        self._silenced.add(who)
        self._warn(line)
