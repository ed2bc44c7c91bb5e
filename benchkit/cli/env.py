"""``benchkit env build``, ``list`` and ``remove``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.console import print_answer
from benchkit.cli.interface.options import JsonOption, PluginOption, argument, flag, option, registry_with

if TYPE_CHECKING:
    from benchkit.plugin.declarations import Environment

app = typer.Typer(no_args_is_help=True, add_completion=False)

NamesArgument = Annotated[list[str] | None, argument("[NAME]...", "Algorithms; all where absent.", complete.algorithms)]


def _declared(names: list[str] | None, plugins: list[Path] | None) -> dict[Environment, list[str]]:
    """The environments of the named algorithms, or of all, with the algorithms that declare each."""
    from benchkit.environment.place import EnvironmentBuildError

    algorithms = registry_with(plugins).algorithms
    declared: dict[Environment, list[str]] = {}
    for name in names or algorithms:
        environment = algorithms[name].environment
        if environment is not None:
            declared.setdefault(environment, []).append(name)
        elif names:
            raise EnvironmentBuildError(f"{name} declares no environment: it runs where benchkit does")
    return declared


@app.command("build")
def build(
    names: NamesArgument = None,
    plugin: PluginOption = None,
    source: Annotated[Path | None, option("--from", "DIR", "Install wheels from a folder, without a network.")] = None,
    upgrade: Annotated[bool, flag("--upgrade", "Choose package versions anew instead of using the lock file.")] = False,
    allow_source: Annotated[
        bool, flag("--allow-source", "Also install source packages; their build code runs with your rights.")
    ] = False,
) -> None:
    """Build the environments that methods declare, with uv and wheels only; existing ones stay."""
    from benchkit.environment.place import build_environment, find_environment

    for environment, algorithms in _declared(names, plugin).items():
        before = find_environment(environment)
        built = build_environment(environment, wheels=source, upgrade=upgrade, allow_source=allow_source)
        state = "already here" if before == built else "built"
        print(f"{', '.join(algorithms)}: {state}, Python {built.python}, {built.folder}")


@app.command("list")
def list_environments(plugin: PluginOption = None, as_json: JsonOption = False) -> None:
    """Say which environments methods declare, and which of them are built."""
    from benchkit.environment.place import find_environment, is_satisfied_here

    rows: list[dict[str, Any]] = []
    for environment, algorithms in _declared(None, plugin).items():
        built = find_environment(environment)
        here = "this interpreter" if is_satisfied_here(environment) else "not built"
        rows.append(
            {
                "algorithms": algorithms,
                "needs": str(environment),
                "state": "built" if built else here,
                "python": built.python if built else None,
                "folder": str(built.folder) if built else None,
                "megabytes": built.megabytes if built else None,
            }
        )
    print_answer("env list", rows, as_json, ("algorithms", "needs", "state", "python", "folder", "megabytes"))


@app.command("remove")
def remove(
    names: Annotated[list[str], argument("NAME...", "Algorithms.", complete.algorithms)], plugin: PluginOption = None
) -> None:
    """Remove the environments of methods, and their locks."""
    from benchkit.environment.place import remove_environment

    for environment, algorithms in _declared(names, plugin).items():
        gone = remove_environment(environment)
        print(f"{', '.join(algorithms)}: {f'removed {gone}' if gone else 'was not built'}")
