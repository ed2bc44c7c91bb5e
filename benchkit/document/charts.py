"""Charts as figures, for papers: SVG and PNG, safe for the colour-blind, readable in print."""

from __future__ import annotations

import math
import re
import textwrap
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from io import BytesIO
from pathlib import Path
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


_MOST_BANDS = 8
"""More bands hide each other: a figure of more curves shows lines alone, and the tables their intervals."""


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
        "axes.titlesize": 8.5,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#dddddd",
        "grid.linewidth": 0.6,
        "lines.linewidth": 1.3,
        "lines.markersize": 4,
        "legend.frameon": False,
        "legend.fontsize": 7.5,
        "figure.constrained_layout.use": True,
        "svg.fonttype": "none",
        "svg.hashsalt": "benchkit",
        "pdf.fonttype": 42,  # text that can be searched, and that publishers take
    }
    context: AbstractContextManager[None] = mpl.rc_context(settings)
    return context


def figure(charts: Sequence[Chart], title: str = "", columns: int = 1, small: bool = False, width: float = 0) -> Figure:
    """Charts as a figure of panels with one legend below, without pyplot, so that no global state is touched.

    Parameters
    ----------
    charts : sequence of Chart
    title : str, default=""
        Above all panels.
    columns : int, default=1
    small : bool, default=False
        Whether panels share their axes, and are named by what tells them apart, as for all pairs of classes.
    width : float, optional
        Of a panel, in inches.
    """
    from matplotlib.figure import Figure

    columns = min(columns, len(charts))
    rows = math.ceil(len(charts) / columns)
    width = width or (1.45 if small else WIDTH)
    height = 0.8 * width * rows + 0.7 if small else 3.1 * rows
    drawn = Figure(figsize=(width * columns, height))
    panels = drawn.subplots(rows, columns, squeeze=False, sharex=small, sharey=small).ravel()
    for axes, chart in zip(panels, charts, strict=False):
        _draw(axes, chart, small)
    for axes in panels[len(charts) :]:
        axes.set_axis_off()
    if small:
        drawn.supxlabel(charts[0].x, fontsize=8)
        drawn.supylabel(charts[0].y, fontsize=8)
    if title:
        drawn.suptitle(title, fontsize=8.5)
    handles: dict[str, Any] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    if handles:
        most = min(6 if small else 3, len(handles))
        drawn.legend(handles.values(), handles, loc="outside lower center", ncols=most)
    return drawn


def _draw(axes: Any, chart: Chart, small: bool) -> None:
    size: dict[str, Any] = {"markersize": 2, "linewidth": 0.9} if small else {}
    for curve in chart.curves:
        known = sorted((mark for mark in curve.marks if mark.y is not None), key=lambda mark: mark.x)
        missing = sum(mark.of - mark.n for mark in curve.marks)
        label = f"{curve.name} ({missing} trials missing)" if missing else curve.name
        options = look(curve.style) | size
        if curve.shape == "line":
            options |= dict[str, Any](marker=None, lw=0.8, linestyle="-")
        elif curve.shape == "markers":
            options["linestyle"] = ""
        if curve.steps:
            options |= dict[str, Any](drawstyle="steps-post", markevery=max(1, len(known) // 8))
        axes.plot([mark.x for mark in known], [mark.y for mark in known], label=label or None, **options)
        ends = [(mark.x, mark.low, mark.high) for mark in known if mark.low is not None]
        if ends and not small and len(chart.curves) <= _MOST_BANDS:
            axes.fill_between(*zip(*ends, strict=True), color=options["color"], alpha=0.15, lw=0)
    if "x" in chart.logarithmic:
        axes.set_xscale("log")
    if "y" in chart.logarithmic:
        axes.set_yscale("log")
    axes.set_title(chart.short if small else chart.title, **({"fontsize": 7, "pad": 2} if small else {}))
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
    """Write ``path.svg`` and ``path.png``, or other forms; the same figure gives the same bytes.

    Parameters
    ----------
    figure : Figure
    path : Path
        Without an ending.
    forms : sequence of {"svg", "png", "pdf"}, default=("svg", "png")
    """
    _take_as_it_is(figure)
    fit_text(figure)
    path.parent.mkdir(parents=True, exist_ok=True)
    written = [path.with_name(f"{path.name}.{form}") for form in forms]
    for place, form in zip(written, forms, strict=True):
        content = BytesIO()
        figure.savefig(content, format=form, metadata=_METADATA[form], dpi=200)
        write_whole(place, content.getvalue())
    return written


def _take_as_it_is(figure: Figure) -> None:
    """Dollars in a label are no mathematics: only ticks of logarithmic axes, which matplotlib writes, are."""
    from matplotlib.text import Text

    written: set[int] = set()
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            if axis.get_scale() == "log":
                written |= {id(text) for text in axis.findobj(Text) if text is not axis.label}
    for text in figure.findobj(Text):
        if isinstance(text, Text) and id(text) not in written:
            text.set_parse_math(False)
            text.set_text(printable(text.get_text()))


_MARGIN = 2.0  # pixels
_LABELS = 25.0  # what the labels of an axis take
_SMALLEST = 5.0
_MOST_LINES = 4
_FEWEST_CHARACTERS = 12
_LINE = 0.12  # inches
_LONGEST = 100  # characters of a label


def fit_text(figure: Figure) -> None:
    """Wrap titles that are wider than their room, and give a legend as few columns as it needs to be whole.

    Names that one column has no room for are set smaller, and wrapped at last.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    renderer = FigureCanvasAgg(figure).get_renderer()  # type: ignore[no-untyped-call]  # matplotlib leaves it untyped
    for text in figure.texts:  # a title above all panels
        _wrap(text, figure.bbox.width - 2 * _MARGIN, renderer)
    for axes in figure.axes:
        room = figure.bbox.width / _panels_beside(axes) - 2 * _MARGIN
        # A title stands above the middle of its panel, which is right of the middle of its room.
        _wrap(axes.title, room - 2 * _LABELS, renderer)
    # Further lines of titles would take their room from the curves.
    _grow(figure, _LINE * max((axes.title.get_text().count("\n") for axes in figure.axes), default=0))
    for legend in list(figure.legends):
        before = legend.get_window_extent(renderer).height
        fitted = _fit_legend(figure, legend, renderer)
        _grow(figure, (fitted.get_window_extent(renderer).height - before) / figure.dpi)


def _grow(figure: Figure, inches: float) -> None:
    if inches > 0:
        figure.set_figheight(figure.get_figheight() + inches)


def _panels_beside(axes: Any) -> int:
    spec = axes.get_subplotspec()
    return 1 if spec is None else int(spec.get_gridspec().ncols)


def _wrap(text: Any, room: float, renderer: Any) -> None:
    whole = " ".join(text.get_text().split())
    width = text.get_window_extent(renderer).width
    if not whole or width <= room:
        return
    for characters in range(len(whole), 7, -1):
        text.set_text("\n".join(textwrap.wrap(whole, characters, break_on_hyphens=False)))
        if text.get_window_extent(renderer).width <= room:
            break
    while text.get_text().count("\n") >= _MOST_LINES and text.get_fontsize() > _SMALLEST:
        text.set_fontsize(text.get_fontsize() - 0.5)
        text.set_text(whole)
        _wrap(text, room, renderer)


def _cut(label: str) -> str:
    """A label that is longer than any name has to be would leave no room for curves."""
    return label if len(label) <= _LONGEST else f"{label[: _LONGEST - 3]}..."


def _fit_legend(figure: Figure, legend: Any, renderer: Any) -> Any:
    """The legend, or the one that takes its place."""
    room = figure.bbox.width - 2 * _MARGIN
    handles, labels = legend.legend_handles, [_cut(text.get_text()) for text in legend.get_texts()]
    size = legend.get_texts()[0].get_fontsize() if labels else 0.0
    columns = getattr(legend, "_ncols", 1)
    whole, characters = labels, max(map(len, labels), default=0)
    while labels and legend.get_window_extent(renderer).width > room:
        if columns > 1:
            columns -= 1
        elif size > _SMALLEST:
            size -= 0.5
        elif characters > _FEWEST_CHARACTERS:
            characters -= 4
            labels = ["\n".join(textwrap.wrap(label, characters)) for label in whole]
        else:
            break
        legend.remove()
        legend = figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=size)
        for text in legend.get_texts():
            text.set_parse_math(False)  # labels are no formulas, see `save`
    return legend
