"""Running, planning and printing collections: a line for each suite, and one table of verdicts over all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from benchkit.cli.console import Console
from benchkit.report.collection import CollectionResults
from benchkit.report.results import Results
from benchkit.report.terminal import OUTCOME_STYLES

COLLECTION_FORMATS = ("text", "markdown")


def run_and_show(reference: str, options: Mapping[str, Any]) -> CollectionResults:
    """Run a collection; print a line when a suite is done, and the verdicts at the end.

    Parameters
    ----------
    reference : str
    options : mapping
        Those of `benchkit.conduct.run`, for each suite.
    """
    from benchkit.cli.progress import make_progress
    from benchkit.conduct.collecting import open_collection, run_collection

    console = Console()
    results = run_collection(
        open_collection(reference),
        progress=make_progress,
        finished=lambda each: console.print(_line(each), highlight=False, soft_wrap=True),
        **options,
    )
    print_verdicts(results)
    return results


def _line(results: Results) -> Text:
    statuses = ", ".join(f"{count} {status}" for status, count in results.statuses.most_common())
    ran = f"{results.ran} run, {results.reused} reused, {results.seconds:.0f} s" if results.seconds else "all reused"
    return Text(f"{results.suite}: {statuses} ({ran}); benchkit report {results.folder}")


def report_collection(results: CollectionResults, form: str, output: Path | None) -> None:
    """Print a collection's run, or write it to a file.

    Parameters
    ----------
    results : CollectionResults
    form : str
        ``text`` for the verdicts, ``markdown`` for the page of what is reproduced.
    output : Path or None
    """
    from benchkit.journal import JournalError
    from benchkit.plugin.manager import UnknownNameError
    from benchkit.report.reproduction import reproduction

    if form not in COLLECTION_FORMATS:
        raise UnknownNameError("format of a collection", form, COLLECTION_FORMATS)
    if form == "text" and output is None:
        print_verdicts(results)
    elif output is None:
        print(reproduction(results).rstrip("\n"))
    else:
        try:
            output.write_text(reproduction(results), encoding="utf-8")
        except OSError as error:
            raise JournalError(f"{output}: cannot write: {error.strerror or error}") from None


def print_verdicts(results: CollectionResults) -> None:
    """Print every claim of a collection with its verdict, and what went wrong."""
    console = Console()
    table = Table(title=results.title or results.name, title_justify="left", title_style="bold", show_lines=True)
    table.add_column("verdict", no_wrap=True)
    table.add_column("suite", no_wrap=True)
    table.add_column("source")
    table.add_column("claim and evidence", ratio=1)
    counts: Counter[str] = Counter()
    for suite, verdict in results.verdicts():
        counts[verdict.outcome] += 1
        text = Text(verdict.claim + "\n")
        text.append(verdict.summary, style="dim")
        outcome = Text(verdict.outcome, style=OUTCOME_STYLES[verdict.outcome])
        table.add_row(outcome, Text(suite), Text(verdict.source), text)
    console.print(table)
    for each in results.results:
        for count, problem in each.problems():
            console.print(Text(f"{each.suite}: {count} x {problem}"), soft_wrap=True)
    for each in results.results:
        for failure in each.audit():
            console.print(Text(f"{each.suite}: attack audit: {failure}", style="bold red"), soft_wrap=True)
    shown = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common()) or "none"
    console.print(f"claims: {shown}; files in {results.folder}", highlight=False, soft_wrap=True)


def show_plan(reference: str, options: Mapping[str, Any]) -> None:
    """Print how many trials each suite of a collection has and how long they may take."""
    from benchkit.conduct.collecting import open_collection, plan_collection

    collection = open_collection(reference)
    planned = plan_collection(collection, **options)
    table = Table(title=collection.loaded.suite.title or reference, title_justify="left", title_style="bold")
    table.add_column("suite", no_wrap=True)
    for name in ("trials", "reused", "to run", "expected"):
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("from")
    total, unknown, elsewhere = 0.0, 0, False
    for each in planned:
        expected = each.expected()
        total += expected.seconds or 0.0
        unknown += expected.seconds is None
        elsewhere |= expected.elsewhere
        table.add_row(
            each.loaded.suite.name,
            str(len(each.trials)),
            str(len(each.reused)),
            str(len(each.left)),
            "-" if expected.seconds is None else duration(expected.seconds),
            expected.origin if each.left else "",
        )
    console = Console()
    console.print(table)
    trials = sum(len(each.left) for each in planned)
    missing = f", not counting {unknown} suites of which nothing is known" if unknown else ""
    console.print(f"{trials} trials to run, about {duration(total)} of one worker{missing}", highlight=False)
    if elsewhere:
        console.print(
            "trials of another profile may be of another size: expect more where theirs is smaller", style="dim"
        )


def duration(seconds: float) -> str:
    """In seconds, minutes or hours."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 2 * 3600 else f"{seconds / 3600:.1f} h"
