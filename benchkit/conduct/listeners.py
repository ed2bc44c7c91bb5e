"""Telling plugins, and MLflow, what happens in a run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from benchkit.conduct.watch import Progress
from benchkit.plugin.manager import Registry, one_line


class Listeners:
    """Calls the hooks that listen; a listener that fails is named, and heard no more in this run."""

    def __init__(self, found: Registry, watch: Progress) -> None:
        self._manager, self._watch = found.manager, watch
        self._silenced: set[str] = set()

    def call(self, hook: str, **arguments: Any) -> None:
        """Call a hook of every plugin that has it."""
        for listener in getattr(self._manager.hook, hook).get_hookimpls():
            if listener.plugin_name in self._silenced:
                continue
            try:
                listener.function(*(arguments[name] for name in listener.argnames))
            except (Exception, SystemExit) as error:
                self._silenced.add(listener.plugin_name)
                self._watch.warn(f"plugin {listener.plugin_name!r}: {hook} failed: {one_line(error)}")


@contextmanager
def tracked(found: Registry, wanted: bool) -> Iterator[None]:
    """Let MLflow listen through the same hooks as any plugin, for the length of a run."""
    if not wanted:
        yield
        return
    from benchkit.tracking.mlflow import MlflowTracking

    name = found.manager.register(MlflowTracking(), name="mlflow-tracking")
    try:
        yield
    finally:
        found.manager.unregister(name=name)
