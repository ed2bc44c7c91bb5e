"""Listing and removing what was built."""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from benchkit.environment.address import (
    CONTENT,
    BuiltEnvironment,
    environments_folder,
    find_environment,
    folder_of,
    lock_path,
    read_environment,
)
from benchkit.plugin.declarations import Algorithm, Environment


@dataclass(frozen=True)
class DeclaredEnvironment:
    """An environment, and the algorithms that declare it.

    Attributes
    ----------
    environment : Environment
    algorithms : list of str
    built : BuiltEnvironment or None
    """

    environment: Environment
    algorithms: list[str]
    built: BuiltEnvironment | None


def declared_environments(algorithms: Iterable[Algorithm]) -> list[DeclaredEnvironment]:
    """The environments of some algorithms, each once."""
    owners: dict[Environment, list[str]] = {}
    for algorithm in algorithms:
        if algorithm.environment is not None:
            owners.setdefault(algorithm.environment, []).append(algorithm.name)
    return [DeclaredEnvironment(each, names, find_environment(each)) for each, names in owners.items()]


def built_environments() -> list[BuiltEnvironment]:
    """All that this user has, whoever declared them."""
    folders = sorted(path.parent for path in environments_folder().glob(f"*/{CONTENT}"))
    return [built for folder in folders if (built := read_environment(folder)) is not None]


def remove_environment(environment: Environment) -> Path | None:
    """Remove a declaration's environment and its lock; the folder that is gone, None where there was none."""
    locked = lock_path(environment)
    try:
        folder = folder_of(locked.read_text(encoding="utf-8"))
    except OSError:
        return None
    locked.unlink()
    existed = folder.is_dir()
    shutil.rmtree(folder, ignore_errors=True)
    return folder if existed else None


def remove_others(kept: Iterable[DeclaredEnvironment]) -> list[Path]:
    """Remove every environment but these; the folders that are gone."""
    here = {each.built.folder for each in kept if each.built is not None}
    removed = [built.folder for built in built_environments() if built.folder not in here]
    for folder in removed:
        shutil.rmtree(folder, ignore_errors=True)
    return removed


def megabytes(folder: Path) -> float:
    """Size of an environment; files that it shares with uv's cache count."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
