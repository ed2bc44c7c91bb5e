"""Demsar's critical-difference diagram: average ranks on a line, bars over those that do not differ."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.report.plots.style import WIDTH
from benchkit.statistics.ranking import Ranking

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def critical_difference_diagram(ranking: Ranking, title: str = "") -> Figure:
    """Draw a ranking (Demsar 2006, figure 1): best left.

    Parameters
    ----------
    ranking : Ranking
    title : str, optional
    """
    from matplotlib.figure import Figure

    k = len(ranking.algorithms)
    left = (k + 1) // 2
    step = 0.24
    bars = ranking.cliques
    depth = 0.22 + 0.13 * len(bars)
    height = depth + step * left + 0.85
    figure = Figure(figsize=(WIDTH * 1.6, height))
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
