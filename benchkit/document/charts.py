"""Charts as figures, for papers: SVG and PNG, safe for the colour-blind, readable in print."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from itertools import accumulate, pairwise
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchkit.document import Chart
from benchkit.document.text import printable
from benchkit.whole_file import write_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure


# Okabe & Ito 2008, without yellow, which is too light for lines on white; then nine that differ from these and from
# each other by 25 or more in CIELAB. The colour-blind tell the first seven apart by colour, and all by marker and dash.
COLOURS = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7B2D8B"),
    *("#8A8A8A", "#E10F4B", "#1F1F7A", "#808000", "#6969FF", "#5A2D00", "#93B200", "#004D40"),
)
MARKERS: tuple[Any, ...] = (
    *("o", "s", "^", "D", "v", "P", "X", "*", "<", ">", "p", "h", "d"),
    *((4, 1, 0), "1", "|"),
)
# Lengths of lines and gaps in points; the page draws the same.
DASHES: tuple[tuple[float, ...], ...] = (
    *((), (5, 1.5), (1, 1), (6, 1.5, 1, 1.5), (3, 1), (8, 2, 2, 2), (5, 1, 1, 1, 1, 1), (2, 2)),
    *((10, 2), (1, 2.5), (4, 2.5), (8, 1, 3, 1), (3, 1, 1, 1), (6, 3, 1, 3), (2, 1, 2, 3), (12, 2, 1, 2, 1, 2)),
)
_GREY = 8
_NUMBER = re.compile(r"-?[0-9.]+(e[-+]?[0-9]+)?%?")
WIDTH = 3.4
"""Of a panel, in inches: a column of a two-column paper."""


_TITLE, _SMALL, _LEGEND = 8.5, 7.0, 7.5  # points
_CHARACTER = 0.62  # of the size, what a character takes
_NARROW = 0.56  # in a legend, whose columns would else be fewer than there is room for
_HANDLE = 0.5  # inches of a legend's line beside its name
_FEWEST_CHARACTERS, _LONGEST = 12, 100  # of a line, and of a label
_LINE = 0.12  # inches
_MOST_BANDS = 4
_BROKEN = 1000  # times the median
"""More bands hide each other: a figure of more curves shows thin lines, and bands of the reader's own methods alone."""


def look(style: int) -> dict[str, Any]:
    """Colour, marker and dash of a style, for ``Axes.plot``: of sixteen all differ; no two of 256 are alike in all."""
    turn = style // len(COLOURS)
    dash = DASHES[(style + 3 * turn) % len(DASHES)]
    marker = MARKERS[(style + turn) % len(MARKERS)]
    return {"color": COLOURS[style % len(COLOURS)], "marker": marker, "linestyle": (0, dash) if dash else "-"}


def style_numbers(algorithms: Sequence[str], references: Iterable[str]) -> dict[str, int]:
    """The style of each: the first that others are measured by is grey in every figure and page, whoever is in it."""
    places = {name: place for place, name in enumerate(algorithms)}
    for name in references:
        if name in places:
            other = next((each for each, place in places.items() if place == _GREY), name)
            places[other], places[name] = places[name], _GREY
            break
    return places


def styled() -> AbstractContextManager[None]:
    """Matplotlib's settings for our figures."""
    import matplotlib as mpl

    settings: dict[Any, Any] = {
        "font.size": 8,
        "text.parse_math": False,  # dollars in a label are no mathematics
        "axes.titlesize": _TITLE,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.3,
        "lines.markersize": 4,
        "legend.frameon": False,
        "legend.fontsize": _LEGEND,
        "figure.constrained_layout.use": True,
        "svg.fonttype": "none",
        "svg.hashsalt": "benchkit",
        "pdf.fonttype": 42,  # text that can be searched, and that publishers take
    }
    context: AbstractContextManager[None] = mpl.rc_context(settings)
    return context


def figure(charts: Sequence[Chart], title: str = "", columns: int = 1, small: bool = False, width: float = 0) -> Figure:
    """Charts as a figure of panels with one legend below, without pyplot, so that no global state is touched.

    Small panels share their axes, and are named by what tells them apart, as for all pairs of classes; the width is of
    a panel, in inches.
    """
    from matplotlib.figure import Figure

    columns = min(columns, len(charts))
    rows = math.ceil(len(charts) / columns)
    width = width or (1.45 if small else WIDTH)
    titles = [
        _wrapped(chart.short if small else chart.title, width - 0.4, _SMALL if small else _TITLE) for chart in charts
    ]
    # Further lines of titles would take their room from the curves.
    more = _LINE * max(text.count("\n") for text in titles)
    height = (0.8 * width + more) * rows + 0.85 if small else (3.1 + more) * rows
    drawn = Figure(figsize=(width * columns, height))
    panels = drawn.subplots(rows, columns, squeeze=False, sharex=small, sharey=small).ravel()
    for axes, chart, text in zip(panels, charts, titles, strict=False):
        _draw(axes, chart, text, small)
    for axes in panels[len(charts) :]:
        axes.set_axis_off()
    if small:
        for axes in panels[max(0, len(charts) - columns) : len(charts)]:  # a figure's own label would meet the legend
            axes.set_xlabel(_wrapped(charts[0].x, width - 0.2, _SMALL), fontsize=_SMALL)
        drawn.supylabel(charts[0].y, fontsize=8)
    if title:
        drawn.suptitle(_wrapped(title, width * columns, _TITLE), fontsize=_TITLE)
    handles: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        _add_legend(drawn, handles, min(6 if small else 3, len(handles)))
    return drawn


def _wrapped(text: str, inches: float, size: float, hyphens: bool = False) -> str:
    """Text in as many lines as its room asks for, by what its characters take on average and a little more."""
    characters = max(_FEWEST_CHARACTERS, int(72 * inches / (_CHARACTER * size)))
    return "\n".join(textwrap.wrap(text, characters, break_on_hyphens=hyphens))


def _add_legend(drawn: Figure, handles: dict[str, Any], most: int) -> None:
    """Below all panels, in as many columns as there is room for names."""
    room = drawn.get_figwidth() - _HANDLE
    labels = [_wrapped(label[:_LONGEST], room, _LEGEND, hyphens=True) for label in handles]
    widths = [_HANDLE + max(map(len, label.splitlines())) * _NARROW * _LEGEND / 72 for label in labels]

    def needed(columns: int) -> float:
        """Inches of so many columns, as matplotlib fills them: the first ones have a name more."""
        ends = [0, *accumulate(len(labels) // columns + (at < len(labels) % columns) for at in range(columns))]
        return sum(max(widths[first:end]) for first, end in pairwise(ends))

    columns = next((n for n in range(most, 1, -1) if needed(n) <= drawn.get_figwidth()), 1)
    lines = sum(label.count("\n") + 1 for label in labels) / columns
    drawn.set_figheight(drawn.get_figheight() + max(0.0, lines - 2) * 1.2 * _LEGEND / 72)
    drawn.legend(handles.values(), labels, loc="outside lower center", ncols=columns, fontsize=_LEGEND)


def _draw(axes: Any, chart: Chart, title: str, small: bool) -> None:
    level = [len({mark.y for mark in curve.marks}) == 1 for curve in chart.curves]  # without a band
    many = level.count(False) > _MOST_BANDS
    size: dict[str, Any] = {"markersize": 2 if small else 3, "linewidth": 0.9} if small or many else {}
    for curve, is_level in zip(chart.curves, level, strict=True):
        known = sorted((mark for mark in curve.marks if mark.y is not None), key=lambda mark: mark.x)
        missing = sum(mark.of - mark.n for mark in curve.marks)
        label = f"{curve.name}{'†' * curve.own}{f' ({missing} trials missing)' if missing else ''}"
        options = look(curve.style) | ({} if curve.own and not small else size)
        if not curve.markers:
            options |= dict[str, Any](marker=None, lw=0.8, linestyle="-")
        axes.plot(
            [mark.x for mark in known], [mark.y for mark in known], label=label if known or missing else None, **options
        )
        ends = [(mark.x, mark.low, mark.high) for mark in known if mark.low is not None]
        if ends and not (small or is_level or (many and not curve.own)):
            axes.fill_between(*zip(*ends, strict=True), color=options["color"], alpha=0.15, lw=0)
    heights = [mark.y for curve in chart.curves for mark in curve.marks if mark.y is not None]
    if heights and max(heights) > _BROKEN * median(heights) and min(heights) > 0:
        axes.set_yscale("log")  # else all other curves lie on one line
    axes.set_title(title, **({"fontsize": _SMALL, "pad": 2} if small else {}))
    if small:
        axes.tick_params(labelsize=6)
    else:
        axes.set_xlabel(chart.x)
        axes.set_ylabel(chart.y)
    if chart.ticks:
        _set_ticks(axes, chart.ticks)


def _set_ticks(axes: Any, ticks: Sequence[tuple[float, str]]) -> None:
    """Whole numbers and percentages where the places are such; names where they are none."""
    from matplotlib.ticker import MaxNLocator, PercentFormatter

    places, texts = zip(*ticks, strict=True)
    if not all(_NUMBER.fullmatch(text) for text in texts):
        axes.set_xticks(list(places), list(texts))
    elif max(places) <= 1 and any(text.endswith("%") for text in texts):
        axes.xaxis.set_major_formatter(PercentFormatter(1.0))
    elif all(place.is_integer() for place in places):
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins="auto"))


# Dates would make other bytes of the same figure.
_METADATA: dict[str, dict[str, Any]] = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "png": {}}


def save(figure: Figure, path: Path, forms: Sequence[str] = ("svg", "png")) -> list[Path]:
    """Write ``path.svg`` and ``path.png``, or other forms; the same figure gives the same bytes."""
    from matplotlib.text import Text

    for text in figure.findobj(Text):
        if isinstance(text, Text):
            text.set_text(printable(text.get_text()))
    path.parent.mkdir(parents=True, exist_ok=True)
    written = [path.with_name(f"{path.name}.{form}") for form in forms]
    for place, form in zip(written, forms, strict=True):
        content = BytesIO()
        figure.savefig(content, format=form, metadata=_METADATA[form], dpi=200)
        write_whole(place, content.getvalue())
    return written
