"""Trials that did not end ok, with their reasons."""

from __future__ import annotations

from collections import Counter

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.results import Results

TITLE = "Trials that did not end ok"


def failures(results: Results) -> ReportTable | None:
    """How many, of which algorithm, where and why; None where all ended ok."""
    grouped: Counter[tuple[str, ...]] = Counter()
    for row in results.rows:
        if row["status"] != "ok":
            kind = "" if row["error_type"] in (None, row["status"]) else f"{row['error_type']}: "
            grouped[row["status"], row["algorithm"], row["dataset"], f"{kind}{row['error'] or ''}"] += 1
    if not grouped:
        return None
    rows = [
        [
            ReportCell(status, emphasis=f"badge {'open' if status == 'skipped' else 'bad'}"),
            algorithm,
            dataset,
            ReportCell(str(count), count),
            why,
        ]
        for (status, algorithm, dataset, why), count in grouped.most_common()
    ]
    return ReportTable(title=TITLE, columns=["status", "algorithm", "dataset", "trials", "reason"], rows=rows)
