"""A document in a terminal: its tables fit the width, broken by columns where they must be."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

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


def show(document: Document, console: Console, details: bool = True, bold: bool | None = None) -> None:
    """Print a document: its title is left to whoever prints more than it.

    Parameters
    ----------
    document : Document
    console : Console
    details : bool, default=True
        Whether sections of details are shown.
    bold : bool, optional
        Whether bold type is seen; by default what the console says.
    """
    seen = console.is_terminal and not console.no_color if bold is None else bold
    for heading, blocks in document.sections(details):
        titles = {block.content.title for block in blocks if isinstance(block, Table)}
        if heading and not any(title == heading or title.startswith(f"{heading}: ") for title in titles):
            console.print(Text(f"\n{heading}", style="bold"))
        for block in unfolded(blocks):
            if isinstance(block, Sentence):
                console.print(Text(block.text, style="bold" if block.strong else ""), highlight=False)
            elif isinstance(block, Note):
                console.print(Text(_seen(block.text, seen), style="dim"), highlight=False)
            elif isinstance(block, Table):
                content = replace(block.content, note=_seen(block.content.note, seen))
                for part in terminal_tables(content, console.width, seen):
                    console.print(part, highlight=False)


def text(document: Document, width: int, details: bool) -> str:
    """The whole document without colour."""
    buffer = io.StringIO()
    console = Console(file=buffer, width=width)
    console.print(Text(printable(document.title), "bold"))
    show(document, console, details)
    return buffer.getvalue()


def _seen(note: str, bold: bool) -> str:
    """A note that says how the best is shown here."""
    return note if bold else note.replace(BEST_IN_BOLD, BEST)


def terminal_tables(table: ReportTable, width: int = 80, bold: bool = True, before: str = "") -> Iterator[RichTable]:
    """The table, in as many parts as the width asks for; underscores mark the best for readers who see no bold type.

    The columns that name a row stand in every part. Text wraps beside entries in one line.
    """
    title, alignment = f"{before}{table.title}", list(table.alignment)
    if any(isinstance(align, float) for align in alignment):
        yield _wrapped(table, title)
        return
    wraps = "text" in alignment
    show = _wrapped if wraps else partial(_in_lines, bold=bold)
    widths = [
        _room_for(align, name, [_line(row[position], bold) for row in table.cells]) + 3
        for position, (name, align) in enumerate(zip(table.columns, alignment, strict=True))
    ]
    otherwise = 1 if wraps else len(widths)
    named = next((position for position, align in enumerate(alignment) if align == "right" and position), otherwise)
    parts = list(_fitting(widths[named:], width - sum(widths[:named]) - 1)) or [[]]
    for part, columns in enumerate(parts):
        shown = [*range(named), *(position + named for position in columns)]
        content = ReportTable(
            columns=[table.columns[position] for position in shown],
            rows=[[row[position] for position in shown] for row in table.cells],
            align=[alignment[position] for position in shown],
            note=table.note if part == len(parts) - 1 else "",
        )
        yield show(content, f"{title} (continued)".strip() if part else title)


def _room_for(align: str | float, heading: str, entries: Sequence[str]) -> int:
    """Characters that a column needs: of text its longest word, else its longest entry; long headings are broken."""
    if align == "text":
        words = [word for entry in [heading, *entries] for word in entry.split()]
        return min(max(map(len, words), default=0), _LONGEST_WORD)
    return max(_heading_width(heading), *map(len, entries), 0)


def _heading_width(name: str) -> int:
    return len(name) if len(name) <= _LONG_HEADING else max(map(len, name.split()))


def _made(title: str, note: str) -> RichTable:
    return RichTable(
        title=title, title_justify="left", title_style="bold", caption=note or None, caption_justify="left"
    )


def _in_lines(table: ReportTable, title: str, bold: bool) -> RichTable:
    """Every row in one line."""
    made = _made(title, table.note)
    rows = [[(_line(cell, bold), _style(cell)) for cell in row] for row in table.cells]
    for position, (name, align) in enumerate(zip(table.columns, table.alignment, strict=True)):
        # Widths that are known need not be measured, which is half of the work of a long report.
        least = max(_heading_width(name), *(len(row[position][0]) for row in rows), 0)
        known = None if len(name) > _LONG_HEADING else least
        made.add_column(name, justify=align, width=known, min_width=least, no_wrap=known is not None)  # type: ignore[arg-type]
    # A cell per column: laying out one per entry is what a long report would spend most of its time on.
    made.add_row(*(Text("\n").join(Text(*row[position]) for row in rows) for position in range(len(table.columns))))
    return made


def _wrapped(table: ReportTable, title: str) -> RichTable:
    """Text in lines; texts that take a share of the line stand in one column, the first above the others."""
    made = _made(title, table.note)
    shares = [position for position, align in enumerate(table.alignment) if isinstance(align, float)]
    for position, name in enumerate(table.columns):
        if position not in shares:
            justify = "right" if table.alignment[position] == "right" else "left"
            text = table.alignment[position] == "text"
            made.add_column(name, justify=justify, no_wrap=not text, overflow="fold" if text else "ellipsis")  # type: ignore[arg-type]
        elif position == shares[0]:
            made.add_column(", ".join(table.columns[each] for each in shares))
    for row in table.cells:
        entries = []
        for position, cell in enumerate(row):
            if position not in shares:
                entries.append(Text(str(cell), _style(cell)))
            elif position == shares[0]:
                below = [Text(str(row[each]), "dim") for each in shares[1:] if str(row[each])]
                entries.append(Text("\n").join([Text(str(cell), _style(cell)), *below]))
        made.add_row(*entries)
    return made


def _line(cell: ReportCell, bold: bool) -> str:
    """An entry in one line, whatever a label holds: the lines of a row stand beside each other."""
    shown = replace(cell, text=f"_{cell.text}_") if cell.has("best") and not bold else cell
    return str(shown).replace("\n", " ")


def _style(cell: ReportCell) -> str:
    return next((style for kind, style in _STYLES.items() if cell.has(kind)), "")


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
