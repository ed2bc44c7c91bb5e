"""``benchkit data list``, ``get`` and ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.json_answer import JsonOption, print_json

if TYPE_CHECKING:
    from benchkit.data.fetch import DatasetState

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

    from benchkit.data.fetch import file_states
    from benchkit.data.files import data_folders
    from benchkit.document.terminal import Console

    states = list(file_states(_chosen(names)))
    if as_json:
        rows = [
            {
                "dataset": state.dataset,
                "file": state.file.name,
                "path": str(state.path) if state.path else None,
                "bytes": state.path.stat().st_size if state.path else None,
            }
            for state in states
        ]
        print_json("data list", rows, {"searched": [str(folder) for folder in data_folders()]})
        return
    table = Table(title="data files", title_justify="left", title_style="bold")
    for column in ("dataset", "file", "here", "MB"):
        table.add_column(column, justify="right" if column == "MB" else "left", overflow="fold")
    for state in states:
        here = Text(str(state.path.parent)) if state.path else Text("no", style="yellow")
        size = f"{state.path.stat().st_size / 1e6:.1f}" if state.path else ""
        table.add_row(state.dataset, state.file.name, here, size)
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
    from benchkit.cli.interface.console import SOME_FAILED
    from benchkit.data.fetch import verify as check

    states = [check(dataset) for dataset in _chosen(names)]
    if as_json:
        print_json("data verify", [_json_row(state) for state in states])
    else:
        _print_states(states)
    wanted = {"right", "unchecked"} if names else {"right", "unchecked", "absent"}
    if any(state.verdict not in wanted for state in states):
        raise typer.Exit(SOME_FAILED)


def _json_row(state: DatasetState) -> dict[str, object]:
    files = {file.file.name: str(file.path) if file.path else None for file in state.files}
    return {"dataset": state.dataset, "verdict": state.verdict, "reason": state.reason, "files": files}


def _print_states(states: list[DatasetState]) -> None:
    from rich.table import Table
    from rich.text import Text

    from benchkit.document.terminal import Console

    table = Table(title="data files", title_justify="left", title_style="bold")
    for column in ("dataset", "verdict", "file", "here"):
        table.add_column(column, overflow="fold")
    colours = {"right": "green", "wrong": "bold red", "absent": "yellow", "unchecked": "yellow"}
    for state in states:
        for position, file in enumerate(state.files):
            verdict = Text(state.verdict, style=colours[state.verdict]) if position == 0 else Text("")
            name = state.dataset if position == 0 else ""
            table.add_row(name, verdict, file.file.name, str(file.path.parent) if file.path else "no")
    Console().print(table)
    for state in states:
        if state.verdict == "wrong":
            print(f"{state.dataset}: {state.reason}")
