"""``benchkit data list``, ``get`` and ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.json_answer import JsonOption, print_json

app = typer.Typer(help="Data files: which are here, get them, check them.", no_args_is_help=True)

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Datasets; all where absent.", autocompletion=complete.datasets),
]


def _chosen(names: list[str] | None) -> list[Any]:
    """Declarations of the named datasets, or of all that have files."""
    from benchkit.plugin.manager import registry

    datasets = registry().datasets
    return [datasets[name] for name in names] if names else [dataset for dataset in datasets.values() if dataset.files]


@app.command("list")
def list_files(names: NamesArgument = None, as_json: JsonOption = False) -> None:
    """Say where each dataset's files are, and how large."""
    from rich.table import Table
    from rich.text import Text

    from benchkit.data.files import data_folders, locate_file
    from benchkit.document.terminal import Console

    files = [(dataset.name, file.name, locate_file(file.name)) for dataset in _chosen(names) for file in dataset.files]
    if as_json:
        rows = [
            {"dataset": dataset, "file": file, "path": path and str(path), "bytes": path and path.stat().st_size}
            for dataset, file, path in files
        ]
        print_json("data list", rows, {"searched": [str(folder) for folder in data_folders()]})
        return
    table = Table(title="data files", title_justify="left", title_style="bold")
    for column in ("dataset", "file", "here", "MB"):
        table.add_column(column, justify="right" if column == "MB" else "left", overflow="fold")
    for dataset, file, path in files:
        here = Text(str(path.parent)) if path else Text("no", style="yellow")
        table.add_row(dataset, file, here, f"{path.stat().st_size / 1e6:.1f}" if path else "")
    console = Console()
    console.print(table)
    console.print("searched: " + ", then ".join(map(str, data_folders())), highlight=False, soft_wrap=True)


@app.command("get")
def get(
    names: Annotated[list[str], typer.Argument(metavar="NAME...", help="Datasets.", autocompletion=complete.datasets)],
    source: Annotated[
        Path | None, typer.Option("--from", metavar="DIR", help="Copy the files from a folder, without a network.")
    ] = None,
) -> None:
    """Download datasets' files into the cache, or copy them from a folder, and check them."""
    from benchkit.data.fetch import FetchError, get_files

    for dataset in _chosen(names):
        if not dataset.files:
            raise FetchError(f"{dataset.name} needs no file")
        placed = get_files(dataset, source)
        if not placed:
            print(f"{dataset.name}: already here")
        for path in placed:
            print(f"{dataset.name}: {path}")


@app.command("verify")
def verify(names: NamesArgument = None, as_json: JsonOption = False) -> None:
    """Check datasets' files against what they should contain; exit code 1 if one is wrong."""
    from rich.table import Table
    from rich.text import Text

    from benchkit.cli.interface.console import SOME_FAILED
    from benchkit.data.fetch import verify as check
    from benchkit.data.files import locate_file
    from benchkit.document.terminal import Console

    datasets = _chosen(names)
    states = [check(dataset) for dataset in datasets]
    paths = [{file.name: locate_file(file.name) for file in dataset.files} for dataset in datasets]
    if as_json:
        rows = [
            {
                "dataset": dataset.name,
                "verdict": verdict,
                "reason": reason,
                "files": {name: path and str(path) for name, path in files.items()},
            }
            for dataset, (verdict, reason), files in zip(datasets, states, paths, strict=True)
        ]
        print_json("data verify", rows)
    else:
        table = Table(title="data files", title_justify="left", title_style="bold")
        for column in ("dataset", "verdict", "file", "here"):
            table.add_column(column, overflow="fold")
        colours = {"right": "green", "wrong": "bold red", "absent": "yellow", "unchecked": "yellow"}
        for dataset, (verdict, _), files in zip(datasets, states, paths, strict=True):
            cells = dataset.name, Text(verdict, style=colours[verdict])
            for name, path in files.items():
                table.add_row(*cells, name, str(path.parent) if path else "no")
                cells = "", Text("")
        Console().print(table)
        for verdict, reason in states:
            if verdict == "wrong":
                print(reason)
    wanted = {"right", "unchecked"} if names else {"right", "unchecked", "absent"}
    if any(verdict not in wanted for verdict, _ in states):
        raise typer.Exit(SOME_FAILED)
