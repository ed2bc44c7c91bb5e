"""A document in a terminal: its tables fit the width, broken by columns where they must be."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import rich.console
from rich.box import HEAVY_HEAD, SIMPLE_HEAD
from rich.cells import cell_len
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from benchkit.document import Document, Note, Table, unfolded
from benchkit.document import Text as Sentence
from benchkit.document.text import BEST_IN_BOLD, printable
from benchkit.plugin.declarations import ReportCell, ReportTable

BEST = "_underlined_: the best of each column"
"""How the best is shown where bold type cannot be seen: on a pipe, in a file, without colour."""

_STYLES = {
    "best": "bold green",
    "failed": "yellow",
    "good": "green",
    "bad": "bold red",
    "open": "yellow",
    "panel": "bold",
}
# A column of text is as wide as its longest word at least; a longer one is broken.
_LONGEST_WORD = 16


class Console(rich.console.Console):
    """A terminal for text that strangers may have written; its reader may leave early, as ``head`` does.

    Titles, labels and errors are text: rich's markup is off unless a call asks for it, and control characters are
    shown, not sent.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"markup": False, "emoji": False, **options})

    def render(
        self, renderable: rich.console.RenderableType, options: rich.console.ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Segments without control characters, except those that rich makes itself."""
        for segment in super().render(renderable, options):
            if segment.control is None and not segment.text.isprintable():
                yield Segment(printable(segment.text), segment.style)
            else:
                yield segment

    def on_broken_pipe(self) -> None:
        """Leave it to who runs the command: rich would end the process as failed."""
        raise BrokenPipeError


def show(document: Document, console: Console, details: bool = True) -> None:
    """Print a document, with details or without: its title is left to whoever prints more than it."""
    bold = console.is_terminal and not console.no_color
    for heading, blocks in document.sections(details):
        titles = {block.content.title for block in blocks if isinstance(block, Table)}
        if heading and not any(title == heading or title.startswith(f"{heading}: ") for title in titles):
            console.print(Text(f"\n{heading}", style="bold"))
        for number, block in enumerate(unfolded(blocks)):
            apart = block.content.title if isinstance(block, Table) else isinstance(block, Sentence) and block.strong
            if number and apart:
                console.print()
            if isinstance(block, Sentence):
                console.print(Text(block.text, style="bold" if block.strong else ""), highlight=False)
            elif isinstance(block, Note):
                console.print(Text(_note(block.text, bold), style="dim"), highlight=False)
            elif isinstance(block, Table):
                for part in terminal_tables(block.content, console.width, bold):
                    console.print(part, highlight=False)
                if block.content.note:
                    console.print(Text(_note(block.content.note, bold), style="dim"), highlight=False)


def text(document: Document, width: int, details: bool) -> str:
    """The whole document without colour."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=width)
    console.print(Text(printable(document.title), "bold"))
    show(document, console, details)
    return buffer.getvalue()


def _note(text: str, bold: bool) -> str:
    """A note that says how the best is shown here."""
    return text if bold else text.replace(BEST_IN_BOLD, BEST)


class _Layout(NamedTuple):
    """How a table is set; the first of those that break it into the fewest parts is taken."""

    gap: int  # characters between two columns: with a rule, three
    heading: int  # characters of a line of a heading, unless a word is longer
    below: bool = False  # whether spreads stand below their means

    def width(self, columns: Sequence[_Column]) -> int:
        """Characters that the columns need beside each other."""
        edges = 1 if self.gap == _RULED else -self.gap
        return sum(column.room(self.heading) + self.gap for column in columns) + edges


_RULED = 3
_LAYOUTS = (
    _Layout(_RULED, 28),
    _Layout(_RULED, 16),
    _Layout(2, 12),
    _Layout(1, 0),
    _Layout(2, 0, True),
    _Layout(1, 0, True),
)


class _Column(NamedTuple):
    name: str
    align: str
    entries: list[Text]

    def room(self, longest_heading: int) -> int:
        """Characters that it needs: of text its longest word, else its longest line."""
        lines = [line for entry in self.entries for line in entry.plain.splitlines()]
        if self.align == "text":
            words = [word for text in [self.name, *lines] for word in text.split()]
            return min(max(map(cell_len, words), default=0), _LONGEST_WORD)
        heading = min(cell_len(self.name), longest_heading)
        return max(heading, *map(cell_len, self.name.split()), *map(cell_len, lines), 0)


def terminal_tables(table: ReportTable, width: int = 80, bold: bool = True) -> Iterator[RichTable]:
    """The table without its note, in as few parts as the width allows.

    Underscores mark the best for readers who see no bold type. Where that makes fewer parts, it goes without rules
    between columns, or has spreads below their means. The columns that name a row stand in every part. Text wraps
    beside entries in one line; texts that take a share of the line stand in one column, the first above the others.
    """
    has_shares = any(isinstance(align, float) for align in table.align)
    wraps = has_shares or "text" in table.align
    choices = []
    for layout in _LAYOUTS[1:2] if wraps else _LAYOUTS:
        columns = _columns(table, bold or wraps, wraps, layout.below)
        parts = [columns] if has_shares else list(_parts(columns, layout, width))
        choices.append((len(parts), any(layout.width(part) > width for part in parts), layout, parts))
    *_, layout, parts = min(choices, key=lambda choice: choice[:2])
    for number, part in enumerate(parts):
        title = f"{table.title} (continued)".strip() if number else table.title
        too_wide = layout.width(part) > width
        if too_wide:  # names and intervals go on in the next line; nothing is cut
            part = [column._replace(align="text") if column.align == "left" else column for column in part]
        yield _made(title, part, layout, wraps or too_wide)


def _parts(columns: Sequence[_Column], layout: _Layout, width: int) -> Iterator[Sequence[_Column]]:
    """Columns that stand beside each other; those before the first number are in every part."""
    wraps = any(column.align == "text" for column in columns)
    numbers = [place for place, column in enumerate(columns) if column.align == "right" and place]
    named = next(iter(numbers), 1 if wraps else len(columns))
    part = columns[:named]
    for column in columns[named:]:
        if len(part) > named and layout.width([*part, column]) > width:
            yield part
            part = columns[:named]
        part = [*part, column]
    yield part


def _columns(table: ReportTable, bold: bool, wraps: bool, below: bool) -> list[_Column]:
    shares = [position for position, align in enumerate(table.align) if isinstance(align, float)]
    columns = []
    for position, (name, align) in enumerate(zip(table.columns, table.align, strict=True)):
        cells = [row[position] for row in table.cells]
        if position not in shares:
            columns.append(_Column(name, str(align), [_entry(cell, bold, not wraps, below) for cell in cells]))
        elif position == shares[0]:
            texts = [[_entry(row[shares[0]]), *(Text(str(row[at]), "dim") for at in shares[1:])] for row in table.cells]
            name = ", ".join(table.columns[at] for at in shares)
            columns.append(_Column(name, "text", [Text("\n").join(filter(None, entries)) for entries in texts]))
    return columns


def _made(title: str, columns: Sequence[_Column], layout: _Layout, wraps: bool) -> RichTable:
    ruled = layout.gap == _RULED
    made = RichTable(
        title=title,
        title_justify="left",
        title_style="bold",
        box=HEAVY_HEAD if ruled else SIMPLE_HEAD,
        show_edge=ruled,
        pad_edge=ruled,
        padding=(0, 1) if ruled else (0, layout.gap - 1, 0, 0),
    )
    for column in columns:
        text = column.align == "text"
        made.add_column(
            column.name,
            justify="right" if column.align == "right" else "left",
            # Widths that are known need not be measured, which is half of the work of a long report.
            width=None if text else column.room(layout.heading),
            overflow="fold",
        )
    # A cell per column: laying out one per entry is what a long report would spend most of its time on.
    rows = zip(*(column.entries for column in columns), strict=True)
    for row in rows if wraps or layout.below else [[Text("\n").join(column.entries) for column in columns]]:
        made.add_row(*row)
    return made


def _entry(cell: ReportCell, bold: bool = True, one_line: bool = False, below: bool = False) -> Text:
    """An entry, in one line where the lines of a row stand beside each other, whatever a label holds."""
    kinds = cell.emphasis.split()
    shown = cell if bold or "best" not in kinds else replace(cell, text=f"_{cell.text}_")
    text = str(shown).replace("\n", " ") if one_line else str(shown)
    if below and shown.spread:
        text = f"{replace(shown, spread='')}\n{shown.spread}"
    return Text(text, next((style for kind, style in _STYLES.items() if kind in kinds), ""))
