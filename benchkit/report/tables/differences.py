"""Every difference from the best or the baseline, with its tests."""

from __future__ import annotations

import math

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.formatting import interval_text, number, p_value
from benchkit.report.grid import Grid
from benchkit.report.statistics.comparisons import Comparison

_TO_THE_LEFT = ("algorithm", "reference")


def differences(analysis: Analysis, grid: Grid) -> ReportTable | None:
    """The differences at every point of a grid; None where nothing is compared.

    Wilcoxon's p-values are a column where any stands, equivalence where there is a margin.
    """
    margin = analysis.margins.get(grid.metric)
    compared = [
        (value, heading, comparison)
        for value, heading in zip(grid.columns, grid.headings, strict=True)
        for point in grid.column(value)
        if (comparison := analysis.comparison(point)) is not None
    ]
    has_wilcoxon = any(not math.isnan(comparison.wilcoxon) for _, _, comparison in compared)
    rows = []
    for value, heading, comparison in compared:
        where = ReportCell(heading, value if isinstance(value, int | float) else heading)
        row = {grid.axis_title: where, **_cells(comparison, has_wilcoxon)}
        rows.append(row | ({f"by {margin:g}": comparison.relation or "-"} if margin is not None else {}))
    if not rows:
        return None
    return ReportTable(
        title=grid.title,
        columns=list(rows[0]),
        rows=[list(row.values()) for row in rows],
        align=["left" if name in _TO_THE_LEFT else "right" for name in rows[0]],
    )


def _cells(compared: Comparison, has_wilcoxon: bool) -> dict[str, str | ReportCell]:
    kind = "significant" if compared.significant() else ""
    wilcoxon = {"p Wilcoxon": ReportCell(p_value(compared.wilcoxon), compared.wilcoxon)} if has_wilcoxon else {}
    return {
        "algorithm": compared.algorithm,
        "reference": compared.reference,
        "difference": ReportCell(number(compared.difference), compared.difference, kind),
        "95 % interval": interval_text(compared.low, compared.high),
        **wilcoxon,
        "p interval": ReportCell(p_value(compared.p_interval), compared.p_interval),
        "p Holm": ReportCell(p_value(compared.holm), compared.holm),
        "pairs": ReportCell(str(compared.n), compared.n),
    }
