"""Which methods do not take the data as it reaches them."""

from __future__ import annotations

from collections.abc import Iterator

from benchkit.plugin.manager import Registry, UnknownNameError
from benchkit.suite.loaded import Loaded
from benchkit.trial import refusals


def refused_methods(
    loaded: Loaded, registry: Registry, label: str, data: refusals.DataKind
) -> Iterator[tuple[int, str]]:
    """Positions of the entries that do not take a dataset of this kind, and why."""
    for position, entry in enumerate(loaded.suite.algorithms):
        if entry.datasets is not None and label not in entry.datasets:
            continue
        try:
            algorithm = registry.algorithms[entry.name]
        except UnknownNameError:  # told elsewhere
            continue
        if reason := refusals.of_algorithm(algorithm, entry.params, data):
            yield position, f"{entry.display_name} {reason}"
