"""Curves drawn in the terminal: a metric against the axis, and the best validation score against seconds of tuning."""

from __future__ import annotations

import math
from collections.abc import Sequence

from benchkit.report.grid import Grid
from benchkit.report.neutral import printable
from benchkit.report.tuning_cost import TuningCost

# Letters tell curves apart without colour: on a pipe, in print, to the colour-blind.
_MARKERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_COLOURS = (33, 208, 35, 170, 75, 142, 203, 245)

Curve = tuple[str, Sequence[tuple[float, float]]]


def terminal_plot(grid: Grid, width: int = 80, height: int = 20, colour: bool = True) -> str:
    """The curves of a grid as text, of so many characters."""
    places = grid.places
    curves = [
        (name, sorted((places[value], point.mean) for value, point in row.items() if point.mean is not None))
        for name, row in grid.rows.items()
    ]
    ticks = list(zip(places.values(), grid.headings, strict=True))
    return _drawn(curves, ticks, grid.title, grid.axis_title, (width, height), colour)


def terminal_tuning(costs: Sequence[TuningCost], metric: str, width: int = 80, colour: bool = True) -> str:
    """Trajectories as text; the axis of seconds is logarithmic."""
    curves = [(cost.algorithm, [(math.log10(seconds), score) for seconds, score in cost.trajectory]) for cost in costs]
    times = [time for _, curve in curves for time, _ in curve]
    if not times:
        return "no candidate has a score"
    decades = range(math.floor(min(times)), math.ceil(max(times)) + 1)
    ticks = [(float(each), f"{10.0**each:g}") for each in decades]
    return _drawn(curves, ticks, f"best validation {metric} so far", "seconds of tuning", (width, 16), colour)


def _drawn(
    curves: Sequence[Curve],
    ticks: Sequence[tuple[float, str]],
    title: str,
    label: str,
    size: tuple[int, int],
    colour: bool,
) -> str:
    import plotext

    figure = plotext.figure
    figure.clear()
    figure.plot_size(*size)
    figure.theme("simple")
    figure.title(printable(title))
    figure.label(printable(label), axis="x")
    key: list[str] = []  # below the plot: plotext's own legend covers the curves
    for index, (name, curve) in enumerate(curves):
        if curve:
            x, y = zip(*curve, strict=True)
            marker, pixel = _MARKERS[index % len(_MARKERS)], _COLOURS[index % len(_COLOURS)]
            signal = figure.signal(list(x), list(y), marker=plotext.marker(marker, pixel))
            signal.lines(True)
            figure.draw(signal)
            shown = f"\x1b[38;5;{pixel}m{marker}\x1b[0m" if colour else marker
            key.append(f"{shown} {printable(name)}")
    figure.ruler("x").ticks([place for place, _ in ticks], [printable(text) for _, text in ticks])
    drawn = figure.build().string(colorless=not colour)
    return f"{drawn.rstrip()}\n" + "\n".join(_lines(key, size[0], colour))


def _lines(key: list[str], width: int, colour: bool) -> list[str]:
    """The legend, in lines that fit the width."""
    lines, used = [""], 0
    for entry in key:
        length = len(entry) + 3 - (len("\x1b[38;5;00m\x1b[0m") if colour else 0)
        if used and used + length > width:
            lines.append("")
            used = 0
        lines[-1] += f"   {entry}"
        used += length
    return lines
