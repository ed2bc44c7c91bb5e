"""Where a method's packages are: environments by what they need, the interpreters in them, and what these import."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import Distribution, EntryPoint, PackageNotFoundError, entry_points, version
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet

from benchkit.data.files import cache_folder
from benchkit.errors import RequestError
from benchkit.plugin.declarations import Algorithm, Environment
from benchkit.plugin.spec import PROJECT


class EnvironmentMissingError(RequestError):
    """An environment was not built here; the message says what to type. Trials become ``skipped``."""


class EnvironmentBuildError(RequestError):
    """An environment cannot be built; the message is one line for the user."""


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


def place_of(environment: Environment, build: str = "benchkit env build") -> BuiltEnvironment | None:
    """The environment that trials run in; None where the present interpreter has what they need.

    Parameters
    ----------
    environment : Environment
    build : str
        The command that builds it.

    Raises
    ------
    EnvironmentMissingError
        It was not built, and this interpreter lacks what it asks for.
    """
    here = is_satisfied_here(environment)
    built = find_environment(environment)
    if built is not None or here:
        return built
    install = "" if find_uv() else "pip install uv && "
    raise EnvironmentMissingError(f"needs {environment}, which is not installed here: type '{install}{build}'")


def require_here(algorithm: Algorithm) -> None:
    """Refuse an algorithm that cannot be called in this process.

    Raises
    ------
    EnvironmentMissingError
        Its packages are in an environment, or nowhere.
    """
    if algorithm.environment is None or is_satisfied_here(algorithm.environment):
        return
    built = find_environment(algorithm.environment)
    where = f"they are in {built.folder}, another interpreter" if built else f"type '{build_command(algorithm)}'"
    raise EnvironmentMissingError(
        f"{algorithm.name} needs {algorithm.environment}, which is not installed here: {where}"
    )


def build_command(algorithm: Algorithm, plugins: tuple[str, ...] = ()) -> str:
    """What to type to build an algorithm's environment; only files of the user are named."""
    return " ".join(["benchkit env build", algorithm.name, *(f"--plugin {Path(file).name}" for file in plugins)])


@lru_cache(maxsize=64)
def is_satisfied_here(environment: Environment) -> bool:
    """Whether the interpreter that runs this has what an environment asks for."""
    if environment.python is not None and running_python() not in SpecifierSet(environment.python):
        return False
    return all(_is_here(requirement) for requirement in environment.requirements)


def _is_here(text: str) -> bool:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return False  # a path, or what only pip understands
    if requirement.marker is not None and not requirement.marker.evaluate():
        return True
    if requirement.url is not None:
        return False
    # A package that is built for the processor alone has the modules, and the versions, of the one that is not.
    general = requirement.name.removesuffix("-cpu")
    for name in dict.fromkeys([requirement.name, general, f"{general}-cpu"]):
        try:
            return requirement.specifier.contains(version(name), prereleases=True)
        except PackageNotFoundError:
            continue
    return False


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


_MARKS = "╰─▶├│\u00d7 "  # what uv draws its explanations with


def find_uv() -> str | None:
    """The program, on the path or beside this interpreter; None where there is none."""
    return shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))


def call_uv(*arguments: str | Path) -> str:
    """What uv prints.

    Raises
    ------
    EnvironmentBuildError
        There is no uv, or it failed; with its reason.
    """
    program = find_uv()
    if program is None:
        raise EnvironmentBuildError("building an environment needs uv: pip install uv")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        raise EnvironmentBuildError(f"uv {arguments[0]} failed: {_reason(done.stderr.splitlines())}")
    return done.stdout.strip()


def _reason(lines: Sequence[str]) -> str:
    """What uv says, as one line, without what it draws."""
    words = " ".join(line.strip(_MARKS) for line in lines if not line.startswith("warning:"))
    return " ".join(words.removeprefix("error:").split())[:600] or "it does not say why"
