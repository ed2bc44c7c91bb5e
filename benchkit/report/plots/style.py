"""How every figure looks: a colour, a marker and a dash for each of sixteen curves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.report.neutral import file_name, printable
from benchkit.report.plots.fitting import fit_text

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
_REFERENCES = ("constant", "mean")
_GREY = 8
WIDTH = 3.4
"""Of a panel, in inches: a column of a two-column paper."""


@dataclass(frozen=True)
class Curve:
    """Colour, marker and dash of one algorithm, alike in every figure."""

    color: str
    marker: Any
    linestyle: Any

    def kwargs(self) -> dict[str, Any]:
        """For ``Axes.plot``."""
        return {"color": self.color, "marker": self.marker, "linestyle": self.linestyle}


def curves(algorithms: Iterable[str]) -> dict[str, Curve]:
    """Styles by algorithm: colour, marker and dash of the first sixteen all differ; no two of 256 are alike in all."""
    return {
        name: Curve(
            COLOURS[place % len(COLOURS)],
            MARKERS[(place + place // len(COLOURS)) % len(MARKERS)],
            (0, dash) if (dash := DASHES[(place + 3 * (place // len(COLOURS))) % len(DASHES)]) else "-",
        )
        for name, place in style_numbers(list(algorithms)).items()
    }


def style_numbers(algorithms: Sequence[str]) -> dict[str, int]:
    """The style of each: what others are measured by is grey in every figure and page, whoever else is in it."""
    places = {name: place for place, name in enumerate(algorithms)}
    for name in _REFERENCES:
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


def new_figure(columns: int = 1, rows: int = 1, height: float = 2.6, **options: Any) -> tuple[Figure, Sequence[Any]]:
    """A figure of panels without pyplot, so that no window system and no global state is touched."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH * columns, height * rows))
    return figure, figure.subplots(rows, columns, squeeze=False, **options).ravel()


class Slugs:
    """Names of plain letters for what goes into one folder or document: each is given once, whatever the case."""

    def __init__(self) -> None:
        self._given: set[str] = set()

    def __call__(self, *parts: str) -> str:
        """A name that is not given yet: where labels such as ``a b`` and ``a-b`` give one name, with a number."""
        plain = file_name(re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-"))
        names = (plain if number == 1 else f"{plain}-{number}" for number in count(1))
        name = next(name for name in names if name.lower() not in self._given)
        self._given.add(name.lower())
        return name


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
        figure.savefig(place, metadata=_METADATA[form], dpi=200)
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


def legend_below(figure: Figure, axes: Any, columns: int = 3) -> None:
    """One legend for all panels, below them."""
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, len(labels)))
