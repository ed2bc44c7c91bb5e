"""Charts and figures of a run: curves, and ranks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from io import BytesIO
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit.document import Chart, Curve, Gallery, Mark
from benchkit.document.charts import WIDTH, figure, save, style_numbers, styled
from benchkit.document.latex import figures_tex, sentence
from benchkit.document.text import Slugs
from benchkit.report.analysis import Analysis, SelectionError
from benchkit.report.answers import OWN
from benchkit.report.grid import Grid
from benchkit.statistics import difference
from benchkit.statistics.ranking import Ranking
from benchkit.statistics.sampling import SCOPE_NAMES, Scope
from benchkit.suite.names import parameter_text
from benchkit.whole_file import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_DIFFERENCES = 1500  # that a page holds, for readers who choose two methods
_SINGLE_PANELS = 12
_GRID_PANELS = 60


def charts_of(grids: Sequence[Grid], analysis: Analysis) -> list[Chart]:
    """The curves of grids: means with 95 % intervals, stars where differences are compared.

    A chart's short name leaves out what all that stand beside it share.
    """
    styles = style_numbers(analysis.algorithms, analysis.results.trivial)
    # Of a panel's name what may tell it from others.
    parts = [
        [grid.dataset, *(parameter_text(key, value) for key, value in grid.shown_params.items()), grid.adversary]
        for grid in grids
    ]
    charts = []
    for grid, own in zip(grids, parts, strict=True):
        curves = []
        for name, row in grid.rows.items():
            marks = list[Mark]()
            if name in grid.skipped:
                continue
            for value, point in row.items():
                low, high = point.interval() or (None, None)
                n, of = point.ended
                mark = analysis.mark(point)
                marks.append(Mark(grid.places[value], point.mean, low, high, point.stderr, n, of, mark))
            curves.append(Curve(name, marks, styles[name], own=name in analysis.own))
        ticks = [(grid.places[str(value)], text) for value, text in zip(grid.columns, grid.headings, strict=True)]
        short = " ".join(part for part in own if not all(part in other for other in parts)) or grid.panel
        charts.append(Chart(grid.title, grid.axis_title, grid.metric, curves, ticks, panel=grid.panel, short=short))
    return charts


def gallery(analysis: Analysis) -> Gallery | None:
    """The curves of all panels, groups first; None where no axis has two points."""
    grids = [grid for grid in analysis.all_grids if len(grid.columns) > 1]
    grids.sort(key=lambda grid: not grid.is_group)  # first what members are averaged for
    charts = charts_of(grids, analysis)
    left = _MOST_DIFFERENCES
    for place, grid in enumerate(grids):
        left -= len(grid.columns) * math.comb(len(grid.rows), 2)
        if left >= 0:
            charts[place] = replace(charts[place], differences=_differences(grid, analysis.settings.scope))
    where = SCOPE_NAMES[analysis.settings.scope]
    note = f"mean difference with its 95 % interval {where}, not adjusted for looking at many"
    return Gallery(charts, note) if grids else None


def _differences(grid: Grid, scope: Scope) -> dict[tuple[str, str], list[Mark]]:
    """Of every two methods the difference at each place where both have values."""
    marks: dict[tuple[str, str], list[Mark]] = {}
    for a, b in (pair for value in grid.columns for pair in combinations(grid.column(value), 2)):
        apart = difference(a.measurement, b.measurement, scope)
        if apart is not None:
            ends = apart.interval(limits=grid.limits_of_differences)
            low, high = ends if math.isfinite(apart.stderr) else (None, None)
            mark = Mark(grid.places[str(a.axis_value)], apart.mean, low, high, n=apart.n, of=apart.n)
            marks.setdefault((a.algorithm, b.algorithm), []).append(mark)
    return marks


def figure_of(grids: Sequence[Grid], analysis: Analysis, columns: int = 5, width: float = 0) -> Figure:
    """One panel, or many small ones with shared axes and one legend."""
    charts = charts_of(grids, analysis)
    if len(grids) == 1:
        return figure(charts)
    adversaries = {grid.adversary for grid in grids}
    under = len(adversaries) == 1 and grids[0].panel != grids[0].name
    title = f"{grids[0].metric} under {grids[0].adversary}" if under else ""
    return figure(charts, title, columns, small=True, width=width)


def panels_figure(analyses: Sequence[Analysis], dataset: str | None, adversary: str | None) -> Figure:
    """The curves of one panel, or of all that fit the choice in one figure, which a notebook shows by itself."""
    panels = [(analysis, grid) for analysis in analyses for grid in analysis.grids]
    chosen = [
        (analysis, grid)
        for analysis, grid in panels
        if dataset in (None, grid.dataset, grid.name) and adversary in (None, grid.adversary)
    ]
    if not chosen:
        known = ", ".join(sorted({grid.panel for _, grid in panels}))
        raise SelectionError(f"no such panel in this run; it has {known or 'none'}")
    with styled():
        drawn = figure_of([grid for _, grid in chosen], chosen[0][0], columns=3, width=2.3)

    def png() -> bytes:
        buffer = BytesIO()
        with styled():
            drawn.savefig(buffer, format="png", dpi=120)
        return buffer.getvalue()

    # A figure that no window system made is shown by a notebook only where it says how.
    drawn._repr_png_ = png  # type: ignore[attr-defined]
    return drawn


def figures(analysis: Analysis, curves_alone: bool = False) -> Iterator[tuple[str, Figure]]:
    """(name, figure): curves, grids of panels, ranks, as far as a run has them."""
    slug = Slugs()
    curves = [grid for grid in analysis.grids if len(grid.columns) > 1 and len(grid.skipped) < len(grid.rows)]
    for grid in curves[:_SINGLE_PANELS] if curves_alone else curves:
        yield slug("curve", grid.metric, grid.name, grid.adversary), figure_of([grid], analysis)
    if curves_alone:
        return
    pages: dict[tuple[str, str, str], list[Grid]] = defaultdict(list)
    for grid in analysis.all_grids:
        if len(grid.columns) > 1 and not grid.is_group:
            pages[grid.metric, grid.adversary, grid.group or "datasets"].append(grid)
    for (metric, adversary, group), grids in pages.items():
        parts = [grids[start : start + _GRID_PANELS] for start in range(0, len(grids), _GRID_PANELS)]
        for number, part in enumerate(parts, 1):
            if len(part) > 2:
                numbered = [str(number)] if len(parts) > 1 else []
                yield slug("grid", metric, group, adversary, *numbered), figure_of(part, analysis)
    for metric, adversary, ranking in analysis.rankings:
        title = f"{metric} under {adversary}: average ranks over {len(ranking.datasets)} datasets"
        yield slug("ranks", metric, adversary), critical_difference_diagram(ranking, title)


def write_plots(
    analysis: Analysis, folder: Path, forms: Sequence[str] = ("svg", "png"), curves_alone: bool = False
) -> list[Path]:
    """Write every figure into a folder, or the curve of each panel; return the paths.

    With ``pdf`` among the forms also ``figures.tex``, which includes them all.
    """
    written: list[Path] = []
    captions: list[tuple[Path, str]] = []
    with styled():
        for name, drawn in figures(analysis, curves_alone):
            paths = save(drawn, folder / name, forms)
            written += paths
            title, panels = drawn.get_suptitle(), [text for axes in drawn.axes if (text := axes.get_title())]
            listed = f"{title}: {', '.join(panels)}" if title and panels else title or ", ".join(panels)
            caption = sentence(" ".join(listed.split()))
            if name.startswith("curve"):
                bands = f" with 95 % intervals {SCOPE_NAMES[analysis.settings.scope]} as bands"
                caption += f" Means over repetitions{bands if any(axes.collections for axes in drawn.axes) else ''}."
                caption += f" {OWN}: own method, which alone has a band where there are many." * bool(analysis.own)
            captions += [(path, caption) for path in paths if path.suffix == ".pdf"]
    if captions:
        tex = folder / "figures.tex"
        write_whole(tex, figures_tex(captions, folder.name))
        written.append(tex)
    return written


def critical_difference_diagram(ranking: Ranking, title: str = "") -> Figure:
    """Draw a ranking (Demsar 2006, figure 1): best left."""
    from matplotlib.figure import Figure

    k, step, bars = len(ranking.algorithms), 0.24, ranking.cliques
    left, depth = (k + 1) // 2, 0.22 + 0.13 * len(bars)
    figure = Figure(figsize=(WIDTH * 1.4, depth + step * left + 0.85))
    axes = figure.subplots()
    axes.set_xlim(1 - 0.55 * (k - 1), k + 0.55 * (k - 1))
    axes.set_ylim(-depth - step * left, 0.85)
    axes.set_axis_off()
    axes.plot([1, k], [0, 0], color="black", lw=1)
    for tick in range(1, k + 1):
        axes.plot([tick, tick], [0, 0.07], color="black", lw=1)
        axes.text(tick, 0.1, str(tick), ha="center", va="bottom")
    for place, (name, rank) in enumerate(zip(ranking.algorithms, ranking.ranks, strict=True)):
        first_half = place < left
        drop = -depth - step * (place if first_half else k - 1 - place)
        side = -1 if first_half else 1
        end = (1.0 if first_half else k) + side * 0.08 * (k - 1)
        axes.plot([rank, rank, end], [0, drop, drop], color="black", lw=0.8)
        axes.plot([rank], [0], marker="o", color="black", ms=3)
        x = end + side * 0.02 * (k - 1)
        axes.text(x, drop, f"{name} ({rank:.2f})", va="center", ha="right" if first_half else "left")
    for row, (first, last) in enumerate(bars):
        below = -0.12 - 0.13 * row
        ends = [ranking.ranks[first] - 0.02, ranking.ranks[last] + 0.02]
        axes.plot(ends, [below, below], color="black", lw=3)
    cd = min(ranking.critical_difference, k - 1)
    wider = "" if cd == ranking.critical_difference else " (wider than the line)"
    axes.plot([1, 1 + cd], [0.48, 0.48], color="black", lw=1.2, marker="|")
    axes.text(1, 0.54, f"CD = {ranking.critical_difference:.2f}{wider}", ha="left", va="bottom", fontsize=7)
    axes.set_title(title or f"Average ranks over {len(ranking.datasets)} datasets")
    return figure
