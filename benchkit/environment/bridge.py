"""A folder that shows the running benchkit and its plugins to other interpreters, by links and not by copies.

So an environment always runs the benchkit that started it, an edited checkout included, and need not be built anew for
a new version of it. The folder holds nothing else: what lies beside benchkit in its site-packages stays unseen.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import tempfile
from functools import cache
from importlib.metadata import Distribution, EntryPoint, entry_points
from pathlib import Path

from benchkit.environment.address import environments_folder
from benchkit.plugin.spec import PROJECT

BRIDGES = "bridges"


@cache
def bridge() -> Path:
    """The folder, made where it is not there yet."""
    points = sorted(entry_points(group=PROJECT), key=lambda point: point.name)
    links = {name: place for name in _tops(points) if (place := _place(name)) is not None}
    metadata = _metadata(points)
    content = json.dumps([{name: str(place) for name, place in links.items()}, metadata], sort_keys=True)
    folder = environments_folder() / BRIDGES / hashlib.sha256(content.encode()).hexdigest()[:16]
    if not folder.is_dir():
        _make(folder, links, metadata)
    return folder


def _tops(points: list[EntryPoint]) -> list[str]:
    """Top-level packages of benchkit and of its plugins."""
    return sorted({PROJECT, *(point.module.partition(".")[0] for point in points)})


def _place(name: str) -> Path | None:
    """The folder or file of a top-level package."""
    spec = importlib.util.find_spec(name)
    if spec is None:
        return None
    if spec.submodule_search_locations:
        return Path(next(iter(spec.submodule_search_locations))).resolve()
    return Path(spec.origin).resolve() if spec.origin else None


def _metadata(points: list[EntryPoint]) -> dict[str, list[str]]:
    """The distributions that declare plugins, with the lines of their entry points."""
    lines: dict[str, list[str]] = {}
    for point in points:
        distribution: Distribution | None = point.dist
        name = f"{distribution.name} {distribution.version}" if distribution is not None else f"{PROJECT} 0"
        lines.setdefault(name, []).append(f"{point.name} = {point.value}")
    return lines


def _make(folder: Path, links: dict[str, Path], metadata: dict[str, list[str]]) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = Path(tempfile.mkdtemp(prefix=f"{folder.name}.", dir=folder.parent))
    for name, place in links.items():
        (partial / (name if place.is_dir() else place.name)).symlink_to(place)
    for owner, lines in metadata.items():
        name, _, version = owner.partition(" ")
        described = partial / f"{name.replace('-', '_')}-{version}.dist-info"
        described.mkdir()
        (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        (described / "entry_points.txt").write_text("\n".join([f"[{PROJECT}]", *lines, ""]))
    try:
        os.replace(partial, folder)
    except OSError:  # another process made it meanwhile
        shutil.rmtree(partial)
        if not folder.is_dir():
            raise
