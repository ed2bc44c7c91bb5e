"""Trials that did not end ok, with their reasons."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.failed_trials import failed_trials
from benchkit.report.results import Results
from benchkit.suite.names import NO_ADVERSARY

TITLE = "Trials that did not end ok"


def failures(results: Results) -> ReportTable | None:
    """How many, of which algorithm, where and why, and what is wrong with the records; None where all is well."""
    rows = [
        [
            ReportCell(each.status, emphasis=f"badge {'open' if each.status == 'skipped' else 'bad'}"),
            each.algorithm,
            each.dataset,
            None if each.adversary == NO_ADVERSARY else each.adversary,
            ReportCell(str(count), count),
            each.why,
        ]
        for each, count in failed_trials(results.rows)
    ]
    note = "; ".join(dict.fromkeys(results.damaged))
    if not rows:
        return ReportTable(title=TITLE, columns=(), rows=(), note=note) if note else None
    columns = ["status", "algorithm", "dataset", "adversary", "trials", "reason"]
    return ReportTable(title=TITLE, columns=columns, rows=rows, note=note)
