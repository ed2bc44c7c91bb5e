"""Which distributions are installed, here or in an environment, and which of them a top-level package comes from."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, distributions, packages_distributions
from pathlib import Path

from benchkit.data.files import cache_folder
from benchkit.environment.place import BuiltEnvironment
from benchkit.regular_file import write_whole


def installed_versions() -> Mapping[str, str]:
    """Version of each distribution."""
    return _installed()[0]


def distributions_of(top: str) -> list[str]:
    """Names of the distributions that a top-level package belongs to; none for a plain file or folder."""
    return _installed()[1].get(top, [])


@cache
def is_editable(top: str) -> bool:
    """Whether a top-level package is installed from a folder that is edited: its version then says nothing."""
    for name in distributions_of(top):
        try:
            origin = json.loads(distribution(name).read_text("direct_url.json") or "{}")
        except (PackageNotFoundError, ValueError):
            continue
        if origin.get("dir_info", {}).get("editable"):
            return True
    return False


class InstalledHere:
    """The packages of this interpreter."""

    python = f"{sys.version_info.major}.{sys.version_info.minor}"

    def versions_of(self, top: str) -> dict[str, str]:
        """Versions of the distributions that a top-level package belongs to, by name."""
        return {name: installed_versions()[name] for name in distributions_of(top)}

    def is_source(self, top: str) -> bool:
        """Whether a top-level package is a plain file or folder, or one that is edited: its version says nothing."""
        return not distributions_of(top) or is_editable(top)


HERE = InstalledHere()


class InstalledThere(InstalledHere):
    """The packages that a worker process of an environment sees.

    Parameters
    ----------
    built : BuiltEnvironment
    """

    def __init__(self, built: BuiltEnvironment) -> None:
        self._built = built
        self.python = built.python.rpartition(".")[0]

    def versions_of(self, top: str) -> dict[str, str]:
        """As for the packages here; none of a package that is here alone."""
        names = self._built.packages.get(top, [])
        if not names and self._built.inherit:
            return super().versions_of(top)
        return {name: self._built.versions[name] for name in names}

    def is_source(self, top: str) -> bool:
        """As for the packages here; what is in the environment is no source."""
        return top not in self._built.packages and super().is_source(top)


@cache
def _installed() -> tuple[dict[str, str], dict[str, list[str]]]:
    """Versions, and distributions by package.

    Reading the metadata of a hundred distributions takes half a second, in every worker: what was read is kept on disk
    for as long as the same distributions lie on the path.
    """
    path = cache_folder() / f"installed-{_state()}.json"
    try:
        versions, packages = json.loads(path.read_text(encoding="utf-8"))
        return dict(versions), dict(packages)
    except (OSError, ValueError, TypeError):
        # Of two by one name, the first is what is imported.
        versions = {each.name: each.version for each in reversed([*distributions()])}
        both = versions, dict(packages_distributions())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, json.dumps(both))
    except OSError:  # read again next time
        return both
    return both


def _state() -> str:
    """Hash of what lies on the path: names and times of the folders of metadata, whose names hold the versions."""
    signs = [sys.version]
    for entry in sys.path:
        try:
            with os.scandir(Path(entry)) as items:
                signs += sorted(
                    f"{item.path} {item.stat().st_mtime_ns}"
                    for item in items
                    if item.name.endswith((".dist-info", ".egg-info", ".egg-link"))
                )
        except OSError:
            continue  # not a folder
    return hashlib.sha256("\n".join(signs).encode()).hexdigest()[:16]
