"""Tiers as a figure: every method's rank, and the ranks that it may have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchkit.document.charts import COLOURS, MARKERS, WIDTH, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from benchkit.judging.judgement import Judgement

_SHORT = 34


def tiers_figure(judged: Judgement) -> Figure:
    """A line per method, best on top; tiers differ by colour and marker."""
    from matplotlib.figure import Figure

    table = judged.tiers
    with styled():
        figure = Figure(figsize=(WIDTH * 1.6, 0.7 + 0.19 * len(table)))
        axes = figure.subplots()
        for tier, rows in table.groupby("tier"):
            place = int(tier) - 1
            colour, marker = COLOURS[place % len(COLOURS)], MARKERS[place % len(MARKERS)]
            axes.hlines(rows["rank"], rows["from"], rows["to"], color=colour, lw=3, alpha=0.45)
            axes.plot(rows["rank"], rows["rank"], marker, color=colour, label=f"tier {tier}")
        names = [name if len(name) <= _SHORT else f"{name[: _SHORT - 3]}..." for name in map(str, table.index)]
        axes.set_yticks(table["rank"], names)
        for label in axes.get_yticklabels():
            label.set_parse_math(False)
        axes.set_ylim(len(table) + 0.6, 0.4)
        axes.set_xlabel(f"rank here (marker), and ranks it may have ({judged.level:.0%}, all at once)")
        if table["tier"].max() <= 8:
            axes.legend(loc="lower left")
    return figure
