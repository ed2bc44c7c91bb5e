"""Each curve in numbers: area, breakdown point, worst rank; and the areas of all panels at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.analysis import Analysis
from benchkit.report.formatting import breakdown_text, number, rank_text
from benchkit.report.grid import Grid
from benchkit.report.statistics.robustness import Robustness, best_area

MOST_PANELS = 12


def robustness(analysis: Analysis, grid: Grid) -> ReportTable | None:
    """The curves of a grid; None where its axis has no numbers."""
    curves = analysis.robustness(grid)
    if not curves:
        return None
    best = best_area(curves, grid.greater_is_better)
    rows = [
        [
            curve.algorithm,
            _area(curve, best),
            ReportCell(breakdown_text(curve.breakdown, grid.has_shares), curve.breakdown),
            ReportCell(rank_text(curve.worst_rank), curve.worst_rank),
        ]
        for curve in curves
    ]
    passes = f"{grid.axis_title} at which {grid.metric} passes {number(curves[0].level)}"
    return ReportTable(
        title=grid.title,
        columns=["algorithm", "mean over axis", passes, "worst rank"],
        rows=rows,
        align=("left", "right", "right", "right"),
        note=analysis.robustness_note,
    )


def _area(curve: Robustness, best: float | None) -> ReportCell:
    if curve.area is None:
        return ReportCell("-")
    spread = "" if curve.area_stderr is None else f"±{number(curve.area_stderr)}"
    return ReportCell(number(curve.area), curve.area, "best" if curve.area == best else "", spread=spread)


def overview(analysis: Analysis, grids: Sequence[Grid]) -> ReportTable | None:
    """Mean over the axis, algorithms x panels: who is ahead where, in one look.

    Parameters
    ----------
    analysis : Analysis
    grids : sequence of Grid
        Of one metric; the first `MOST_PANELS` are shown.
    """
    grids = grids[:MOST_PANELS]
    shown = [(grid, curves) for grid in grids if best_area(curves := analysis.robustness(grid), False) is not None]
    if not shown:
        return None
    there = [name for name in analysis.algorithms if any(name in grid.rows for grid, _ in shown)]
    names = sorted(there, key=lambda name: _standing(name, shown))
    return ReportTable(
        columns=[f"mean {shown[0][0].metric} over the axis", *(grid.panel for grid, _ in shown)],
        rows=[[name, *(_area_of(*panel, name) for panel in shown)] for name in names],
        align=("left", *["right"] * len(shown)),
        note=analysis.robustness_note,
    )


def _standing(algorithm: str, shown: Sequence[tuple[Grid, Sequence[Robustness]]]) -> tuple[int, float]:
    """Best first: by the mean over the panels, after those that are missing in fewer."""
    areas = [
        curve.area * (-1.0 if grid.greater_is_better else 1.0)
        for grid, curves in shown
        for curve in curves
        if curve.algorithm == algorithm and curve.area is not None
    ]
    return len(shown) - len(areas), fmean(areas) if areas else 0.0


def _area_of(grid: Grid, curves: Sequence[Robustness], algorithm: str) -> ReportCell:
    area = next((curve.area for curve in curves if curve.algorithm == algorithm), None)
    if area is None:
        return ReportCell("-")
    kind = "best" if area == best_area(curves, grid.greater_is_better) else ""
    return ReportCell(number(area), area, kind, grid.title)
