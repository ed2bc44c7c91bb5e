"""Every difference from the best or the baseline, with its tests and effect sizes."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.formatting import interval_text, number, p_value
from benchkit.report.grid import Grid
from benchkit.report.statistics.comparisons import Comparison

_TO_THE_LEFT = ("algorithm", "reference")
# Of little use where a line is short.
_IN_FULL = ("reference", "rank-biserial", "pairs")


def differences(analysis: Analysis, grid: Grid, brief: bool = False) -> ReportTable | None:
    """The differences at every point of a grid, briefly without `_IN_FULL`; None where nothing is compared."""
    margin = analysis.margins.get(grid.metric)
    rows = []
    for value, heading in zip(grid.columns, grid.headings, strict=True):
        for point in grid.column(value):
            compared = analysis.comparison(point)
            if compared is not None:
                where = ReportCell(heading, value if isinstance(value, int | float) else heading)
                row = {grid.axis_title: where, "algorithm": point.algorithm, **_tested(compared)}
                row |= _related(compared, margin) if margin is not None else {}
                rows.append({name: cell for name, cell in row.items() if not brief or name not in _IN_FULL})
    if not rows:
        return None
    return ReportTable(
        title=grid.title,
        columns=list(rows[0]),
        rows=[list(row.values()) for row in rows],
        align=["left" if name in _TO_THE_LEFT else "right" for name in rows[0]],
    )


def _tested(compared: Comparison) -> dict[str, str | ReportCell]:
    kind = "significant" if compared.significant() else ""
    return {
        "reference": compared.reference,
        "difference": ReportCell(number(compared.difference), compared.difference, kind),
        "95 % interval": interval_text(compared.low, compared.high),
        "p Wilcoxon": ReportCell(p_value(compared.wilcoxon), compared.wilcoxon),
        "p interval": ReportCell(p_value(compared.p_interval), compared.p_interval),
        "p Holm": ReportCell(p_value(compared.holm), compared.holm),
        "dz": _effect(compared.dz),
        "rank-biserial": _effect(compared.rank_biserial),
        "pairs": ReportCell(str(compared.n), compared.n),
    }


def _effect(value: float) -> ReportCell:
    return ReportCell(f"{value:+.2f}" if value == value else "-", value)


def _related(compared: Comparison, margin: float) -> dict[str, str | ReportCell]:
    chances = compared.probabilities
    told = "-" if chances is None else ", ".join(f"{each:.2f}" for each in chances)
    return {f"by {margin:g}": compared.relation or "-", "P(better, equivalent, worse)": told}
