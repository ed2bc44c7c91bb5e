"""``benchkit env build``, ``list`` and ``remove``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.console import print_json, print_table
from benchkit.cli.interface.options import JsonOption, PluginOption

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
    from benchkit.environment.build import built_environments, megabytes
    from benchkit.environment.place import is_satisfied_here
    from benchkit.plugin.declarations import ReportCell

    rows = []
    for each in (declared := _declared(None, plugin)):
        here = "this interpreter" if is_satisfied_here(each.environment) else "not built"
        rows.append(
            {
                "algorithms": each.algorithms,
                "needs": str(each.environment),
                "state": "built" if each.built else here,
                "python": each.built.python if each.built else None,
                "folder": str(each.built.folder) if each.built else None,
                "megabytes": megabytes(each.built.folder) if each.built else None,
            }
        )
    known = {each.built.folder for each in declared if each.built is not None}
    others = [built.folder for built in built_environments() if built.folder not in known]
    size = sum(map(megabytes, others))
    more = f"{len(others)} more that nothing declares here, {size:.0f} MB: 'benchkit env remove --others'"
    if as_json:
        print_json("env list", rows, {}, [more] if others else [])
        return
    cells = [
        (
            ", ".join(row["algorithms"]),
            row["needs"],
            f"Python {row['python']}, {Path(row['folder']).name}"
            if row["folder"]
            else ReportCell(row["state"], emphasis="open" if row["state"] == "not built" else ""),
            f"{row['megabytes']:.0f}" if row["folder"] else "",
        )
        for row in rows
    ]
    print_table("environments", ("algorithms", "needs", "runs in", "MB"), cells, ("text", "text", "text", "right"))
    if others:
        print(more)


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
