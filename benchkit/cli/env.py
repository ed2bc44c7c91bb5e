"""``benchkit env build``, ``list`` and ``remove``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.json_answer import JsonOption, print_json
from benchkit.cli.interface.options import PluginOption

if TYPE_CHECKING:
    from benchkit.environment.build import DeclaredEnvironment

app = typer.Typer(help="Environments of methods: build, list, remove them.", no_args_is_help=True)

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Algorithms; all where absent.", autocompletion=complete.algorithms),
]


def _declared(names: list[str] | None, plugins: list[Path] | None) -> list[Any]:
    """The environments of the named algorithms, or of all."""
    from benchkit.environment.build import declared_environments
    from benchkit.environment.place import EnvironmentBuildError
    from benchkit.plugin.manager import registry

    algorithms = registry(tuple(str(path.resolve()) for path in plugins or ())).algorithms
    for name in names or ():
        if algorithms[name].environment is None:
            raise EnvironmentBuildError(f"{name} declares no environment: it runs where benchkit does")
    return declared_environments([algorithms[name] for name in names or algorithms])


@app.command("build")
def build(
    names: NamesArgument = None,
    plugin: PluginOption = None,
    source: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Install wheels from a folder, without a network.")
    ] = None,
    upgrade: Annotated[
        bool, typer.Option("--upgrade", help="Choose package versions anew instead of using the lock file.")
    ] = False,
    allow_source: Annotated[
        bool,
        typer.Option("--allow-source", help="Also install source packages; their build code runs with your rights."),
    ] = False,
) -> None:
    """Build the environments that methods declare, with uv and wheels only; existing ones stay."""
    from benchkit.environment.build import build_environment

    for each in _declared(names, plugin):
        built = build_environment(each.environment, wheels=source, upgrade=upgrade, allow_source=allow_source)
        state = "already here" if each.built == built else "built"
        print(f"{', '.join(each.algorithms)}: {state}, Python {built.python}, {built.folder}")


@app.command("list")
def list_environments(plugin: PluginOption = None, as_json: JsonOption = False) -> None:
    """Say which environments methods declare, which of them are built, and what else was."""
    from rich.table import Table
    from rich.text import Text

    from benchkit.document.terminal import Console
    from benchkit.environment.build import built_environments, megabytes
    from benchkit.environment.place import is_satisfied_here

    declared = _declared(None, plugin)
    known = {each.built.folder for each in declared if each.built is not None}
    others = [built for built in built_environments() if built.folder not in known]
    size_of_all = sum(megabytes(built.folder) for built in others)
    more = (
        f"{len(others)} more that nothing declares here, {size_of_all:.0f} MB: 'benchkit env remove --others'"
        if others
        else ""
    )
    if as_json:
        print_json("env list", [_json_row(each) for each in declared], {}, [more] if more else [])
        return
    table = Table(title="environments", title_justify="left", title_style="bold")
    for column in ("algorithms", "needs", "runs in", "MB"):
        table.add_column(column, justify="right" if column == "MB" else "left", overflow="fold")
    for each in declared:
        if each.built is not None:
            where = Text(f"Python {each.built.python}, {each.built.folder.name}")
        elif is_satisfied_here(each.environment):
            where = Text("this interpreter")
        else:
            where = Text("not built", style="yellow")
        size = f"{megabytes(each.built.folder):.0f}" if each.built is not None else ""
        table.add_row(", ".join(each.algorithms), str(each.environment), where, size)
    console = Console()
    console.print(table)
    if more:
        console.print(more, highlight=False)


def _json_row(each: DeclaredEnvironment) -> dict[str, object]:
    from benchkit.environment.build import megabytes
    from benchkit.environment.place import is_satisfied_here

    here = "this interpreter" if is_satisfied_here(each.environment) else "not built"
    return {
        "algorithms": each.algorithms,
        "needs": str(each.environment),
        "state": "built" if each.built else here,
        "python": each.built.python if each.built else None,
        "folder": str(each.built.folder) if each.built else None,
        "megabytes": megabytes(each.built.folder) if each.built else None,
    }


@app.command("remove")
def remove(
    names: NamesArgument = None,
    plugin: PluginOption = None,
    others: Annotated[
        bool, typer.Option("--others", help="Remove environments that no method declares any more.")
    ] = False,
) -> None:
    """Remove environments and their locks: of the named methods, or those that nothing declares."""
    from benchkit.environment.build import remove_environment, remove_others
    from benchkit.environment.place import EnvironmentBuildError

    if bool(names) == others:
        raise EnvironmentBuildError("name the algorithms whose environments go, or say --others")
    if others:
        for folder in remove_others(_declared(None, plugin)):
            print(f"removed {folder}")
        return
    for each in _declared(names, plugin):
        gone = remove_environment(each.environment)
        print(f"{', '.join(each.algorithms)}: {f'removed {gone}' if gone else 'was not built'}")
