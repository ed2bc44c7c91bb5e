"""Names of metrics."""

from __future__ import annotations

from benchkit.plugin.manager import Registry
from benchkit.session.mistakes.names.known import look_up
from benchkit.session.mistakes.names.mistake import MistakeError, Mistakes
from benchkit.suite.source import Location


def check_metric(registry: Registry, name: str, at: Location) -> Mistakes:
    """A metric's name."""
    metric = look_up(registry.metrics, name, at)
    if metric.columns:
        yield MistakeError(
            at,
            f"{name} reads raw columns ({', '.join(metric.columns)}), which trials do not have: leave it out, and ask "
            f"for it afterwards with 'benchkit report RUN --metrics {name}'",
        )
