"""The page of a collection: it links to the suites' pages beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchkit.report.analysis import Analysis
from benchkit.report.renderers.html import render
from benchkit.report.results import Results


def index(results: Results, analyses: Sequence[Analysis]) -> str:
    """Every suite with its trials and what came of its claims."""
    suites = [
        {"name": each.suite, "title": each.title or each.suite, "trials": len(each.rows), "claims": _told(each)}
        for each in results.suites
    ]
    return str(render("page/index.html", title=results.title or results.suite, suites=suites))


def _told(results: Results) -> str:
    counts = Counter(verdict.outcome for verdict in results.verdicts())
    return ", ".join(f"{count} {outcome}" for outcome, count in counts.items()) or "-"
