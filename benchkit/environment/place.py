"""Where a method's packages are: environments by what they need, the interpreters in them, and what these import."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path

from benchkit.data.files import cache_folder
from benchkit.errors import RequestError
from benchkit.plugin.declarations import Algorithm, Environment
from benchkit.plugin.spec import PROJECT


class EnvironmentMissingError(RequestError):
    """An environment was not built here; the message says what to type. Trials become ``skipped``."""


class EnvironmentBuildError(RequestError):
    """An environment cannot be built; the message is one line for the user."""


CONTENT = "benchkit.json"


@dataclass(frozen=True)
class BuiltEnvironment:
    """An environment that is there."""

    folder: Path
    python: str  # its version, such as 3.12.1
    versions: Mapping[str, str]  # of each distribution that was installed into it
    packages: Mapping[str, list[str]]  # distributions that each top-level package belongs to
    inherit: bool  # whether the packages of the interpreter that runs benchkit are seen too


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
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def interpreter_of(folder: Path) -> Path:
    """The Python of an environment."""
    return folder / "bin" / "python"


def find_environment(environment: Environment) -> BuiltEnvironment | None:
    """The environment that was built for a declaration; None where there is none."""
    lock = lock_path(environment)
    return read_environment(folder_of(lock.read_text(encoding="utf-8"))) if lock.is_file() else None


def read_environment(folder: Path) -> BuiltEnvironment | None:
    """The environment in a folder; None where it is not whole."""
    if not (interpreter_of(folder).exists() and (folder / CONTENT).is_file()):
        return None
    content = json.loads((folder / CONTENT).read_text(encoding="utf-8"))
    return BuiltEnvironment(folder, *(content[key] for key in ("python", "versions", "packages", "inherit")))


def place_of(environment: Environment, build: str = "benchkit env build") -> BuiltEnvironment | None:
    """The environment that trials run in; None where the present interpreter has what they need.

    Where neither is, an `EnvironmentMissingError` names ``build``, the command that builds it.
    """
    built = find_environment(environment)
    if built is not None or is_satisfied_here(environment):
        return built
    install = "" if find_uv() else "pip install uv && "
    raise EnvironmentMissingError(f"needs {environment}, which is not installed here: type '{install}{build}'")


def require_here(algorithm: Algorithm) -> None:
    """Refuse an algorithm that cannot be called in this process: its packages are in an environment, or nowhere."""
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
    from packaging.specifiers import SpecifierSet

    if environment.python is not None and running_python() not in SpecifierSet(environment.python):
        return False
    return all(_is_here(requirement) for requirement in environment.requirements)


def _is_here(text: str) -> bool:
    from packaging.requirements import InvalidRequirement, Requirement

    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        return False  # a path, or what only pip understands
    if requirement.marker is not None and not requirement.marker.evaluate():
        return True
    # A package that is built for the processor alone has the modules, and the versions, of the one that is not.
    general = requirement.name.removesuffix("-cpu")
    for name in dict.fromkeys([requirement.name, general, f"{general}-cpu"]):
        try:
            return requirement.url is None and requirement.specifier.contains(version(name), prereleases=True)
        except PackageNotFoundError:
            continue
    return False


@cache
def bridge() -> Path:
    """A folder of benchkit and its plugins alone, for another interpreter; made where it is not there yet."""
    points = sorted(entry_points(group=PROJECT), key=lambda point: point.name)
    links: dict[str, str] = {}  # of top-level packages and modules
    metadata: dict[str, list[str]] = {}  # of the distributions that declare plugins, the lines of their entry points
    for name in sorted({PROJECT, *(point.module.partition(".")[0] for point in points)}):
        spec = importlib.util.find_spec(name)
        if spec is not None and (location := next(iter(spec.submodule_search_locations or ()), spec.origin)):
            target = Path(location).resolve()
            links[name if target.is_dir() else target.name] = str(target)
    for point in points:
        owner = f"{point.dist.name} {point.dist.version}" if point.dist is not None else f"{PROJECT} 0"
        metadata.setdefault(owner, []).append(f"{point.name} = {point.value}")
    folder = environments_folder() / "bridges" / _digest(json.dumps([links, metadata], sort_keys=True))
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        partial = Path(temporary, "whole")
        partial.mkdir()
        for link, path in links.items():
            (partial / link).symlink_to(path)
        for owner, lines in metadata.items():
            name, _, number = owner.partition(" ")
            described = partial / f"{name.replace('-', '_')}-{number}.dist-info"
            described.mkdir()
            (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {number}\n")
            (described / "entry_points.txt").write_text("\n".join([f"[{PROJECT}]", *lines, ""]))
        if not folder.is_dir():  # else another process made it meanwhile
            partial.rename(folder)
    return folder


def find_uv() -> str | None:
    """The program, on the path or beside this interpreter; None where there is none."""
    return shutil.which("uv") or shutil.which("uv", path=str(Path(sys.executable).parent))


def call_uv(*arguments: str | Path) -> str:
    """What uv prints; an `EnvironmentBuildError` where there is none, or it failed, with its reason."""
    program = find_uv()
    if program is None:
        raise EnvironmentBuildError("building an environment needs uv: pip install uv")
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)
    if done.returncode:
        # Without what uv draws its explanations with.
        lines = [line.strip("╰─▶├│\u00d7 ") for line in done.stderr.splitlines() if not line.startswith("warning:")]
        reason = " ".join(" ".join(lines).removeprefix("error:").split())[:600] or "it does not say why"
        raise EnvironmentBuildError(f"uv {arguments[0]} failed: {reason}")
    return done.stdout.strip()
