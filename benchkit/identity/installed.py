"""What is installed: versions of distributions, and which packages are sources that somebody edits."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, distributions, packages_distributions
from pathlib import Path

from benchkit.data.files import keep, kept
from benchkit.environment.place import BuiltEnvironment


class Packages:
    """The packages that trials see: of this interpreter, or of a worker process of an environment.

    Parameters
    ----------
    built : BuiltEnvironment or None
    """

    def __init__(self, built: BuiltEnvironment | None = None) -> None:
        self._built = built
        running = f"{sys.version_info.major}.{sys.version_info.minor}"
        self.python = running if built is None else built.python.rpartition(".")[0]

    def versions_of(self, top: str) -> dict[str, str]:
        """Versions of the distributions that a top-level package belongs to, by name; none of one that is elsewhere."""
        built = self._built
        if built is not None and (top in built.packages or not built.inherit):
            return {name: built.versions[name] for name in built.packages.get(top, [])}
        return {name: installed_versions()[name] for name in distributions_of(top)}

    def is_source(self, top: str) -> bool:
        """Whether a top-level package is a plain file or folder, or one that is edited: its version says nothing."""
        if self._built is not None and top in self._built.packages:
            return False
        return not distributions_of(top) or is_editable(top)


HERE = Packages()


def installed_versions() -> Mapping[str, str]:
    """Version of each distribution."""
    return _installed()[0]


def distributions_of(top: str) -> list[str]:
    """Names of the distributions that a top-level package belongs to; none for a plain file or folder."""
    return _installed()[1].get(top, [])


@cache
def is_editable(top: str) -> bool:
    """Whether a top-level package is installed from a folder that is edited."""
    for name in distributions_of(top):
        try:
            origin = json.loads(distribution(name).read_text("direct_url.json") or "{}")
        except (PackageNotFoundError, ValueError):
            continue
        if origin.get("dir_info", {}).get("editable"):
            return True
    return False


@cache
def _installed() -> tuple[dict[str, str], dict[str, list[str]]]:
    """Versions, and distributions by package.

    Reading the metadata of a hundred distributions takes half a second, in every worker: what was read is kept on disk
    for as long as the same distributions lie on the path.
    """
    state = [sys.version]  # and the folders of metadata, whose names hold the versions
    for entry in sys.path:
        if os.path.isdir(entry or "."):
            state += sorted(
                f"{item.path} {item.stat().st_mtime_ns}"
                for item in os.scandir(Path(entry))
                if item.name.endswith((".dist-info", ".egg-info", ".egg-link"))
            )
    key = hashlib.sha256("\n".join(state).encode()).hexdigest()[:16]
    try:
        versions, packages = kept("installed", key)  # type: ignore[misc]
        return dict(versions), dict(packages)
    except (ValueError, TypeError):  # nothing, or damaged
        # Of two by one name, the first is what is imported.
        both = {each.name: each.version for each in reversed([*distributions()])}, dict(packages_distributions())
        keep("installed", key, both)
        return both
