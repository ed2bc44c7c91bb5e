"""The note of a run in the dashboard: what a reader sees first when opening it."""

from __future__ import annotations

from benchkit.plugin.spec import Run
from benchkit.report.analysis import Analysis
from benchkit.report.markdown import table
from benchkit.report.results import load_results

_LONGEST = 5000  # of a tag


def run_note(run: Run) -> str:
    """Verdicts, what is to be said under the tables, and where the page is, as markdown."""
    analysis = Analysis(load_results(run.folder))
    lines = [f"# {run.title or run.suite}", "", "Open **report.html** under *Artifacts* for curves and tables.", ""]
    if analysis.verdicts:
        rows = [[verdict.outcome, verdict.claim, verdict.source, verdict.summary] for verdict in analysis.verdicts]
        lines += [*table(["verdict", "claim", "source", "evidence"], rows, numbers=False), ""]
    lines += [f"- {note}" for note in analysis.notes]
    lines += [f"- {count} x {name}" for count, name in analysis.results.problems()[:10]]
    text = "\n".join(lines)
    return text if len(text) <= _LONGEST else text[: _LONGEST - 20] + " ... (cut)"
