"""Printing a run's results: its document, how the trials ended, where the files are."""

from __future__ import annotations

import contextlib
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from benchkit.document import Document
from benchkit.document.terminal import Console, show

if TYPE_CHECKING:
    from benchkit.report.analysis import Analysis
    from benchkit.report.results import Results


def print_results(
    analysis: Analysis, *, full: bool = False, tracked: bool = False, reference: Path | None = None
) -> None:
    """Print to standard output: the answer with one table, and where there is more.

    Parameters
    ----------
    analysis : Analysis
    full : bool, default=False
        Before that every table with its notes and cautions, robustness in numbers, ranks over datasets, every
        difference with its tests, tuning, changed columns, and claims with their evidence.
    tracked : bool, default=False
        Say how to open the dashboard.
    reference : Path, optional
        What the reader named it by, such as a bundle; the suite's folder by default.
    """
    from benchkit.report.documents import detailed_document, short_document

    document = detailed_document(analysis) if full else short_document(analysis)
    _print(document, analysis.results, tracked, reference)


def print_run(analysis: Analysis, full: bool, tracked: bool) -> None:
    """Print a run that has just ended: in short what its folder says, as its report is written."""
    from benchkit.report.files import read_overview

    if not full:
        with contextlib.suppress(OSError, ValueError, KeyError):
            _print(read_overview(analysis.results.folder), analysis.results, tracked, None)
            return
    print_results(analysis, full=full, tracked=tracked)


def _print(document: Document, results: Results, tracked: bool, reference: Path | None) -> None:
    console = Console()
    console.print()
    show(document, console)
    _print_summary(results, console, tracked)
    if document.more:
        text = f"more: benchkit report {reference or results.folder.parent} --details ({document.more})"
        console.print(text, highlight=False, soft_wrap=True)


def print_collection(results: Results) -> None:
    """Print every claim of a collection with its verdict, and what went wrong."""
    from benchkit.report.documents import collection_document

    show(collection_document(results), Console())


def print_line(results: Results) -> None:
    """Print how a suite's trials ended, and where to read on."""
    statuses = ", ".join(f"{count} {status}" for status, count in results.statuses.most_common())
    ran = f"{results.ran} run, {results.reused} reused, {results.seconds:.0f} s" if results.seconds else "all reused"
    line = Text(f"{results.suite}: {statuses} ({ran}); benchkit report {results.folder}")
    Console().print(line, highlight=False, soft_wrap=True)


def _print_summary(results: Results, console: Console, tracked: bool) -> None:
    own = Counter(row["status"] for row in results.own_rows)
    statuses = ", ".join(f"{count} {status}" for status, count in own.most_common()) or "none"
    if beside := len(results.rows) - len(results.own_rows):
        statuses += f"; {beside} published rows beside them"
    ran = f"{results.ran} trials run, {results.reused} reused, in {results.seconds:.1f} s" if results.seconds else ""
    planned = f"{len(results.own_rows)} of {results.planned} trials" if results.planned else ""
    console.print(f"\n{ran or planned}: {statuses}", highlight=False)
    console.print(f"files in {results.folder}", highlight=False, soft_wrap=True)
    page = results.folder / "report.html"
    if page.exists():
        console.print(f"report: {page}", highlight=False, soft_wrap=True)
    if tracked:
        out = results.folder.parent.parent
        option = "" if str(out) == "runs" else f" --out {out}"
        console.print(f"curves in MLflow: benchkit ui{option}", highlight=False, soft_wrap=True)
