"""Means along the axis: algorithms x axis."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.formatting import counts, interval_text, number, p_value
from benchkit.report.grid import Grid
from benchkit.report.statistics.points import Point
from benchkit.statistics.sampling import SCOPE_NAMES


def means(analysis: Analysis, grid: Grid) -> ReportTable:
    """A grid's means with spread and stars, the best of each column emphasised."""
    rows = [
        [algorithm, *(mean_cell(analysis, grid, row.get(str(value))) for value in grid.columns)]
        for algorithm, row in grid.rows.items()
    ]
    return ReportTable(
        title=grid.title,
        columns=[grid.axis_title, *grid.headings],
        rows=rows,
        align=("left", *["right"] * len(grid.columns)),
    )


def mean_cell(analysis: Analysis, grid: Grid, point: Point | None) -> ReportCell:
    """Mean, spread, star, and of how many trials the mean is where some failed."""
    if point is None:
        return ReportCell("-")
    kinds = ["best"] if grid.is_best(point) else []
    kinds += ["failed"] if point.failed else []
    known: dict[str, str] = {}
    if point.mean is None:
        text = f"0 of {point.failed}" if point.failed else "-"
    else:
        text = number(point.mean)
        known = {"spread": "" if point.stderr is None else f"±{number(point.stderr)}", "mark": analysis.mark(point)}
        known["count"] = counts(point) if point.failed else ""
    return ReportCell(text, point.mean, " ".join(kinds), _told(analysis, point), **known)


def _told(analysis: Analysis, point: Point) -> str:
    """Everything known of a point, in one line."""
    said = [f"{counts(point)} trials ended ok" if point.n or point.failed else "no value, though trials ended ok"]
    ends = point.interval()
    if ends is not None and point.sd is not None:
        where = SCOPE_NAMES[point.scope]
        said.append(f"95 % interval {where} {interval_text(*ends)}, standard deviation {number(point.sd)}")
    compared = analysis.comparison(point)
    if compared is not None:
        tests = f"{compared.test} {p_value(compared.p)}, Holm {p_value(compared.holm)}"
        said.append(f"minus {compared.reference}: {number(compared.difference)} ({tests})")
        said += [compared.relation] if compared.relation else []
    return "; ".join(said)
