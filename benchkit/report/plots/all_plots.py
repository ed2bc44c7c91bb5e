"""Every figure that a run gives rise to, by name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeGuard

from benchkit.journal import Record
from benchkit.journal.place import placed
from benchkit.report.analysis import Analysis
from benchkit.report.grid import Grid
from benchkit.report.plots.chosen_parameters import choices, chosen_parameter_plot, varying_parameters
from benchkit.report.plots.critical_difference import critical_difference_diagram
from benchkit.report.plots.latex_figures import figures_tex
from benchkit.report.plots.robustness_curves import grid_of_curves, robustness_curve
from benchkit.report.plots.scaling import scaling_plot
from benchkit.report.plots.style import Curve, Slugs, curves, save, styled
from benchkit.report.plots.tuning_seconds import tuning_plot

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SINGLE_PANELS = 12
_GRID_PANELS = 60


def figures(analysis: Analysis, curves_alone: bool = False) -> Iterator[tuple[str, Figure]]:
    """(name, figure): curves, grids of panels, ranks, scaling, tuning, chosen parameters, as far as a run has them."""
    styles, slug = curves(analysis.algorithms), Slugs()
    grids = [grid for grid in analysis.grids if len(grid.columns) > 1]
    for grid in grids[:_SINGLE_PANELS]:
        yield slug("curve", grid.metric, grid.name, grid.adversary), robustness_curve(grid, styles)
    if curves_alone:
        return
    yield from _pages(analysis, styles, slug)
    for metric, adversary, ranking in analysis.rankings:
        if ranking.tested:
            title = f"{metric} under {adversary}: average ranks over {len(ranking.datasets)} datasets"
            yield slug("ranks", metric, adversary), critical_difference_diagram(ranking, title)
    yield from _scaling(analysis, slug)
    for (dataset, adversary), costs in analysis.tuning_costs.items():
        title, metric = f"tuning on {dataset} under {adversary}", analysis.metrics[0]
        yield slug("tuning", metric, dataset, adversary), tuning_plot(costs, metric, title, styles)
    yield from _chosen(analysis, styles, slug)


def write_plots(
    analysis: Analysis, folder: Path, forms: Sequence[str] = ("svg", "png"), curves_alone: bool = False
) -> list[Path]:
    """Write every figure into a folder; return the paths.

    Parameters
    ----------
    analysis : Analysis
    folder : Path
    forms : sequence of {"svg", "png", "pdf"}, default=("svg", "png")
        With ``pdf`` also ``figures.tex``, which includes them all.
    curves_alone : bool, default=False
        Only the curve of each panel.
    """
    written: list[Path] = []
    captions: list[tuple[Path, str]] = []
    with styled():
        for name, figure in figures(analysis, curves_alone):
            paths = save(figure, folder / name, forms)
            written += paths
            titles = [figure.get_suptitle(), *(axes.get_title() for axes in figure.axes)]
            captions += [(path, f"{', '.join(filter(None, titles))}.") for path in paths if path.suffix == ".pdf"]
    if captions:
        tex = folder / "figures.tex"
        tex.write_text(figures_tex(captions), encoding="utf-8")
        written.append(tex)
    return written


def _pages(analysis: Analysis, styles: dict[str, Curve], slug: Slugs) -> Iterator[tuple[str, Figure]]:
    """One figure of small panels per metric, adversary and group of datasets, where there are several."""
    pages: dict[tuple[str, str, str], list[Grid]] = {}
    for grid in analysis.all_grids:
        if len(grid.columns) > 1 and not grid.is_group:
            pages.setdefault((grid.metric, grid.adversary, grid.group or "datasets"), []).append(grid)
    for (metric, adversary, group), grids in pages.items():
        for start in range(0, len(grids), _GRID_PANELS):
            part = grids[start : start + _GRID_PANELS]
            if len(part) > 2:
                number = [str(start // _GRID_PANELS + 1)] if len(grids) > _GRID_PANELS else []
                yield slug("grid", metric, group, adversary, *number), grid_of_curves(part, styles)


def _scaling(analysis: Analysis, slug: Slugs) -> Iterator[tuple[str, Figure]]:
    """Fit time against a numeric parameter of the dataset that spans a factor of four or more."""
    by_axis: dict[tuple[str, str], dict[str, dict[float, list[float]]]] = {}
    for row in analysis.records:
        size, seconds = row["axis_value"], row.get("fit_seconds")
        if row["status"] == "ok" and row["axis"].startswith("dataset.") and _is_size(size) and seconds:
            samples = by_axis.setdefault((row["dataset"], row["axis"]), {})
            samples.setdefault(row["algorithm"], {}).setdefault(size, []).append(seconds)
    for (dataset, axis), samples in by_axis.items():
        sizes = {size for by_size in samples.values() for size in by_size}
        if max(sizes) >= 4 * min(sizes):
            parameter = axis.partition(".")[2]
            yield slug("scaling", dataset, parameter), scaling_plot(samples, parameter, "seconds to fit", dataset)


def _is_size(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and value > 0


def _chosen(analysis: Analysis, styles: dict[str, Curve], slug: Slugs) -> Iterator[tuple[str, Figure]]:
    """What tuning chose, per dataset and parameter, where the axis has several points."""
    panels: dict[tuple[str, str, str], list[Record]] = {}
    for row, place in placed(analysis.records):
        panels.setdefault((*place.panel, place.axis), []).append(row)
    for (dataset, adversary, axis), rows in panels.items():
        for parameter in varying_parameters(rows):
            found = choices(rows, parameter)
            if max((len(curve) for curve in found.values()), default=0) > 1:
                title = f"chosen {parameter} on {dataset}, {adversary}"
                figure = chosen_parameter_plot(found, parameter, axis, title, styles)
                yield slug("chosen", parameter, dataset, adversary), figure
