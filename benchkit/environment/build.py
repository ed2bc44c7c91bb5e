"""Building and removing environments, with uv."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterable, Sequence
from importlib.metadata import distributions, requires
from pathlib import Path

from filelock import FileLock
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from benchkit.environment.place import (
    CONTENT,
    BuiltEnvironment,
    EnvironmentBuildError,
    call_uv,
    environments_folder,
    find_environment,
    folder_of,
    interpreter_of,
    lock_path,
    read_environment,
    running_python,
)
from benchkit.plugin.declarations import Algorithm, Environment
from benchkit.plugin.spec import PROJECT

_PYTHON = "# python "
# uv's words where there are sources alone.
_NO_WHEEL = re.compile(r"no usable wheels|building (from source|source distributions) is disabled", re.IGNORECASE)


def build_environment(
    environment: Environment, *, wheels: Path | None = None, upgrade: bool = False, allow_source: bool = False
) -> BuiltEnvironment:
    """Build an environment, or return it where it is there; an `EnvironmentBuildError` has one line for the user.

    ``wheels`` are taken from a folder instead of a package index; ``upgrade`` resolves the requirements anew, though
    there is a lock; ``allow_source`` takes packages that come as sources alone, too, whose build code is executed.
    """
    sources: list[str | Path] = ["--no-index", "--find-links", wheels.resolve()] if wheels is not None else []
    if not allow_source:
        sources += ["--only-binary", ":all:"]
    locked = lock_path(environment)
    try:
        locked.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(environments_folder() / ".lock"):
            if upgrade or not locked.is_file():
                _write_lock(environment, locked, sources, upgrade)
            lock = locked.read_text(encoding="utf-8")
            return read_environment(folder_of(lock)) or _install(environment, lock, sources)
    except OSError as error:
        raise EnvironmentBuildError(f"{environments_folder()}: cannot write: {error.strerror or error}") from None
    except EnvironmentBuildError as error:
        if allow_source or not _NO_WHEEL.search(str(error)):
            raise
        hint = "--allow-source takes it as source, whose build code runs as you"
        raise EnvironmentBuildError(f"{error}; only wheels are taken: {hint}") from None


def _write_lock(environment: Environment, locked: Path, sources: Sequence[str | Path], upgrade: bool) -> None:
    python = call_uv("python", "find", environment.python or running_python())
    say = [python, "-c", "import platform; print(platform.python_version())"]
    version = subprocess.run(say, capture_output=True, text=True, check=True).stdout.strip()
    needs = worker_requirements()
    with tempfile.TemporaryDirectory(dir=locked.parent) as temporary:
        wanted, bounds, lock = (Path(temporary, name) for name in ("wanted.in", "bounds.txt", "lock.txt"))
        wanted.write_text("\n".join([*environment.requirements, *([] if environment.inherit else needs)]))
        # Packages that are seen from outside must go with what is installed here; the others have their own.
        bounds.write_text("\n".join(needs))
        # uv takes the versions of a lock that is there, where they serve: those beside the running benchkit.
        lock.write_text("\n".join(f"{package.name}=={package.version}" for package in distributions() if package.name))
        options = ["--quiet", "--no-header", "--no-annotate", "--generate-hashes", *(["--upgrade"] if upgrade else [])]
        call_uv("pip", "compile", *options, *sources, "--python", python, "-c", bounds, "-o", lock, wanted)
        content = f"{_PYTHON}{version}\n# for {environment}\n{lock.read_text(encoding='utf-8')}"
        locked.write_text(content, encoding="utf-8")


def _install(environment: Environment, lock: str, sources: Sequence[str | Path]) -> BuiltEnvironment:
    """Make the environment beside its place, and move it there when it is whole."""
    folder = folder_of(lock)
    with tempfile.TemporaryDirectory(dir=folder.parent) as temporary:
        partial = Path(temporary, "whole")
        version = lock.partition("\n")[0].removeprefix(_PYTHON)
        call_uv("venv", "--quiet", "--relocatable", "--python", version, partial)
        content = partial / "lock.txt"
        content.write_text(_not_installed_here(lock) if environment.inherit else lock, encoding="utf-8")
        options: list[str | Path] = ["--quiet", "--no-deps", "--python", interpreter_of(partial), *sources]
        call_uv("pip", "install", *options, "--require-hashes", "-r", content)
        versions, packages = _packages_in(partial)
        about = {"requirements": list(environment.requirements), "python": version, "inherit": environment.inherit}
        (partial / CONTENT).write_text(json.dumps({**about, "versions": versions, "packages": packages}, indent=1))
        shutil.rmtree(folder, ignore_errors=True)  # one that was broken
        partial.rename(folder)
    return BuiltEnvironment(folder, version, versions, packages, environment.inherit)


def _not_installed_here(lock: str) -> str:
    """A lock without what is installed beside the running benchkit in the same version."""
    here = {(canonicalize_name(package.name), package.version) for package in distributions() if package.name}
    kept = []
    for entry in re.split(r"^(?=\S)", lock, flags=re.MULTILINE):
        name, _, version = entry.split("\\")[0].split(";")[0].strip().partition("==")
        if (canonicalize_name(name), version) not in here:
            kept.append(entry)
    return "".join(kept)


def _packages_in(folder: Path) -> tuple[dict[str, str], dict[str, list[str]]]:
    """What an environment holds: the version of each distribution, and those that each top-level package belongs to."""
    versions: dict[str, str] = {}
    packages: dict[str, set[str]] = {}
    for package in distributions(path=[str(path) for path in folder.glob("lib/python*/site-packages")]):
        versions[package.name] = package.version
        for file in package.files or ():
            top = file.parts[0].partition(".")[0]
            if top.isidentifier() and (len(file.parts) > 1 or file.suffix in (".py", ".so")):
                packages.setdefault(top, set()).add(package.name)
    return dict(sorted(versions.items())), {top: sorted(names) for top, names in sorted(packages.items())}


# Commands, reports and tracking need these; trials do not.
_NOT_FOR_TRIALS = ("docstring-parser", "matplotlib", "mlflow", "plotext", "pooch", "requests", "rich", "typer")


def worker_requirements() -> list[str]:
    """Requirements of benchkit that its worker processes have, extras aside."""
    needed = [Requirement(text) for text in requires(PROJECT) or ()]
    return [
        str(requirement)
        for requirement in needed
        if (requirement.marker is None or requirement.marker.evaluate({"extra": ""}))
        and requirement.name not in _NOT_FOR_TRIALS
    ]


def declared_environments(algorithms: Iterable[Algorithm]) -> dict[Environment, list[str]]:
    """The environments of some algorithms, and the names of those that declare each."""
    names: dict[Environment, list[str]] = {}
    for algorithm in algorithms:
        if algorithm.environment is not None:
            names.setdefault(algorithm.environment, []).append(algorithm.name)
    return names


def remove_environment(environment: Environment) -> Path | None:
    """Remove a declaration's environment and its lock; the folder that is gone, None where there was none."""
    built = find_environment(environment)
    lock_path(environment).unlink(missing_ok=True)
    if built is None:
        return None
    shutil.rmtree(built.folder, ignore_errors=True)
    return built.folder


def megabytes(folder: Path) -> float:
    """Size of an environment; files that it shares with uv's cache count."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6
