"""What is printed after Ctrl-C: where things stand, and how to go on."""

from __future__ import annotations

from rich.text import Text

from benchkit.cli.interface.console import Console
from benchkit.report.results import Results


def print_interrupted(results: Results) -> None:
    """Print five lines or fewer to standard output: tables of a run that was stopped would mostly be empty.

    Parameters
    ----------
    results : Results
        Of a run that was interrupted.
    """
    console = Console()
    if not results.rows:  # of a collection
        kept = results.folder.parent.parent
        said = f"interrupted before a suite had ended; run the same command again: finished trials are kept in {kept}"
        console.print(Text(said), highlight=False, soft_wrap=True)
        return
    statuses = results.statuses
    planned = results.planned or len(results.rows)
    ended = ", ".join(f"{count} {status}" for status, count in statuses.most_common()) or "none ended"
    lines = [
        f"interrupted after {results.seconds:.1f} s: {planned - len(results.rows)} of {planned} trials are left",
        f"trials that ended: {ended}",
        f"resume: run the same command again; finished trials are kept in {results.folder.parent}",
        f"results so far: benchkit report {results.folder}",
    ]
    if failed := results.problems():
        count, text = failed[0]
        more = f", and {len(failed) - 1} more kinds" if len(failed) > 1 else ""
        lines.insert(2, f"did not end ok: {count} x {text}{more}")
    for line in lines:
        console.print(Text(line), highlight=False, soft_wrap=True)
