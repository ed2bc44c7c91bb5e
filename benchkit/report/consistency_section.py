"""The report section of attacks that do less than weaker ones."""

from __future__ import annotations

from operator import attrgetter

from benchkit.plugin.declarations import ReportTable
from benchkit.report.results import Results


def consistency_table(results: Results) -> ReportTable | None:
    """The report section: each failure of a run, None where attacks keep their order."""
    failures = results.inconsistencies()
    if not failures:
        return None
    columns = ("algorithm", "dataset", "stronger", "does less than", "metric", "trials", "by up to")
    return ReportTable(
        columns=columns,
        rows=[
            [
                *attrgetter("algorithm", "dataset", "stronger", "weaker", "metric", "repetitions")(each),
                f"{each.excess:.3g}",
            ]
            for each in failures
        ],
        note="an attack that is declared to be at least as strong did less damage to the same model",
    )
