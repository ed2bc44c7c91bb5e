"""How every figure looks: Okabe and Ito's colours, and a marker and a dash of its own for every curve."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Okabe & Ito 2008, without yellow, which is too light for lines on white; black stands last.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1, 1)), (0, (6, 1.5, 1, 1.5)), (0, (3, 1)))
WIDTH = 3.4
"""Of a panel, in inches: a column of a two-column paper."""


@dataclass(frozen=True)
class Curve:
    """Colour, marker and dash of one algorithm, alike in every figure."""

    color: str
    marker: str
    linestyle: Any

    def kwargs(self) -> dict[str, Any]:
        """For ``Axes.plot``."""
        return {"color": self.color, "marker": self.marker, "linestyle": self.linestyle}


def curves(algorithms: Iterable[str]) -> dict[str, Curve]:
    """Styles by algorithm; no two of the first seventy are alike."""
    return {
        name: Curve(
            COLOURS[place % len(COLOURS)],
            MARKERS[place % len(MARKERS)],
            DASHES[(place + place // len(COLOURS)) % len(DASHES)],
        )
        for place, name in enumerate(algorithms)
    }


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
    }
    context: AbstractContextManager[None] = mpl.rc_context(settings)
    return context


def new_figure(columns: int = 1, rows: int = 1, height: float = 2.6, **options: Any) -> tuple[Figure, Sequence[Any]]:
    """A figure of panels without pyplot, so that no window system and no global state is touched."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(WIDTH * columns, height * rows))
    return figure, figure.subplots(rows, columns, squeeze=False, **options).ravel()


def slug(*parts: str) -> str:
    """A file name of plain letters."""
    return re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(parts)).strip("-")


def save(figure: Figure, path: Path) -> list[Path]:
    """Write ``path.svg`` and ``path.png``; the same figure gives the same bytes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    svg, png = path.with_name(path.name + ".svg"), path.with_name(path.name + ".png")
    figure.savefig(svg, metadata={"Date": None})
    figure.savefig(png, dpi=200)
    return [svg, png]


def legend_below(figure: Figure, axes: Any, columns: int = 3) -> None:
    """One legend for all panels, below them."""
    handles, labels = axes.get_legend_handles_labels()
    if labels:
        figure.legend(handles, labels, loc="outside lower center", ncols=min(columns, len(labels)))
