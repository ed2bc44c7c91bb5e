"""Telling plugins, and what tracks the run, what happens in it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pluggy

from benchkit.plugin import spec
from benchkit.plugin.guard import guarded
from benchkit.plugin.manager import Registry
from benchkit.session.progress import Progress

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
