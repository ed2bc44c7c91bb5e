"""The interactive curves: data for the page's script."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from benchkit.report.analysis import Analysis
from benchkit.report.grid import Grid
from benchkit.report.page.section import Section
from benchkit.report.plots.style import DASHES, style_numbers
from benchkit.report.points import Point
from benchkit.report.renderers.html import render


def curves(analysis: Analysis) -> Section | None:
    """Curves with hover, toggles and a choice of panel and metric, where any axis has two points or more."""
    grids = [grid for grid in analysis.all_grids if len(grid.columns) > 1]
    if not grids:
        return None
    # Groups first: they are what their members are averaged for.
    grids.sort(key=lambda grid: not grid.is_group)
    shared = {part for part in _parts(grids[0]) if all(part in _parts(grid) for grid in grids)}
    panels = [{**_panel(analysis, grid), "short": _short(grid, shared)} for grid in grids]
    numbers = style_numbers(analysis.algorithms)
    styles = [numbers[name] for name in analysis.algorithms]
    data = {"algorithms": analysis.algorithms, "styles": styles, "dashes": DASHES, "panels": panels}
    # Within a script element only "</" and "<!--" could end it.
    text = json.dumps(data, separators=(",", ":"), default=str).replace("<", "\\u003c")
    return Section("Curves", render("page/curves.html", data=text))


def _parts(grid: Grid) -> list[str]:
    """Of a panel's name what may tell it from others."""
    params = grid.dataset_params if grid.shown_params is None else grid.shown_params
    return [grid.dataset, *(f"{key}={value}" for key, value in params.items()), grid.adversary]


def _short(grid: Grid, shared: Collection[str]) -> str:
    """A panel's name without what all have in common."""
    return ", ".join(part for part in _parts(grid) if part not in shared) or grid.panel


def _panel(analysis: Analysis, grid: Grid) -> dict[str, Any]:
    places = grid.places
    return {
        "name": grid.panel,
        "metric": grid.metric,
        "axis": grid.axis_title,
        "places": [[places[str(value)], text] for value, text in zip(grid.columns, grid.headings, strict=True)],
        "curves": {
            algorithm: [_point(analysis, point, places[value]) for value, point in row.items()]
            for algorithm, row in grid.rows.items()
        },
    }


def _point(analysis: Analysis, point: Point, place: float) -> list[Any]:
    """Place, mean, standard error, ends of the interval, trials that ended ok, all trials, mark."""
    low, high = point.interval() or (None, None)
    numbers = [_rounded(value) for value in (point.mean, point.stderr, low, high)]
    return [place, *numbers, point.n, point.n + point.failed, analysis.mark(point)]


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.6g}")
