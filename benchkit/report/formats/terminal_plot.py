"""A metric against the axis, drawn in the terminal."""

from __future__ import annotations

from benchkit.report.grid import Grid
from benchkit.report.neutral import printable

# Letters tell curves apart without colour: on a pipe, in print, to the colour-blind.
_MARKERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_COLOURS = (33, 208, 35, 170, 75, 142, 203, 245)


def terminal_plot(grid: Grid, width: int = 80, height: int = 20, colour: bool = True) -> str:
    """The curves of a grid as text.

    Parameters
    ----------
    grid : Grid
    width, height : int
        In characters.
    colour : bool, default=True
    """
    import plotext

    figure = plotext.figure
    figure.clear()
    figure.plot_size(width, height)
    figure.theme("simple")
    figure.title(printable(grid.title))
    figure.label(printable(grid.axis_title), axis="x")
    key: list[str] = []  # below the plot: plotext's own legend covers the curves
    places = {str(value): _place(value, index) for index, value in enumerate(grid.columns)}
    for index, (algorithm, row) in enumerate(grid.rows.items()):
        curve = sorted((places[value], point.mean) for value, point in row.items() if point.mean is not None)
        if curve:
            x, y = zip(*curve, strict=True)
            marker = _MARKERS[index % len(_MARKERS)]
            pixel = _COLOURS[index % len(_COLOURS)]
            signal = figure.signal(list(x), list(y), marker=plotext.marker(marker, pixel))
            signal.lines(True)
            figure.draw(signal)
            name = printable(algorithm)
            key.append(f"{marker} {name}" if not colour else f"\x1b[38;5;{pixel}m{marker}\x1b[0m {name}")
    figure.ruler("x").ticks(list(places.values()), [printable(heading) for heading in grid.headings])
    drawn = figure.build().string(colorless=not colour)
    return f"{drawn.rstrip()}\n" + "\n".join(_lines(key, width, colour))


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


def _place(value: object, index: int) -> float:
    """Where an axis value lies: numbers where they are, names in a row."""
    return float(value) if isinstance(value, int | float) else float(index)
