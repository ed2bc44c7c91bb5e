"""``benchkit data get`` and ``env build``: what suites need from elsewhere."""

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.options import PluginOption, argument, flag, option, registry_with
from benchkit.plugin.declarations import Environment

data = typer.Typer(no_args_is_help=True, add_completion=False)
env = typer.Typer(no_args_is_help=True, add_completion=False)


@data.command("get")
def get(
    names: Annotated[list[str], argument("NAME...", "Datasets.")],
    source: Annotated[Path | None, option("--from", "DIR", "Copy the files from a folder, without a network.")] = None,
) -> None:
    """Download datasets' files into the cache, or copy them from a folder, and check them."""
    from benchkit.data.fetch import FetchError, get_files
    from benchkit.plugin.manager import registry

    datasets = registry().datasets
    for dataset in [datasets[name] for name in names]:
        if not dataset.files:
            raise FetchError(f"{dataset.name} needs no file")
        placed = get_files(dataset, source)
        for place in map(str, placed) if placed else ["already here"]:
            print(f"{dataset.name}: {place}")


@env.command("build")
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
