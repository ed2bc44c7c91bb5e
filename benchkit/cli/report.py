"""``benchkit report``."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from benchkit.cli.interface import options
from benchkit.cli.interface.console import json_answer
from benchkit.cli.interface.options import argument, flag, option
from benchkit.plugin.declarations import ReportFormat

if TYPE_CHECKING:
    from benchkit.report.analysis import Analysis
    from benchkit.report.results import Results

SCOPES = ("rows", "splits")
_NUMBERS = ("csv", "json", "rows", "pdf")


def report(
    run: Annotated[Path, argument("RUN", "The folder of a suite (its newest run) or of a run.")],
    form: Annotated[
        str,
        option(
            "--format",
            "NAME",
            "How to print it: text, markdown, latex, html, csv, json (the rows of --json) or another; see `benchkit "
            "list formats`.",
        ),
    ] = "text",
    as_json: options.JsonOption = False,
    metric: Annotated[
        str | None,
        option("--metrics", "A,B,...", "Only these metrics; those the run did not measure are computed from its rows."),
    ] = None,
    baseline: Annotated[
        str, option("--baseline", "NAME", "Compare every algorithm with this one, or with the best.")
    ] = "best",
    scope: Annotated[
        str,
        option(
            "--scope",
            "|".join(SCOPES),
            "Whether tests generalise to new samples (rows), or condition on this data set (splits).",
        ),
    ] = "rows",
    margin: Annotated[
        float | None, option("--margin", "X", "Call differences of at most X in the first metric equivalent.")
    ] = None,
    by: Annotated[
        str | None, option("--by", "COLUMN", "Who suffers: each method's loss by this column of the data.")
    ] = None,
    details: Annotated[
        bool,
        flag(
            "--details",
            "Every table: means, tests, ranks, members of groups, tuning, changed columns; evidence, cautions.",
        ),
    ] = False,
    whole: Annotated[
        bool, flag("--whole", "Of a suite's folder, the newest run that ran no part alone (--only).")
    ] = False,
    plots: Annotated[
        Path | None, option("--plots", "DIR", "Draw every plot into a folder, as SVG and PNG, or PDF.")
    ] = None,
    output: Annotated[Path | None, option("-o --output", "FILE", "Write there instead of printing.")] = None,
    against: options.AgainstOption = None,
    trust: options.TrustOption = False,
    plugin: options.PluginOption = None,
) -> None:
    """Print the results of a run, finished or not."""
    from benchkit.errors import PublishError, RequestError, writing
    from benchkit.journal.manifest import find_run, is_own
    from benchkit.plugin.guard import guarded
    from benchkit.plugin.manager import UnknownNameError
    from benchkit.report.analysis import Analysis, SelectionError, Settings
    from benchkit.report.metrics_afterwards import with_metrics
    from benchkit.report.plots import write_plots
    from benchkit.report.slices import check_sliced
    from benchkit.report.stored_results import load
    from benchkit.session.plan import open_rows
    from benchkit.whole_file import write_whole

    registry = options.registry_with(plugin)
    formats = registry.report_formats
    if form not in formats:  # the ending of its files names it, too
        form = next((name for name, known in formats.items() if known.suffix == f".{form}"), form)
    # Figures as PDF are a folder of files: no report.
    for kind, given, allowed in (("format", form, (*formats, "pdf")), ("scope", scope, SCOPES)):
        if given not in allowed:
            raise UnknownNameError(kind, given, allowed)
    no_table = by is not None and (as_json or form in _NUMBERS)
    mistakes = {
        f"--json and --format {form} ask for different things: leave out one": as_json and form not in ("text", "json"),
        "--json and --plots ask for different things: leave out one": as_json and plots,
        f"--by gives tables: --format {'json' if as_json else form} has none (in Python: results.by(COLUMN))": no_table,
        f"--margin {margin}: expected a number above 0": margin is not None and not 0 < margin < math.inf,
        "--plots draws figures and writes no report: leave it out, or -o and --format": (
            plots and (output or form not in ("text", "pdf"))
        ),
        "--format pdf writes figures: name a folder with --plots DIR": (
            form == "pdf" and plots is None and (output is None or output.suffix != "")
        ),
    }
    if reason := next((reason for reason, wrong in mistakes.items() if wrong), None):
        raise SelectionError(reason)
    settings = Settings(
        metrics=None if metric is None else tuple(name.strip() for name in metric.split(",")),
        baseline=baseline,
        scope=scope,  # type: ignore[arg-type]  # checked above
        margin=margin,
        by=by,
        details=details,
        plugins=tuple(str(path.resolve()) for path in plugin or ()),
    )
    results = load(find_run(run, whole) if whole else run, trust=trust)
    own, stood_beside = results.suites[0], ""  # published rows that a run of one's own stood beside, if they are here
    if against is None and is_own(own.folder, own.manifest):
        stood_beside = str(own.manifest.get("against", ""))
        stood_beside = "" if "://" in stood_beside else stood_beside
    try:
        if published := against or stood_beside:
            whose, rows = open_rows(published, registry)
            with guarded(f"{whose}: join", passing=(RequestError,), raising=PublishError):
                results = rows.join(results, {})
    except PublishError as error:
        if not stood_beside:
            raise
        print(f"benchkit: warning: without the published rows that the run stood beside: {error}", file=sys.stderr)
    if settings.metrics is not None:
        results = with_metrics(results, settings.metrics, settings.plugins)
    analyses = [Analysis(suite, settings) for suite in results.suites]
    if by is not None:
        check_sliced(analyses)
    if figures := plots or (output if form == "pdf" else None):
        for analysis in analyses:
            place = figures / analysis.results.suite if results.members else figures
            with writing(place):
                written = write_plots(analysis, place, ("pdf",) if form == "pdf" else ("svg", "png"))
            none = f"no figure of {analysis.results.suite}: no axis has two points or more"
            print("\n".join(map(str, written)) or none)
    elif as_json:
        answer = _answer(results, analyses)
        with writing(output) if output else nullcontext():
            write_whole(output, answer + "\n") if output else print(answer)
    elif form == "text" and output is None:
        _print(results, analyses, run, by is not None, settings != Settings(plugins=settings.plugins))
    else:
        _write(results, analyses, formats[form], output)


def _write(results: Results, analyses: Sequence[Analysis], form: ReportFormat, output: Path | None) -> None:
    from benchkit.document.text import printable
    from benchkit.errors import JournalError, writing
    from benchkit.report.files import write

    if not form.text and output is None:
        raise JournalError(f"--format {form.name} is not for the terminal: name a file with --output FILE")
    with writing(output) if output else nullcontext():
        text = write(results, analyses, form, output)
    if text is not None:  # whoever wrote the format, labels in it steer no terminal
        print(printable(text.rstrip("\n")))


def _print(results: Results, analyses: Sequence[Analysis], run: Path, sliced: bool, chosen: bool) -> None:
    """Print all of one suite; of a collection the verdicts, and the suites' tables where something is asked of them."""
    from benchkit.cli.interface.show_results import print_collection, print_results
    from benchkit.document.terminal import Console, show
    from benchkit.report.documents import slices_document

    for analysis in analyses:
        if sliced:
            show(slices_document(analysis), Console())
        elif not results.members or chosen:
            print_results(analysis, full=analysis.settings.details, reference=None if results.members else run)
    if results.members and not sliced:
        print_collection(results)


def _answer(results: Results, analyses: Sequence[Analysis]) -> str:
    """All of a run as one answer in JSON."""
    summary = {
        "run": str(results.folder),
        "planned": results.planned,
        "statuses": dict(results.statuses),
        "answers": [answer for analysis in analyses for answer in analysis.answers],
        "claims": [
            {"suite": analysis.results.suite, "claim": verdict.claim, "outcome": verdict.outcome}
            for analysis in analyses
            for verdict in analysis.verdicts
        ],
    }
    rows = [{"suite": analysis.results.suite, **point.to_dict()} for analysis in analyses for point in analysis.points]
    cautions = dict.fromkeys(caution for analysis in analyses for caution in analysis.cautions)
    return json_answer("report", rows, summary, cautions)
