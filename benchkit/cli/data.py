"""``benchkit data list``, ``get`` and ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.console import SOME_FAILED, print_json, print_table
from benchkit.cli.interface.options import JsonOption

app = typer.Typer(no_args_is_help=True, add_completion=False)

NamesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="[NAME]...", help="Datasets; all where absent.", autocompletion=complete.datasets),
]


def _chosen(names: list[str] | None) -> list[Any]:
    """Declarations of the named datasets, or of all that have files."""
    from benchkit.plugin.manager import registry

    datasets = registry().datasets
    return [datasets[name] for name in names] if names else [dataset for dataset in datasets.values() if dataset.files]


def _files(dataset: Any) -> dict[str, Path | None]:
    from benchkit.data.files import locate_file

    return {file.name: locate_file(file.name) for file in dataset.files}


@app.command("list")
def list_files(names: NamesArgument = None, as_json: JsonOption = False) -> None:
    """Say where each dataset's files are, and how large."""
    from benchkit.cli.interface.show_results import print_lines
    from benchkit.data.files import data_folders
    from benchkit.plugin.declarations import ReportCell

    searched = list(map(str, data_folders()))
    files = [(dataset.name, name, path) for dataset in _chosen(names) for name, path in _files(dataset).items()]
    if as_json:
        rows = [
            {"dataset": dataset, "file": name, "path": path and str(path), "bytes": path and path.stat().st_size}
            for dataset, name, path in files
        ]
        print_json("data list", rows, {"searched": searched})
        return
    absent = ReportCell("no", emphasis="open"), ""
    cells = [
        (dataset, name, *((path.parent, f"{path.stat().st_size / 1e6:.1f}") if path else absent))
        for dataset, name, path in files
    ]
    print_table("data files", ("dataset", "file", "here", "MB"), cells, ("left", "text", "text", "right"))
    print_lines(["searched: " + ", then ".join(searched)])


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
        for place in map(str, placed) if placed else ["already here"]:
            print(f"{dataset.name}: {place}")


@app.command("verify")
def verify(names: NamesArgument = None, as_json: JsonOption = False) -> None:
    """Check datasets' files against what they should contain; exit code 1 if one is wrong."""
    from benchkit.data.fetch import verify as check
    from benchkit.plugin.declarations import ReportCell

    states = [(dataset.name, *check(dataset), _files(dataset)) for dataset in _chosen(names)]
    if as_json:
        rows = [
            {
                **{"dataset": name, "verdict": verdict, "reason": reason},
                "files": {file: path and str(path) for file, path in files.items()},
            }
            for name, verdict, reason, files in states
        ]
        print_json("data verify", rows)
    else:
        looks = {"right": "good", "wrong": "bad"}
        cells = []
        for name, verdict, _, files in states:
            begin: tuple[Any, ...] = name, ReportCell(verdict, emphasis=looks.get(verdict, "open"))
            for file, path in files.items():
                cells.append((*begin, file, path.parent if path else "no"))
                begin = "", ""
        print_table("data files", ("dataset", "verdict", "file", "here"), cells, ("left", "left", "text", "text"))
        for _, verdict, reason, _ in states:
            if verdict == "wrong":
                print(reason)
    wanted = {"right", "unchecked"} if names else {"right", "unchecked", "absent"}
    if any(verdict not in wanted for _, verdict, _, _ in states):
        raise typer.Exit(SOME_FAILED)
