"""Error against tuning seconds: what each algorithm had found by when, and what it came to on the test part."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from benchkit.report.plots.style import Curve, curves, legend_below, new_figure
from benchkit.report.tuning_cost import TuningCost

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def tuning_plot(
    costs: Sequence[TuningCost], metric: str, title: str, styles: Mapping[str, Curve] | None = None
) -> Figure:
    """Left: the best validation score by then, median over trials; right: the test part against median seconds.

    Parameters
    ----------
    costs : sequence of TuningCost
    metric : str
    title : str
    styles : mapping of algorithm to Curve, optional
    """
    figure, (found, ended) = new_figure(columns=2, height=2.9)
    chosen = styles or curves(cost.algorithm for cost in costs)
    for cost in costs:
        style = chosen[cost.algorithm]
        if cost.trajectory:
            seconds, scores = zip(*cost.trajectory, strict=True)
            every = max(1, len(seconds) // 8)
            found.plot(seconds, scores, drawstyle="steps-post", markevery=every, label=cost.algorithm, **style.kwargs())
        if cost.seconds[0] > 0 and math.isfinite(cost.score):
            ended.plot([cost.seconds[0]], [cost.score], marker=style.marker, color=style.color, ls="", ms=6)
            ended.plot([cost.seconds[0], cost.seconds[1]], [cost.score] * 2, color=style.color, lw=0.8)
    for axes, what in ((found, f"best validation {metric} so far"), (ended, f"{metric} on the test part")):
        axes.set_xscale("log")
        axes.set_xlabel("seconds of tuning" if axes is found else "seconds of tuning: median, line to the most")
        axes.set_ylabel(what)
    figure.suptitle(title, fontsize=8.5)
    legend_below(figure, found, columns=5)
    return figure
