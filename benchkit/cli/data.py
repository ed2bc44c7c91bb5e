"""``benchkit data get``."""

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli.interface.options import argument, option

app = typer.Typer(no_args_is_help=True, add_completion=False)


@app.command("get")
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
