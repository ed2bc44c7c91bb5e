"""Text of a figure that stays inside it."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
