"""What plugins declare that cannot be imported."""

from __future__ import annotations

from collections.abc import Iterable

from benchkit.data.files import cache_folder
from benchkit.environment.place import is_satisfied_here
from benchkit.plugin.declarations import Deferred
from benchkit.plugin.manager import Registry, one_line
from benchkit.suite.loaded import Loaded
from benchkit.suite.names import digest
from benchkit.trial.identity import Fingerprints


def import_mistakes(loaded: Loaded, registry: Registry, fingerprints: Fingerprints) -> list[str]:
    """What plugins declare that cannot be imported, of what the suite names: once each, and of the plugin's file."""
    suite = loaded.suite
    named: dict[str, Iterable[str]] = {
        "datasets": (entry.name for entry in suite.datasets),
        "algorithms": (entry.name for entry in suite.algorithms),
        "adversaries": (entry.name for entry in suite.adversaries),
        "metrics": suite.metrics,
    }
    broken: dict[tuple[str, str], str] = {}
    for kind, names in named.items():
        catalogue = registry.catalogue(kind)
        for name in names:
            if name not in catalogue:
                continue
            declared = catalogue[name]
            environment = getattr(declared, "environment", None)
            if environment is not None and not is_satisfied_here(environment):
                continue  # another interpreter imports it, or its trials are skipped
            code: Deferred = (
                declared.load if kind == "datasets" else getattr(declared, "make", None) or declared.compute
            )
            try:
                _import_once(code, fingerprints)
            except Exception as error:
                plugin = catalogue.origin[name]
                where = registry.plugins.get(plugin, plugin)
                said = f"{where}: {catalogue.kind} {name!r} cannot be imported from {code.target!r}: {one_line(error)}"
                broken.setdefault((plugin, str(code.target)), said)
    return list(broken.values())


def _import_once(code: Deferred, fingerprints: Fingerprints) -> None:
    """Import what is named, unless the same was imported before.

    Raises
    ------
    Exception
        Whatever importing raises.
    """
    if not isinstance(code.target, str):
        return
    key = digest([code.target, fingerprints.closure(code), fingerprints.protocol], 32)
    mark = cache_folder() / "imported" / key
    if mark.exists():
        return
    code.resolve()
    try:
        mark.parent.mkdir(parents=True, exist_ok=True)
        mark.touch()
    except OSError:  # imported again next time
        return
