"""``benchkit report``."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli import complete

if TYPE_CHECKING:
    from benchkit.report.analysis import Analysis

FORMATS = ("text", "markdown", "latex", "csv", "json", "html", "parquet")
SPREADS = ("stderr", "sd", "interval", "none")


def report(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="The folder of a suite (its newest run) or of a run, or a bundle.",
            autocompletion=complete.runs,
        ),
    ],
    form: Annotated[str, typer.Option("--format", metavar="|".join(FORMATS), help="How to print it.")] = "text",
    metric: Annotated[str | None, typer.Option(metavar="A,B,...", help="Only these metrics.")] = None,
    algorithms: Annotated[str | None, typer.Option(metavar="A,B,...", help="Only these algorithms.")] = None,
    datasets: Annotated[str | None, typer.Option(metavar="A,B,...", help="Only these datasets or groups.")] = None,
    baseline: Annotated[
        str, typer.Option(metavar="NAME", help="What algorithms are compared with: best, or one of them.")
    ] = "best",
    failures: Annotated[
        str, typer.Option(metavar="drop|worst|baseline:NAME", help="What failed trials count as.")
    ] = "drop",
    spread: Annotated[str, typer.Option(metavar="|".join(SPREADS), help="What follows the mean.")] = "stderr",
    level: Annotated[
        float | None, typer.Option(metavar="X", help="A curve breaks down where its metric passes this.")
    ] = None,
    members: Annotated[bool, typer.Option("--members", help="Also the datasets of each group.")] = False,
    tests: Annotated[bool, typer.Option("--tests", help="Also every difference with its tests.")] = False,
    plot: Annotated[bool, typer.Option("--plot", help="Also draw the curves, in the terminal.")] = False,
    plots: Annotated[
        Path | None, typer.Option("--plots", metavar="DIR", help="Draw every plot into a folder, as SVG and PNG.")
    ] = None,
    bundle: Annotated[
        Path | None, typer.Option("--bundle", metavar="FILE", help="Pack suite, records and report into a .tar.gz.")
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write there instead of printing.")
    ] = None,
) -> None:
    """Print the results of a run, finished or not."""
    from benchkit.cli.show_collection import report_collection
    from benchkit.cli.show_results import print_results
    from benchkit.plugin.manager import UnknownNameError, registry
    from benchkit.report.analysis import Analysis, SelectionError, Settings
    from benchkit.report.bundle import opened, write_bundle
    from benchkit.report.collection import find_collection, load_collection
    from benchkit.report.results import load_results
    from benchkit.suite.load import SuiteError

    for kind, given, known in (("format", form, FORMATS), ("spread", spread, SPREADS)):
        if given not in known:
            raise UnknownNameError(kind, given, known)
    if level is not None and not math.isfinite(level):
        raise SelectionError(f"--level {level}: expected a number")
    declared = registry().metrics
    greater_is_better = {name: declared[name].greater_is_better for name in declared}
    settings = Settings(
        metrics=_names(metric),
        algorithms=_names(algorithms),
        datasets=_names(datasets),
        baseline=baseline,
        failures=failures,
        level=level,
        spread=spread,  # type: ignore[arg-type]  # checked above
        members=members,
    )
    collected = find_collection(run)
    if collected is not None:
        if settings != Settings() or tests or plot or plots or bundle:
            raise SuiteError(
                f"{run} is a collection, which takes only --format and --output: report on one of its suites"
            )
        report_collection(load_collection(collected, greater_is_better), form, output)
        return
    with opened(run) as folder:
        analysis = Analysis(load_results(folder), settings)
        if bundle is not None:
            write_bundle(analysis.results, bundle)
        elif plots is not None:
            _draw(analysis, plots)
        elif form == "text" and output is None:
            print_results(analysis, full=True, comparisons=tests, curves=plot)
        else:
            _write(analysis, form, output)


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name.strip() for name in text.split(","))


def _draw(analysis: Analysis, folder: Path) -> None:
    from benchkit.journal import JournalError
    from benchkit.report.plots.all_plots import write_plots

    try:
        for path in write_plots(analysis, folder):
            print(path)
    except OSError as error:
        raise JournalError(f"{folder}: cannot write: {error.strerror or error}") from None


def _write(analysis: Analysis, form: str, output: Path | None) -> None:
    from benchkit.journal import JournalError
    from benchkit.report.exports import csv_text, json_text, write_parquet
    from benchkit.report.latex import latex
    from benchkit.report.markdown import markdown
    from benchkit.report.page.document import page

    if form == "parquet" and output is None:
        raise JournalError("--format parquet is not for the terminal: name a file with --output FILE")
    writers = {"text": markdown, "markdown": markdown, "latex": latex, "csv": csv_text, "json": json_text}
    writers["html"] = lambda analysis: page(analysis, analysis.results.manifest)
    if output is None:
        print(writers[form](analysis).rstrip("\n"))
        return
    try:
        if form == "parquet":
            write_parquet(analysis, output)
        else:
            output.write_text(writers[form](analysis).rstrip("\n") + "\n", encoding="utf-8")
    except OSError as error:
        raise JournalError(f"{output}: cannot write: {error.strerror or error}") from None
