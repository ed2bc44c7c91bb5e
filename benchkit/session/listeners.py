"""Telling plugins, and what tracks the run, what happens in it."""

from __future__ import annotations

import functools
import hashlib
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
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
    chosen = chosen_trackers(known, True if name is None else name)
    having = [tracker for tracker in chosen if tracker.serve is not None]
    if not having:
        raise RequestError(f"tracker {name!r} serves no dashboard" if name else "no tracker serves a dashboard")
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
        Whose they are, as `of` says it, to what listens in this run alone, through the same hooks as any plugin: the
        registry is shared with other runs of this process.
    """

    def __init__(self, registry: Registry, watch: Progress, trackers: Mapping[str, object] | None = None) -> None:
        self._watch = watch
        self._silenced: set[str] = set()
        self._manager = _manager()
        self._add(registry.manager, {name: f"plugin {name!r}" for name, _ in registry.manager.list_name_plugin()})
        for name, tracker in (trackers or {}).items():
            with guarded(f"{name}: its hooks", watch.warn):
                (own := _manager()).register(tracker, name=name)
                self._add(own, {name: name})

    def _add(self, manager: pluggy.PluginManager, names: Mapping[str, str]) -> None:
        """Register what listens of a manager's plugins, each under its name, called as who it is said to be."""
        listening: dict[str, dict[str, Any]] = {name: {} for name in names}
        for hook in _HOOKS:
            for listener in getattr(manager.hook, hook).get_hookimpls():
                name = listener.plugin_name
                listening[name][hook] = self._guarded(listener, name, f"{names[name]}: {hook}")
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

    def _guarded(self, listener: pluggy.HookImpl, name: str, who: str) -> Callable[..., Any]:
        """A listener that pluggy calls as it would call the plugin's, and whose failure is its own."""
        function = listener.function

        def silence(line: str) -> None:
            self._silenced.add(name)
            self._watch.warn(line)

        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            if name not in self._silenced:
                with guarded(who, silence):
                    return function(*arguments)

        @functools.wraps(function)
        def wrap(*arguments: Any) -> Generator[None, Any, Any]:
            if name not in self._silenced:
                with guarded(who, silence):
                    wrapper: Any = function(*arguments)
                    next(wrapper)
            if name in self._silenced:
                return (yield)
            result = yield
            with guarded(who, silence):
                try:
                    wrapper.send(result)
                except StopIteration as end:
                    return end.value
                raise RuntimeError("a wrapper yields once")
            return result

        return wrap if listener.wrapper or listener.hookwrapper else call


def _manager() -> pluggy.PluginManager:
    manager = pluggy.PluginManager(spec.PROJECT)
    manager.add_hookspecs(spec)
    return manager
