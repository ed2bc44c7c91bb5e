"""A method's packages: environments by what they need, the interpreters in them, what these import; building them."""

import hashlib
import importlib.util
import json
import platform
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distributions, entry_points, requires, version
from pathlib import Path

from filelock import FileLock
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

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
_NOT_FOR_TRIALS = ("matplotlib", "mlflow", "plotext", "pooch", "requests", "rich", "typer")


def worker_requirements() -> list[str]:
    """Requirements of benchkit that its worker processes have, extras aside."""
    needed = [Requirement(text) for text in requires(PROJECT) or ()]
    return [
        str(requirement)
        for requirement in needed
        if (requirement.marker is None or requirement.marker.evaluate({"extra": ""}))
        and requirement.name not in _NOT_FOR_TRIALS
    ]
