"""The best validation score against seconds of tuning, drawn in the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchkit.report.neutral import printable
from benchkit.report.tuning_cost import TuningCost

_MARKERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


def terminal_tuning(costs: Sequence[TuningCost], metric: str, width: int = 80, colour: bool = True) -> str:
    """Trajectories as text; the axis of seconds is logarithmic.

    Parameters
    ----------
    costs : sequence of TuningCost
    metric : str
    width : int, default=80
        In characters.
    colour : bool, default=True
    """
    import plotext

    figure = plotext.figure
    figure.clear()
    figure.plot_size(width, 16)
    figure.theme("simple")
    figure.title(f"best validation {printable(metric)} so far")
    figure.label("seconds of tuning", axis="x")
    key, times = [], []
    for place, cost in enumerate(costs):
        if cost.trajectory:
            marker = _MARKERS[place % len(_MARKERS)]
            seconds, scores = zip(*cost.trajectory, strict=True)
            x = [math.log10(each) for each in seconds]
            signal = figure.signal(x, list(scores), marker=plotext.marker(marker, 33 + 11 * (place % 16)))
            signal.lines(True)
            figure.draw(signal)
            times += x
            key.append(f"{marker} {printable(cost.algorithm)}")
    if not times:
        return "no candidate has a score"
    decades = range(math.floor(min(times)), math.ceil(max(times)) + 1)
    figure.ruler("x").ticks([float(each) for each in decades], [f"{10.0**each:g}" for each in decades])
    drawn = figure.build().string(colorless=not colour)
    return f"{drawn.rstrip()}\n   " + "   ".join(key)
