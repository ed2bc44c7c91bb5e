"""``benchkit report``."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from benchkit.cli.interface import complete
from benchkit.cli.interface.json_answer import JsonOption, json_answer
from benchkit.cli.interface.options import AgainstOption, PluginOption, TrustOption, parse_names

if TYPE_CHECKING:
    from benchkit.plugin.declarations import ReportFormat
    from benchkit.report.analysis import Analysis, Settings
    from benchkit.report.results import Results

SCOPES = ("rows", "splits")
_NUMBERS = ("csv", "json", "parquet", "rows", "rows-parquet", "pdf")


def report(
    run: Annotated[
        Path,
        typer.Argument(
            metavar="RUN",
            help="The folder of a suite (its newest run) or of a run, or a bundle.",
            autocompletion=complete.runs,
        ),
    ],
    form: Annotated[
        str,
        typer.Option(
            "--format",
            metavar="NAME",
            help="How to print it: text, markdown, latex, html, csv, json (the rows of --json), bundle (a "
            ".tar.gz of suite, records and report) or another; see `benchkit list formats`.",
            autocompletion=complete.formats,
        ),
    ] = "text",
    as_json: JsonOption = False,
    metric: Annotated[
        str | None,
        typer.Option(
            "--metrics",
            metavar="A,B,...",
            help="These metrics alone; those the run did not measure are computed from its rows.",
        ),
    ] = None,
    weights: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Weigh rows by this column of the data, such as an amount: what wrong answers cost, not how many.",
        ),
    ] = None,
    baseline: Annotated[
        str, typer.Option(metavar="NAME", help="Compare every algorithm with this one, or with the best.")
    ] = "best",
    scope: Annotated[
        str,
        typer.Option(
            metavar="|".join(SCOPES),
            help="Whether tests generalise to new samples (rows), or condition on this data set (splits).",
        ),
    ] = "rows",
    margin: Annotated[
        float | None, typer.Option(metavar="X", help="Call differences of at most X in the first metric equivalent.")
    ] = None,
    by: Annotated[
        str | None,
        typer.Option("--by", metavar="COLUMN", help="Who suffers: each method's loss by this column of the data."),
    ] = None,
    details: Annotated[
        bool,
        typer.Option(
            "--details",
            help="Every table: means, tests, ranks, members of groups, tuning, changed columns; evidence, cautions.",
        ),
    ] = False,
    plots: Annotated[
        Path | None,
        typer.Option("--plots", metavar="DIR", help="Draw every plot into a folder, as SVG and PNG, or PDF."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write there instead of printing.")
    ] = None,
    against: AgainstOption = None,
    trust: TrustOption = False,
    plugin: PluginOption = None,
) -> None:
    """Print the results of a run, finished or not."""
    from benchkit.cli.interface.plugin_files import registry_with
    from benchkit.plugin.manager import UnknownNameError
    from benchkit.report.analysis import SelectionError, Settings
    from benchkit.report.bundle import opened, write_bundle
    from benchkit.report.metrics_afterwards import weighted_name
    from benchkit.report.stored_results import load

    if as_json:
        others = {f"--format {form}": form not in ("text", "json"), "--plots": plots}
        for option, is_given in others.items():
            if is_given:
                raise SelectionError(f"--json and {option} ask for different things: leave out one")
        form = "json"
    formats = registry_with(plugin).report_formats
    # Figures as PDF are a folder of files, and a bundle is an archive: they are no reports.
    forms = (*formats, "pdf", "bundle")
    for kind, given, known in (("format", form, forms), ("scope", scope, SCOPES)):
        if given not in known:
            raise UnknownNameError(kind, given, known)
    if by is not None and form in _NUMBERS:
        raise SelectionError(f"--by gives tables: --format {form} has none (in Python: results.by(COLUMN))")
    if by is not None and weights is not None:
        raise SelectionError("--by tells the losses of rows, each of which counts as one: leave out --weights")
    if margin is not None and not (math.isfinite(margin) and margin > 0):
        raise SelectionError(f"--margin {margin}: expected a number above 0")
    settings = Settings(
        metrics=parse_names(metric),
        baseline=baseline,
        scope=scope,  # type: ignore[arg-type]  # checked above
        margin=margin,
        by=by,
        details=details,
        plugins=tuple(str(path.resolve()) for path in plugin or ()),
    )
    with opened(run) as folder:
        results = load(folder, trust=trust)
        if against is not None:
            from benchkit.session.row_sources import open_rows

            results = open_rows(against, registry_with(plugin)).join(results, {})
        if settings.metrics is not None or weights is not None:
            from benchkit.report.metrics_afterwards import with_metrics

            asked = settings.metrics or tuple(results.metrics[:1])
            results = with_metrics(results, asked, weights, settings.plugins)
            if weights is not None:
                settings = replace(settings, metrics=tuple(weighted_name(name, weights) for name in asked))
        if form == "bundle":
            if output is None:
                raise SelectionError("--format bundle packs suite, records and report: name the archive with -o FILE")
            write_bundle(results, output)
        elif plots is not None or form == "pdf":
            folder_of_plots = plots or output
            if folder_of_plots is None:
                raise SelectionError("--format pdf writes figures: name a folder with --plots DIR")
            for each in results.suites:
                place = folder_of_plots / each.suite if results.members else folder_of_plots
                _draw(_analysis(each, settings), place, ("pdf",) if form == "pdf" else ("svg", "png"))
        elif form == "text" and output is None:
            _print(results, settings, run)
        elif as_json:
            _write_text(_answer(results, settings), output)
        else:
            of_suffix = f"{form}-{output.suffix[1:]}" if output is not None else form
            _write(results, settings, formats[of_suffix if of_suffix in formats else form], output)


def _analysis(results: Results, settings: Settings) -> Analysis:
    from benchkit.report.analysis import Analysis

    return Analysis(results, settings)


def _print(results: Results, settings: Settings, reference: Path) -> None:
    """Print all of one suite; of a collection the verdicts, and the suites' tables where something is asked of them."""
    from benchkit.cli.interface.show_results import print_collection, print_results
    from benchkit.report.analysis import Settings

    if settings.by is not None:
        from benchkit.document.terminal import Console, show
        from benchkit.report.documents import slices_document
        from benchkit.report.slices import check_sliced

        analyses = [_analysis(each, settings) for each in results.suites]
        check_sliced(analyses)
        for analysis in analyses:
            show(slices_document(analysis), Console())
        return
    if not results.members or settings != Settings(plugins=settings.plugins):
        for each in results.suites:
            named = None if results.members else reference
            print_results(_analysis(each, settings), full=settings.details, reference=named)
    if results.members:
        print_collection(results)


def _draw(analysis: Analysis, folder: Path, forms: tuple[str, ...]) -> None:
    from benchkit.journal import JournalError
    from benchkit.report.plots import write_plots

    try:
        for path in write_plots(analysis, folder, forms):
            print(path)
    except OSError as error:
        raise JournalError(f"{folder}: cannot write: {error.strerror or error}") from None


def _answer(results: Results, settings: Settings) -> str:
    """All of a run as one answer in JSON."""
    rows: list[dict[str, object]] = []
    answers: list[str] = []
    cautions: list[str] = []
    claims: list[dict[str, str]] = []
    for each in results.suites:
        analysis = _analysis(each, settings)
        rows += [{"suite": each.suite, **point.to_dict()} for point in analysis.points]
        answers += analysis.answers
        cautions += analysis.cautions
        claims += [
            {"suite": each.suite, "claim": str(verdict.claim), "outcome": str(verdict.outcome)}
            for verdict in analysis.verdicts
        ]
    summary = {
        "run": str(results.folder),
        "planned": results.planned,
        "statuses": dict(results.statuses),
        "answers": answers,
        "claims": claims,
    }
    return json_answer("report", rows, summary, dict.fromkeys(cautions))


def _write_text(text: str, output: Path | None) -> None:
    from benchkit.journal import JournalError
    from benchkit.whole_file import write_whole

    if output is None:
        print(text)
        return
    try:
        write_whole(output, text + "\n")
    except OSError as error:
        raise JournalError(f"{output}: cannot write: {error.strerror or error}") from None


def _write(results: Results, settings: Settings, form: ReportFormat, output: Path | None) -> None:
    from benchkit.document.text import printable
    from benchkit.journal import JournalError
    from benchkit.report.files import write

    if not form.text and output is None:
        raise JournalError(f"--format {form.name} is not for the terminal: name a file with --output FILE")
    analyses = [_analysis(each, settings) for each in results.suites]
    if settings.by is not None:
        from benchkit.report.slices import check_sliced

        check_sliced(analyses)
    try:
        text = write(results, analyses, form, output)
    except OSError as error:
        raise JournalError(f"{output}: cannot write: {error.strerror or error}") from None
    if text is not None:  # whoever wrote the format, labels in it steer no terminal
        print(printable(text.rstrip("\n")))
