"""Telling plugins, and what tracks the run, what happens in it."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pluggy

from benchkit.errors import RequestError
from benchkit.journal import is_written
from benchkit.plugin import spec
from benchkit.plugin.declarations import Tracker
from benchkit.plugin.guard import guarded, of
from benchkit.plugin.manager import Registry
from benchkit.session.progress import Progress

_LOGGED = ".logged"  # of a suite's folder: for each run that a tracker has heard to its end, its name and the trials


def chosen_trackers(known: Registry, wanted: bool | str | Sequence[str]) -> list[Tracker]:
    """The trackers of these names; True stands for all.

    Raises
    ------
    UnknownNameError
    """
    if isinstance(wanted, bool):
        return list(known.trackers.values()) if wanted else []
    return [known.trackers[name] for name in dict.fromkeys([wanted] if isinstance(wanted, str) else wanted)]


def make_trackers(chosen: Sequence[Tracker], warn: Callable[[str], None]) -> dict[str, object]:
    """What listens to a run, by whose it is; one that cannot be made is said, and left out."""
    made = {}
    for tracker in chosen:
        with guarded(f"{of(tracker)}: make", warn):
            made[of(tracker)] = tracker.make(warn=warn)
    return made


def is_logged(folder: Path, tracker: Tracker, trials: Iterable[str]) -> bool:
    """Whether a tracker has heard a run of exactly these trials to its end, in this suite's folder."""
    try:
        return _line(tracker, trials) in (folder / _LOGGED).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return False


def note_logged(folder: Path, tracker: Tracker, trials: Iterable[str]) -> None:
    """Note that a tracker has heard a run of these trials to its end."""
    if not is_logged(folder, tracker, trials):
        with suppress(OSError), (folder / _LOGGED).open("a", encoding="utf-8") as file:  # it is logged again then
            file.write(f"{_line(tracker, trials)}\n")


def _line(tracker: Tracker, trials: Iterable[str]) -> str:
    return f"{tracker.name} {hashlib.sha256(' '.join(sorted(trials)).encode()).hexdigest()}"


def end_killed(chosen: Sequence[Tracker], out: Path, warn: Callable[[str], None], *, connects: bool) -> None:
    """Let trackers end what they show as running though its process was killed; one that fails is named.

    Parameters
    ----------
    chosen : sequence of Tracker
    out : Path
        Output folder.
    warn : callable
    connects : bool
        Whether the command connects to them anyway.
    """

    def was_killed(suite: str, run: str) -> bool:
        return is_written(out, suite, run) is False

    for tracker in chosen:
        if tracker.end_killed is not None:
            with guarded(f"{of(tracker)}: end_killed", warn):
                tracker.end_killed(out=out, was_killed=was_killed, connects=connects, warn=warn)


def tracker_with_pages(known: Registry, name: str | None) -> Tracker:
    """The tracker whose dashboard is opened: the named one, or the only one that has one.

    Raises
    ------
    RequestError
        There is none, or there are several and none is named.
    """
    having = [
        tracker for tracker in chosen_trackers(known, True if name is None else name) if tracker.serve is not None
    ]
    if name is not None and not having:
        raise RequestError(f"tracker {name!r} serves no dashboard")
    if not having:
        raise RequestError("no tracker is installed that serves a dashboard")
    if len(having) > 1:
        raise RequestError(f"--tracker NAME: name one of {', '.join(tracker.name for tracker in having)}")
    return having[0]


_HOOKS = ("benchkit_run_started", "benchkit_trial_finished", "benchkit_run_finished", "benchkit_run_stopped")


class Listeners:
    """Calls the hooks that listen, in pluggy's order; a listener that fails is named, and heard no more in this run.

    Parameters
    ----------
    registry : Registry
    watch : Progress
        Is told of failures.
    trackers : mapping, optional
        Whose they are, as `of` says it, to what listens in this run alone, through the same hooks as any plugin.
    """

    def __init__(self, registry: Registry, watch: Progress, trackers: Mapping[str, object] | None = None) -> None:
        self._watch, self._trackers = watch, trackers or {}
        self._silenced: set[str] = set()
        self._manager = pluggy.PluginManager(spec.PROJECT)
        self._manager.add_hookspecs(spec)
        listening: dict[str, dict[str, Any]] = {}
        for manager in (registry.manager, *_managers_of(self._trackers, watch)):
            listening |= {name: {} for name, _ in manager.list_name_plugin()}
            for hook in _HOOKS:
                for listener in getattr(manager.hook, hook).get_hookimpls():
                    listening[listener.plugin_name][hook] = self._guarded(hook, listener)
        for name, hooks in listening.items():
            if hooks:
                self._manager.register(SimpleNamespace(**hooks), name=name)

    def call(self, hook: str, **arguments: Any) -> None:
        """Call a hook of every plugin that has it."""
        caller: pluggy.HookCaller = getattr(self._manager.hook, hook)
        caller(**arguments)

    def heard_all(self, tracker: str) -> bool:
        """Whether a tracker listens, and has failed at nothing yet."""
        return self._manager.has_plugin(tracker) and tracker not in self._silenced

    def listen_to(self, hook: str) -> bool:
        """Whether any plugin has a hook."""
        caller: pluggy.HookCaller = getattr(self._manager.hook, hook)
        return bool(caller.get_hookimpls())

    def _guarded(self, hook: str, listener: pluggy.HookImpl) -> Callable[..., Any]:
        """A listener that pluggy calls as it would call the plugin's, and whose failure is its own."""
        name, function = listener.plugin_name, listener.function

        def silence(line: str) -> None:
            self._silenced.add(name)
            self._watch.warn(line)

        who = name if name in self._trackers else f"plugin {name!r}"
        guard = functools.partial(guarded, f"{who}: {hook}", silence)

        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            if name not in self._silenced:
                with guard():
                    return function(*arguments)

        @functools.wraps(function)
        def wrap(*arguments: Any) -> Generator[None, Any, Any]:
            if name not in self._silenced:
                with guard():
                    wrapper: Any = function(*arguments)
                    next(wrapper)
            if name in self._silenced:
                return (yield)
            result = yield
            with guard():
                try:
                    wrapper.send(result)
                except StopIteration as end:
                    return end.value
                raise RuntimeError("a wrapper yields once")
            return result

        return wrap if listener.wrapper or listener.hookwrapper else call


def _managers_of(trackers: Mapping[str, object], watch: Progress) -> Iterator[pluggy.PluginManager]:
    """What tracks a run listens in that run alone: the registry is shared with other runs of this process."""
    for name, tracker in trackers.items():
        manager = pluggy.PluginManager(spec.PROJECT)
        manager.add_hookspecs(spec)
        with guarded(f"{name}: its hooks", watch.warn):
            manager.register(tracker, name=name)
        yield manager  # with no hooks where they cannot be used
