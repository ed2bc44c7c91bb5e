"""Telling plugins, and what tracks the run, what happens in it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pluggy

from benchkit.plugin import spec
from benchkit.plugin.manager import Registry, one_line
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
        Names to what listens in this run alone, through the same hooks as any plugin.
    """

    def __init__(self, registry: Registry, watch: Progress, trackers: Mapping[str, object] | None = None) -> None:
        self._watch = watch
        self._silenced: set[str] = set()
        self._manager = pluggy.PluginManager(spec.PROJECT)
        self._manager.add_hookspecs(spec)
        listening: dict[str, dict[str, Any]] = {}
        for manager in (registry.manager, *_managers_of(trackers or {}, watch)):
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

    def listen_to(self, hook: str) -> bool:
        """Whether any plugin has a hook."""
        caller: pluggy.HookCaller = getattr(self._manager.hook, hook)
        return bool(caller.get_hookimpls())

    def _guarded(self, hook: str, listener: pluggy.HookImpl) -> Callable[..., Any]:
        """A listener that pluggy calls as it would call the plugin's, and whose failure is its own."""
        name, function = listener.plugin_name, listener.function

        @functools.wraps(function)
        def call(*arguments: Any) -> Any:
            if name in self._silenced:
                return None
            try:
                return function(*arguments)
            except (Exception, SystemExit) as error:
                return self._silence(name, hook, error)

        @functools.wraps(function)
        def wrap(*arguments: Any) -> Generator[None, Any, Any]:
            if name in self._silenced:
                return (yield)
            wrapper: Any = function(*arguments)
            try:
                next(wrapper)
            except (Exception, SystemExit) as error:
                self._silence(name, hook, error)
                return (yield)
            result = yield
            try:
                wrapper.send(result)
            except StopIteration as end:
                return end.value
            except (Exception, SystemExit) as error:
                self._silence(name, hook, error)
            else:
                self._silence(name, hook, RuntimeError("a wrapper yields once"))
            return result

        return wrap if listener.wrapper or listener.hookwrapper else call

    def _silence(self, name: str, hook: str, error: BaseException) -> None:
        self._silenced.add(name)
        self._watch.warn(f"plugin {name!r}: {hook} failed: {one_line(error)}")


def _managers_of(trackers: Mapping[str, object], watch: Progress) -> Iterator[pluggy.PluginManager]:
    """What tracks a run listens in that run alone: the registry is shared with other runs of this process."""
    for name, tracker in trackers.items():
        manager = pluggy.PluginManager(spec.PROJECT)
        manager.add_hookspecs(spec)
        try:
            manager.register(tracker, name=f"{name}-tracking")
        except pluggy.PluginValidationError as error:
            watch.warn(f"tracker {name!r} cannot be used: {one_line(error)}")
        else:
            yield manager
