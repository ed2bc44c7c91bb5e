"""Confusion matrices of several methods, as shares of each true class."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.predicted import Predicted


def confusion(predicted: Predicted) -> ReportTable:
    """A row for each method and true class, a column for each predicted class; counts on hover."""
    rows: list[list[str | ReportCell]] = []
    for algorithm, counts in predicted.confusion.items():
        for place, name in enumerate(predicted.classes):
            total = int(counts[place].sum())
            cells = [_cell(int(count), total, place == other) for other, count in enumerate(counts[place])]
            rows.append([algorithm, name, *cells])
    return ReportTable(
        title=predicted.where,
        columns=["method", "true class", *(f"taken for {name}" for name in predicted.classes)],
        rows=rows,
        align=("left", "left", *["right"] * len(predicted.classes)),
    )


def _cell(count: int, total: int, right: bool) -> ReportCell:
    if not total:
        return ReportCell("-")
    share = count / total
    kind = f"{'right' if right else 'wrong'}{round(4 * share)}"
    return ReportCell(f"{share:.1%}", share, kind, hint=f"{count:,} of {total:,} test rows")
