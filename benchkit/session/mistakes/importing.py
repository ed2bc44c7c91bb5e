"""Importing what plugins name, to see whether it can be: once for the same sources and versions."""

from __future__ import annotations

from benchkit.data.files import cache_folder
from benchkit.plugin.declarations import Deferred
from benchkit.suite.names import digest
from benchkit.trial.identity import Fingerprints


def import_once(code: Deferred, fingerprints: Fingerprints) -> None:
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
