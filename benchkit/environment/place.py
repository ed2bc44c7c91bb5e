"""Where the trials of an algorithm with an environment run: in it, here, or nowhere."""

from __future__ import annotations

from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import SpecifierSet

from benchkit.environment.address import BuiltEnvironment, find_environment, running_python
from benchkit.environment.errors import EnvironmentMissingError
from benchkit.environment.uv import find_uv
from benchkit.plugin.declarations import Algorithm, Environment


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
