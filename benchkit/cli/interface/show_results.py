"""Printing a run's results: its document, how the trials ended, where the files are."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from benchkit.cli.interface.console import command
from benchkit.document.terminal import Console, show
from benchkit.document.text import counted
from benchkit.journal.manifest import FILE, read_manifest

if TYPE_CHECKING:
    from benchkit.report.analysis import Analysis
    from benchkit.report.results import Results


def print_results(
    analysis: Analysis, *, full: bool = False, tracked: bool = False, reference: Path | None = None
) -> None:
    """Print to standard output: the answer with one table, and where there is more.

    In full, before that every table with its notes and cautions, tests and claims with their evidence. Where it is
    tracked, how to open the dashboard. The reference is what the reader named it by, its suite's folder by default.
    """
    from benchkit.report.answers import ask_for_repetitions
    from benchkit.report.documents import detailed_document, short_document

    results = analysis.results
    document = detailed_document(analysis) if full else short_document(analysis)
    print()
    show(document, Console())
    statuses = counted(results.statuses) or "none"
    if beside := len(results.rows) - len(results.own_rows):
        statuses += f"; {beside} published rows beside them"
    ran = f"{results.ran} trials run, {results.reused} reused, in {results.seconds:.1f} s" if results.seconds else ""
    planned = f"{len(results.own_rows)} of {results.planned} trials" if results.planned else "trials"
    page, out = results.folder / "report.html", results.folder.parent.parent
    lines = [f"\n{ran or planned}: {statuses}", f"files in {results.folder}"]
    if part := results.manifest.get("only"):
        shown = ", ".join(f"{key}={value}" for key, values in part.items() for value in values)
        runs = [read_manifest(path.parent) for path in results.folder.parent.glob(f"*/{FILE}")]
        all_ran = any(not run.get("only") for run in runs)
        whole = command("report", results.folder.parent, "--whole") if all_ran else "run it without --only"
        lines.append(
            f"a part of the suite's {results.manifest['trials_of_suite']} trials ({shown}); all of it: {whole}"
        )
    lines += [f"report: {page}"] if page.exists() else []
    lines += [f"curves in MLflow: {command('ui', *([] if str(out) == 'runs' else ['--out', out]))}"] if tracked else []
    if ask_for_repetitions(analysis.answers):
        option = "--most N" if results.until_decided else "--set split.repetitions=N"
        lines.append(f"more repetitions: the same command with {option}")
    if document.more:
        lines.append(f"more: {command('report', reference or results.folder.parent, '--details')} ({document.more})")
    print_lines(*lines)


def print_collection(results: Results) -> None:
    """Print every claim of a collection with its verdict, and what went wrong."""
    from benchkit.report.documents import collection_document

    show(collection_document(results), Console())


def print_line(results: Results) -> None:
    """Print how a suite's trials ended, and where to read on."""
    ran = f"{results.ran} run, {results.reused} reused, {results.seconds:.0f} s" if results.seconds else "all reused"
    print_lines(f"{results.suite}: {counted(results.statuses)} ({ran}); {command('report', results.folder)}")


def print_interrupted(results: Results) -> None:
    """Print five lines or fewer of a run that was stopped: its tables would mostly be empty."""
    kept = "run the same command again; finished trials are kept in"
    if not results.rows:  # of a collection
        print_lines(f"interrupted before a suite had ended: {kept} {results.folder.parent.parent}")
        return
    left, failed = (results.planned or 0) - len(results.own_rows), results.problems()
    more = f", and {len(failed) - 1} more kinds" if len(failed) > 1 else ""
    print_lines(
        f"interrupted after {results.seconds:.1f} s: {left} of {results.planned} trials are left",
        f"trials that ended: {counted(results.statuses)}",
        *(f"did not end ok: {count} x {text}{more}" for count, text in failed[:1]),
        f"resume: {kept} {results.folder.parent}",
        f"results so far: {command('report', results.folder)}",
    )


def print_lines(*lines: str) -> None:
    """Lines that no width breaks: a path stays one word."""
    for line in lines:
        Console().print(Text(line), highlight=False, soft_wrap=True)
