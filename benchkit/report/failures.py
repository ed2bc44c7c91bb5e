"""Trials that did not end ok, grouped by where and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from benchkit.journal import Record
from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.suite.names import NO_ADVERSARY

if TYPE_CHECKING:
    from benchkit.report.results import Results


class Failed(NamedTuple):
    """What trials that failed alike have in common."""

    algorithm: str
    dataset: str
    adversary: str
    status: str
    why: str


def failed_trials(rows: Iterable[Record]) -> list[tuple[Failed, int]]:
    """How many failed alike, most first."""
    grouped: Counter[Failed] = Counter()
    for row in rows:
        if row["status"] != "ok":
            kind = "" if row["error_type"] in (None, row["status"]) else f"{row['error_type']}: "
            why = f"{kind}{row['error'] or ''}"
            grouped[Failed(row["algorithm"], row["dataset"], row["adversary"], row["status"], why)] += 1
    return grouped.most_common()


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
