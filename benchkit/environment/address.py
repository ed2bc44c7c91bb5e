"""Where environments lie: a lock by what was declared, and an environment by what its lock says.

::

    <cache>/environments/locks/<digest of the declaration>.txt
    <cache>/environments/<digest of the lock>/bin/python
    <cache>/environments/<digest of the lock>/benchkit.json       written last: its packages and their versions

Declarations that come to the same lock share one environment, and an upgraded lock is another one.
"""

from __future__ import annotations

import hashlib
import json
import platform
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from benchkit.data.files import cache_folder
from benchkit.plugin.declarations import Environment

CONTENT = "benchkit.json"
_DIGITS = 16


def running_python() -> str:
    """Version of this interpreter, without its last number, such as ``3.12``."""
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def environments_folder() -> Path:
    """Where all environments of this user are."""
    return cache_folder() / "environments"


def lock_path(environment: Environment) -> Path:
    """The lock of a declaration, built or not."""
    python = environment.python or running_python()
    declared = json.dumps([list(environment.requirements), python, environment.inherit])
    return environments_folder() / "locks" / f"{_digest(declared)}.txt"


def folder_of(lock: str) -> Path:
    """The environment that a lock describes, on this kind of machine."""
    return environments_folder() / _digest("\n".join([platform.system(), platform.machine(), lock]))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]


@dataclass(frozen=True)
class BuiltEnvironment:
    """An environment that is there.

    Attributes
    ----------
    folder : Path
    python : str
        Its version, such as ``3.12.1``.
    versions : mapping of str to str
        Version of each distribution that was installed into it.
    packages : mapping of str to list of str
        Distributions that each top-level package belongs to.
    inherit : bool
        Whether the packages of the interpreter that runs benchkit are seen too.
    """

    folder: Path
    python: str
    versions: Mapping[str, str]
    packages: Mapping[str, list[str]]
    inherit: bool

    @property
    def interpreter(self) -> Path:
        """Its Python."""
        return interpreter_of(self.folder)


def interpreter_of(folder: Path) -> Path:
    """The Python of an environment."""
    return folder / "bin" / "python"


def find_environment(environment: Environment) -> BuiltEnvironment | None:
    """The environment that was built for a declaration; None where there is none."""
    try:
        lock = lock_path(environment).read_text(encoding="utf-8")
        return read_environment(folder_of(lock))
    except OSError:
        return None


def read_environment(folder: Path) -> BuiltEnvironment | None:
    """The environment in a folder; None where it is not whole."""
    path = folder / CONTENT
    try:
        return _read(folder, path.stat().st_mtime_ns) if interpreter_of(folder).exists() else None
    except (OSError, ValueError, KeyError):
        return None


@lru_cache(maxsize=64)
def _read(folder: Path, stamp: int) -> BuiltEnvironment:
    content = json.loads((folder / CONTENT).read_text(encoding="utf-8"))
    return BuiltEnvironment(folder, content["python"], content["versions"], content["packages"], content["inherit"])
