"""Documents: headings, sentences, tables and charts, which a terminal, Markdown, LaTeX and one HTML page show alike.

A function that makes a `Document` says what a result comes to and in which order; how each form shows it is written
once, here. Plugins make reports of their own with these names.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from benchkit.plugin.declarations import ReportTable

__all__ = [
    "Bars",
    "Block",
    "Chart",
    "Code",
    "Curve",
    "Document",
    "Facts",
    "Fold",
    "Gallery",
    "Heading",
    "Mark",
    "Note",
    "Table",
    "Text",
    "Tiles",
]


@dataclass(frozen=True)
class Heading:
    """Begins a section.

    Attributes
    ----------
    text : str
    details : bool, default=False
        Whether text and papers show the section only where all is asked for.
    page : bool, default=False
        Whether the page alone has it.
    """

    text: str
    details: bool = False
    page: bool = False


@dataclass(frozen=True)
class Text:
    """A sentence or more; ``strong`` ones are what a reader came for."""

    text: str
    strong: bool = False


@dataclass(frozen=True)
class Note:
    """What is to be known of what stands above, in small type; ``warns`` where it says what to be careful of."""

    text: str
    warns: bool = False


@dataclass(frozen=True)
class Table:
    """A table with its note.

    Attributes
    ----------
    content : ReportTable
    look : str, default=""
        Classes of the page's style, such as ``means`` (the first column stays) or ``claims`` (texts that wrap).
    legend : str, default=""
        What a caption adds to the title, where a table has to stand for itself, as in a paper.
    """

    content: ReportTable
    look: str = ""
    legend: str = ""


class Mark(NamedTuple):
    """A point of a curve with its interval and standard error, the trials behind it (``n`` of ``of``), and a sign."""

    x: float
    y: float | None
    low: float | None = None
    high: float | None = None
    error: float | None = None
    n: int = 1
    of: int = 1
    sign: str = ""
    hint: str = ""


@dataclass(frozen=True)
class Curve:
    """Marks in the order of x, joined by straight lines.

    Attributes
    ----------
    name : str
    marks : sequence of Mark
    style : int, default=0
        Colour, marker and dash, by number: `benchkit.document.charts.style_numbers` gives each method its own.
    markers : bool, default=True
        Whether marks are drawn, or the line alone.
    own : bool, default=False
        Whether it is of the reader's own method: a figure marks it, and always shows its band.
    """

    name: str
    marks: Sequence[Mark]
    style: int = 0
    markers: bool = True
    own: bool = False


@dataclass(frozen=True)
class Chart:
    """Curves in one frame: data, with axes in words.

    Attributes
    ----------
    title, x, y : str
    curves : sequence of Curve
    ticks : sequence of (float, str), default=()
        What stands at places of the x axis; numbers where it is empty.
    square : bool, default=False
        Whether both axes run from 0 to 1, with a diagonal to compare with.
    panel, short : str, default=""
        What it is called among others of a `Gallery`, and on its thumbnail.
    differences : mapping of (str, str) to sequence of Mark, default={}
        For two curves by name, the first minus the second: a reader of a `Gallery` can choose them.
    """

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    ticks: Sequence[tuple[float, str]] = ()
    square: bool = False
    panel: str = ""
    short: str = ""
    differences: Mapping[tuple[str, str], Sequence[Mark]] = field(default_factory=dict)


@dataclass(frozen=True)
class Gallery:
    """Charts of which the page shows one at a time, with choices, intervals and values under the pointer.

    Attributes
    ----------
    charts : sequence of Chart
    note : str, default=""
        What the intervals of differences speak of.
    """

    charts: Sequence[Chart]
    note: str = ""


@dataclass(frozen=True)
class Fold:
    """Blocks that the page folds away under a title; narrow ones stand beside each other there."""

    title: str
    blocks: Sequence[Block]
    open: bool = False
    narrow: bool = False


@dataclass(frozen=True)
class Tiles:
    """Numbers that a page begins with: (name, number, ``good`` or ``bad`` or nothing)."""

    tiles: Sequence[tuple[str, str, str]]


@dataclass(frozen=True)
class Bars:
    """Bars beside each other with intervals: (name, value, low, high, ``bad`` or nothing, what hovering tells).

    ``unit`` is what their axis measures.
    """

    bars: Sequence[tuple[str, float, float, float, str, str]]
    unit: str = ""


@dataclass(frozen=True)
class Facts:
    """Names and what they stand for, nested or not."""

    facts: Mapping[str, Any]


@dataclass(frozen=True)
class Code:
    """Text of a file."""

    text: str


Block = Heading | Text | Note | Table | Chart | Gallery | Fold | Tiles | Bars | Facts | Code


@dataclass(frozen=True)
class Document:
    """What is to be shown, in order.

    Attributes
    ----------
    title : str
    blocks : sequence of Block
    facts : str, default=""
        A line under the title.
    more : str, default=""
        What a longer document holds, where this one is short.
    name : str, default=""
        What labels in LaTeX begin with.
    """

    title: str
    blocks: Sequence[Block]
    facts: str = ""
    more: str = ""
    name: str = field(default="", compare=False)

    def sections(self, details: bool = True, page: bool = False) -> Iterator[tuple[str, list[Block]]]:
        """Heading and blocks of each section to be shown; what stands before the first heading has none."""
        heading, blocks = Heading(""), list[Block]()
        for block in [*self.blocks, Heading("")]:
            if not isinstance(block, Heading):
                blocks.append(block)
                continue
            if blocks and (page or not heading.page) and (details or not heading.details):
                yield heading.text, blocks
            heading, blocks = block, []

    def text(self, width: int = 100, details: bool = True) -> str:
        """As a terminal of this width shows it, without colour."""
        from benchkit.document.terminal import text

        return text(self, width, details)

    def markdown(self, details: bool = True) -> str:
        """As Markdown."""
        from benchkit.document.markdown import markdown

        return markdown(self, details)

    def latex(self, details: bool = True) -> str:
        """The tables as LaTeX, which needs booktabs; sentences are comments."""
        from benchkit.document.latex import latex

        return latex(self, details)

    def html(self, home: str = "") -> str:
        """One page that fetches nothing; ``home`` is the address of the first page of a site."""
        from benchkit.document.html import html

        return html(self, home)


def unfolded(blocks: Sequence[Block]) -> Iterator[Block]:
    """The blocks with what folds hold in their place."""
    for block in blocks:
        yield from unfolded(block.blocks) if isinstance(block, Fold) else [block]
