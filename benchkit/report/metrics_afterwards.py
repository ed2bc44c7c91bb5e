"""Metrics that nobody asked for when the run was made, computed from the rows that it has kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from benchkit.journal.row_metrics import extended
from benchkit.plugin.manager import registry
from benchkit.report.results import Results


def with_metrics(results: Results, names: Sequence[str]) -> Results:
    """The results with further metrics, as far as they are installed and follow from rows; the others are left out.

    Parameters
    ----------
    results : Results
    names : sequence of str
    """
    if results.members:
        members = tuple(with_metrics(each, names) for each in results.members)
        return replace(results, members=members, rows=[row for each in members for row in each.rows])
    known = registry().metrics
    further = [known[name] for name in dict.fromkeys(names) if name not in results.metrics and name in known]
    further = [metric for metric in further if metric.needs != "model"]
    if not further:
        return results
    outcomes = results.kept_rows.outcomes
    return replace(
        results,
        rows=[row if row["status"] != "ok" else {**row, **extended(row, further, outcomes)} for row in results.rows],
        metrics=[*results.metrics, *(metric.name for metric in further)],
        greater_is_better={
            **results.greater_is_better,
            **{metric.name: metric.greater_is_better for metric in further},
        },
        ranges={**results.ranges, **{metric.name: metric.range for metric in further}},
    )
