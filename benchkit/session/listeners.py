"""Telling what watches a run, plugins, and what tracks it, what happens in it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pluggy

from benchkit.errors import RequestError
from benchkit.journal import is_written
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


def chosen_trackers(known: Registry, wanted: bool | str | Sequence[str]) -> list[Tracker]:
    """The trackers of these names, or an `UnknownNameError`; True stands for all."""
    if isinstance(wanted, bool):
        return list(known.trackers.values()) if wanted else []
    return [known.trackers[name] for name in dict.fromkeys([wanted] if isinstance(wanted, str) else wanted)]


def end_killed(chosen: Sequence[Tracker], out: Path, warn: Callable[[str], None], *, connects: bool) -> None:
    """Let trackers end what they show as running in an output folder though its process was killed.

    One that fails is named. ``connects`` says whether the command connects to them anyway.
    """

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


_HOOKS = ("benchkit_run_started", "benchkit_trial_finished", "benchkit_run_finished", "benchkit_run_stopped")


class Listeners:
    """Calls the hooks that listen, in pluggy's order; a listener that fails is named, and heard no more in this run.

    Each tracker makes something that listens in this run alone, through the same hooks as any plugin: the registry is
    shared with other runs of this process. One that cannot be made is named, and left out.
    """

    def __init__(self, registry: Registry, warn: Callable[[str], None], trackers: Sequence[Tracker] = ()) -> None:
        self._warn = warn
        self._silenced: set[str] = set()
        managers: list[tuple[str, pluggy.PluginManager]] = []
        for tracker in trackers:
            manager = pluggy.PluginManager(spec.PROJECT)
            manager.add_hookspecs(spec)
            with guarded(f"{of(tracker)}: make", warn):
                manager.register(tracker.make(warn=warn), name=of(tracker))
                managers.append(("{}", manager))
        managers.append(("plugin {!r}", registry.manager))
        self._listeners: dict[str, list[tuple[str, pluggy.HookImpl]]] = {
            hook: [
                (who.format(listener.plugin_name), listener)
                for who, manager in managers
                for listener in reversed(getattr(manager.hook, hook).get_hookimpls())  # pluggy calls the last one first
            ]
            for hook in _HOOKS
        }

    def call(self, hook: str, **arguments: Any) -> None:
        """Call a hook of every plugin that has it."""
        for who, listener in self._listeners[hook]:
            if who not in self._silenced:
                with guarded(f"{who}: {hook}", partial(self._silence, who)):
                    if listener.wrapper or listener.hookwrapper:
                        raise TypeError("a hook that listens has no result to wrap: leave out wrapper=True")
                    listener.function(*(arguments[name] for name in listener.argnames))

    def _silence(self, who: str, line: str) -> None:
        self._silenced.add(who)
        self._warn(line)
