"""Names of metrics."""

from __future__ import annotations

from benchkit.plugin.manager import Registry
from benchkit.session.mistakes.names.known import look_up
from benchkit.session.mistakes.names.mistake import Mistakes
from benchkit.suite.source import Location


def check_metric(registry: Registry, name: str, at: Location) -> Mistakes:
    """A metric's name."""
    look_up(registry.metrics, name, at)
    yield from ()
