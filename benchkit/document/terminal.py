"""A document in a terminal: its tables fit the width, broken by columns where they must be."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import rich.console
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
# A heading that is longer is broken into lines, rather than the table into parts.
_LONG_HEADING = 24


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
        for block in unfolded(blocks):
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


class _Column(NamedTuple):
    name: str
    align: str
    entries: list[Text]

    @property
    def room(self) -> int:
        """Characters that it needs: of text its longest word, else its longest entry; long headings are broken."""
        if self.align == "text":
            words = [word for text in [self.name, *(entry.plain for entry in self.entries)] for word in text.split()]
            return min(max(map(len, words), default=0), _LONGEST_WORD)
        heading = [self.name] if len(self.name) <= _LONG_HEADING else self.name.split()
        return max(map(len, [*heading, *(entry.plain for entry in self.entries)]))


def terminal_tables(table: ReportTable, width: int = 80, bold: bool = True) -> Iterator[RichTable]:
    """The table without its note, in as many parts as the width asks for.

    Underscores mark the best for readers who see no bold type. The columns that name a row stand in every part. Text
    wraps beside entries in one line; texts that take a share of the line stand in one column, the first above the
    others.
    """
    shares = [position for position, align in enumerate(table.align) if isinstance(align, float)]
    wraps = bool(shares) or "text" in table.align
    columns = [
        _Column(name, str(align), [_entry(row[position], bold or wraps, not wraps) for row in table.cells])
        for position, (name, align) in enumerate(zip(table.columns, table.align, strict=True))
        if position not in shares
    ]
    if shares:
        name = ", ".join(table.columns[position] for position in shares)
        texts = []
        for row in table.cells:
            below = [Text(str(row[position]), "dim") for position in shares[1:] if str(row[position])]
            texts.append(Text("\n").join([_entry(row[shares[0]]), *below]))
        columns.insert(shares[0], _Column(name, "text", texts))
    widths = [column.room + 3 for column in columns]
    numbers = [place for place, column in enumerate(columns) if column.align == "right" and place]
    named = len(columns) if shares else next(iter(numbers), 1 if wraps else len(columns))
    parts = list(_fitting(widths[named:], width - sum(widths[:named]) - 1)) or [[]]
    for number, part in enumerate(parts):
        title = f"{table.title} (continued)".strip() if number else table.title
        shown = [*columns[:named], *(columns[named + place] for place in part)]
        too_wide = sum(column.room + 3 for column in shown) + 1 > width
        if too_wide:  # names and intervals go on in the next line; nothing is cut
            shown = [column._replace(align="text") if column.align == "left" else column for column in shown]
        yield _made(title, shown, wraps or too_wide)


def _made(title: str, columns: Sequence[_Column], wraps: bool) -> RichTable:
    made = RichTable(title=title, title_justify="left", title_style="bold")
    for column in columns:
        text, long = column.align == "text", len(column.name) > _LONG_HEADING
        justify: Any = "right" if column.align == "right" else "left"
        # Widths that are known need not be measured, which is half of the work of a long report.
        known = column.room if not text and long == wraps else None
        made.add_column(
            column.name,
            justify=justify,
            width=known,
            min_width=None if wraps else column.room,
            no_wrap=not long and not text,
            overflow="fold" if text else "ellipsis",
        )
    # A cell per column: laying out one per entry is what a long report would spend most of its time on.
    rows = zip(*(column.entries for column in columns), strict=True)
    for row in rows if wraps else [[Text("\n").join(column.entries) for column in columns]]:
        made.add_row(*row)
    return made


def _entry(cell: ReportCell, bold: bool = True, one_line: bool = False) -> Text:
    """An entry, in one line where the lines of a row stand beside each other, whatever a label holds."""
    text = str(cell if bold or "best" not in cell.emphasis.split() else replace(cell, text=f"_{cell.text}_"))
    style = next((style for kind, style in _STYLES.items() if kind in cell.emphasis.split()), "")
    return Text(text.replace("\n", " ") if one_line else text, style)


def _fitting(widths: Sequence[int], room: int) -> Iterator[list[int]]:
    """Consecutive columns that fit into the room, at least one at a time."""
    chunk: list[int] = []
    used = 0
    for position, width in enumerate(widths):
        if chunk and used + width > room:
            yield chunk
            chunk, used = [], 0
        chunk.append(position)
        used += width
    if chunk:
        yield chunk
