"""``benchkit data list``, ``get`` and ``verify``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.console import SOME_FAILED, print_answer
from benchkit.cli.interface.options import JsonOption, argument, option

app = typer.Typer(no_args_is_help=True, add_completion=False)

NamesArgument = Annotated[list[str] | None, argument("[NAME]...", "Datasets; all where absent.", complete.datasets)]


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

    searched = list(map(str, data_folders()))
    files = [(dataset.name, name, path) for dataset in _chosen(names) for name, path in _files(dataset).items()]
    rows = [
        {"dataset": dataset, "file": name, "path": path and str(path), "bytes": path and path.stat().st_size}
        for dataset, name, path in files
    ]
    print_answer("data list", rows, as_json, ("dataset", "file", "path", "bytes"), {"searched": searched})
    if not as_json:
        print_lines("searched: " + ", then ".join(searched))


@app.command("get")
def get(
    names: Annotated[list[str], argument("NAME...", "Datasets.", complete.datasets)],
    source: Annotated[Path | None, option("--from", "DIR", "Copy the files from a folder, without a network.")] = None,
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

    rows = []
    for dataset in _chosen(names):
        verdict, reason = check(dataset)
        files = {file: path and str(path) for file, path in _files(dataset).items()}
        rows.append({"dataset": dataset.name, "verdict": verdict, "reason": reason, "files": files})
    print_answer("data verify", rows, as_json, ("dataset", "verdict", "files"))
    for row in rows:
        if row["verdict"] == "wrong" and not as_json:
            print(row["reason"])
    wanted = {"right", "unchecked"} if names else {"right", "unchecked", "absent"}
    if any(row["verdict"] not in wanted for row in rows):
        raise typer.Exit(SOME_FAILED)
