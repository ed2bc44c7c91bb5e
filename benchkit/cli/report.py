"""``benchkit report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FORMATS = ("text", "markdown", "csv", "json")


def report(
    run: Annotated[
        Path, typer.Argument(metavar="RUN", help="Folder of a suite or collection (its newest run), or a run's folder.")
    ],
    form: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="How to print it.")] = "text",
) -> None:
    """Print the results of a run, finished or not."""
    from benchkit.cli.show_collection import print_collection
    from benchkit.cli.show_results import print_results
    from benchkit.plugin.manager import UnknownNameError, registry
    from benchkit.report.collection import find_collection, load_collection
    from benchkit.report.results import load_results
    from benchkit.report.tables import csv_text, json_text, markdown

    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS)
    metrics = registry().metrics
    greater_is_better = {name: metrics[name].greater_is_better for name in metrics}
    collected = find_collection(run)
    if collected is not None:
        print_collection(load_collection(collected, greater_is_better), form)
        return
    results = load_results(run, greater_is_better)
    if form == "text":
        print_results(results)
    else:
        write = {"markdown": markdown, "csv": csv_text, "json": json_text}[form]
        print(write(results).rstrip("\n"))
