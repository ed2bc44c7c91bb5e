"""A metric against the axis: one panel, or a grid of them, as for the pairs of DSX10's figures 5 and 7."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from benchkit.report.grid import Grid
from benchkit.report.plots.style import Curve, curves, legend_below, new_figure

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_MOST_BANDS = 8
"""More bands hide each other: a figure of more algorithms shows lines alone, and the tables their intervals."""


def robustness_curve(grid: Grid, styles: Mapping[str, Curve] | None = None) -> Figure:
    """One grid as a figure: means with bands of the 95 % interval; algorithms without a value are named in the legend.

    Parameters
    ----------
    grid : Grid
    styles : mapping of algorithm to Curve, optional
    """
    figure, (axes,) = new_figure(height=3.1)
    draw_curves(axes, grid, styles or curves(grid.rows))
    axes.set_title(grid.title)
    axes.set_xlabel(grid.axis_title)
    axes.set_ylabel(grid.metric)
    legend_below(figure, axes)
    return figure


def grid_of_curves(
    grids: Sequence[Grid], styles: Mapping[str, Curve] | None = None, columns: int = 5, width: float = 1.45
) -> Figure:
    """Many grids as one figure with shared axes and one legend, such as all pairs of classes.

    Parameters
    ----------
    grids : sequence of Grid
        Of one metric.
    columns : int, default=5
    width : float, default=1.45
        Of a panel, in inches.
    """
    columns = min(columns, len(grids))
    rows = math.ceil(len(grids) / columns)
    figure, panels = new_figure(columns, rows, height=1.1, sharex=True, sharey=True)
    figure.set_size_inches(width * columns, 0.8 * width * rows + 0.7)
    names = dict.fromkeys(name for grid in grids for name in grid.rows)
    chosen = styles or curves(names)
    adversaries = {grid.adversary for grid in grids}
    if len(adversaries) == 1 and grids[0].panel != grids[0].name:
        figure.suptitle(f"{grids[0].metric} under {grids[0].adversary}", fontsize=8.5)
    for axes, grid in zip(panels, grids, strict=False):
        draw_curves(axes, grid, chosen, markersize=2, linewidth=0.9, band=False)
        axes.set_title(_short(grid) if len(adversaries) == 1 else grid.panel, fontsize=7, pad=2)
        axes.tick_params(labelsize=6)
    for axes in panels[len(grids) :]:
        axes.set_axis_off()
    figure.supxlabel(grids[0].axis_title, fontsize=8)
    figure.supylabel(grids[0].metric, fontsize=8)
    handles: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(handles.values(), handles, loc="outside lower center", ncols=min(6, len(handles)))
    return figure


def _short(grid: Grid) -> str:
    """Only what tells a panel from its neighbours: of a member of a group, its parameters."""
    if grid.group is not None and grid.dataset_params:
        return ", ".join(f"{value}" for value in grid.dataset_params.values())
    return grid.name


def draw_curves(axes: Any, grid: Grid, styles: Mapping[str, Curve], band: bool = True, **look: Any) -> None:
    """Draw a grid's means into axes, with bands of the 95 % interval."""
    numeric = all(isinstance(value, int | float) for value in grid.columns)
    places = grid.places
    band = band and len(grid.rows) <= _MOST_BANDS
    for algorithm, row in grid.rows.items():
        known = sorted(
            ((places[value], point) for value, point in row.items() if point.mean is not None),
            key=lambda pair: pair[0],
        )
        failed = sum(point.failed for point in row.values())
        label = f"{algorithm} ({failed} trials missing)" if failed else algorithm
        x, y = [place for place, _ in known], [point.mean for _, point in known]
        axes.plot(x, y, label=label, **{**styles[algorithm].kwargs(), **look})
        ends = [(place, point.interval()) for place, point in known if point.interval() is not None]
        if band and ends:
            low, high = zip(*(interval for _, interval in ends if interval is not None), strict=True)
            axes.fill_between([place for place, _ in ends], low, high, color=styles[algorithm].color, alpha=0.15, lw=0)
    if not numeric:
        axes.set_xticks(list(places.values()), grid.headings)
    elif max(places.values()) <= 1 and "%" in "".join(grid.headings):
        from matplotlib.ticker import PercentFormatter

        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    elif all(place.is_integer() for place in places.values()):
        from matplotlib.ticker import MaxNLocator

        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins="auto"))
