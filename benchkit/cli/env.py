"""``benchkit env build``."""

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.options import PluginOption, argument, flag, option, registry_with
from benchkit.plugin.declarations import Environment

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command("build")
def build(
    names: Annotated[list[str] | None, argument("[NAME]...", "Algorithms; all where absent.")] = None,
    plugin: PluginOption = None,
    source: Annotated[Path | None, option("--from", "DIR", "Install wheels from a folder, without a network.")] = None,
    upgrade: Annotated[bool, flag("--upgrade", "Choose package versions anew instead of using the lock file.")] = False,
    allow_source: Annotated[
        bool, flag("--allow-source", "Also install source packages; their build code runs with your rights.")
    ] = False,
) -> None:
    """Build the environments that methods declare, with uv and wheels only; existing ones stay."""
    from benchkit.environment.place import EnvironmentBuildError, build_environment, find_environment

    algorithms = registry_with(plugin).algorithms
    declared: dict[Environment, list[str]] = {}
    for name in names or algorithms:
        environment = algorithms[name].environment
        if environment is not None:
            declared.setdefault(environment, []).append(name)
        elif names:
            raise EnvironmentBuildError(f"{name} declares no environment: it runs where benchkit does")
    for environment, users in declared.items():
        before = find_environment(environment)
        built = build_environment(environment, wheels=source, upgrade=upgrade, allow_source=allow_source)
        state = "already here" if before == built else "built"
        print(f"{', '.join(users)}: {state}, Python {built.python}, {built.folder}")
