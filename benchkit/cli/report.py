"""``benchkit report``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from benchkit.cli import complete

FORMATS = ("text", "markdown", "csv", "json")


def report(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN", help="A suite's folder (its newest run) or a run's folder.", autocompletion=complete.runs
        ),
    ],
    form: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="How to print it.")] = "text",
) -> None:
    """Print the results of a run, finished or not."""
    from benchkit.cli.show_results import print_results
    from benchkit.plugin.manager import UnknownNameError, registry
    from benchkit.report.results import load_results
    from benchkit.report.tables import csv_text, json_text, markdown

    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS)
    found = registry()
    better = {name: metric.greater_is_better for name, metric in found.metrics.items()}
    results = load_results(run, better, tuple(found.report_sections.values()))
    if form == "text":
        print_results(results)
    else:
        write = {"markdown": markdown, "csv": csv_text, "json": json_text}[form]
        print(write(results).rstrip("\n"))
