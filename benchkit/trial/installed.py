"""Which distributions are installed, and which of them a top-level package comes from."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from functools import cache
from importlib.metadata import distributions, packages_distributions
from pathlib import Path

from benchkit.data.files import cache_folder


def installed_versions() -> Mapping[str, str]:
    """Version of each distribution."""
    return _installed()[0]


def distributions_of(top: str) -> list[str]:
    """Names of the distributions that a top-level package belongs to; none for a plain file or folder."""
    return _installed()[1].get(top, [])


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
        found = {each.name: each.version for each in distributions()}, dict(packages_distributions())
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = path.with_suffix(f".{os.getpid()}.partial")
        partial.write_text(json.dumps(found), encoding="utf-8")
        partial.replace(path)
    except OSError:  # read again next time
        return found
    return found


def _state() -> str:
    """Hash of what lies on the path: names and times of the folders of metadata, whose names hold the versions."""
    found = [sys.version]
    for entry in sys.path:
        try:
            with os.scandir(Path(entry)) as items:
                found += sorted(
                    f"{item.path} {item.stat().st_mtime_ns}"
                    for item in items
                    if item.name.endswith((".dist-info", ".egg-info", ".egg-link"))
                )
        except OSError:
            continue  # not a folder
    return hashlib.sha256("\n".join(found).encode()).hexdigest()[:16]
