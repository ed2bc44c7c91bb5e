"""``benchkit report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

FORMATS = ("text", "markdown", "csv", "json")


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A suite's folder (its newest run) or a run's folder.")],
    form: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="How to print it.")] = "text",
) -> None:
    """Print the results of a run, finished or not."""
    from benchkit.cli.show_results import print_results
    from benchkit.plugin.manager import UnknownNameError, registry
    from benchkit.report.results import load_results
    from benchkit.report.tables import csv_text, json_text, markdown

    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS)
    metrics = registry().metrics
    results = load_results(run, {name: metrics[name].greater_is_better for name in metrics})
    if form == "text":
        print_results(results)
    else:
        write = {"markdown": markdown, "csv": csv_text, "json": json_text}[form]
        print(write(results).rstrip("\n"))
