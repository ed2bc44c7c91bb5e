"""A document in a terminal: its tables fit the width, broken by columns where they must be."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
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
    """The table, in as many parts as the width asks for; underscores mark the best for readers who see no bold type."""
    title = f"{before}{table.title}"
    if all(align in ("left", "right") for align in table.alignment):
        yield from _in_lines(table, title, width, bold)
    elif any(isinstance(align, float) for align in table.alignment):
        yield _wrapped(table, title)
    else:
        yield from _beside_text(table, title, width)


def _made(title: str, note: str) -> RichTable:
    return RichTable(
        title=title, title_justify="left", title_style="bold", caption=note or None, caption_justify="left"
    )


def _in_lines(table: ReportTable, title: str, width: int, bold: bool) -> Iterator[RichTable]:
    """Every row in one line; the columns that name it stand in every part."""
    rows = table.cells
    texts = [[_line(cell, bold) for cell in row] for row in rows]
    widths = [
        max([_heading_width(name), *(len(row[position]) for row in texts)]) + 3
        for position, name in enumerate(table.columns)
    ]
    named = next((position for position, align in enumerate(table.align) if align == "right" and position), len(widths))
    parts = list(_fitting(widths[named:], width - sum(widths[:named]) - 1)) or [[]]
    for part, columns in enumerate(parts):
        made = _made(f"{title} (continued)".strip() if part else title, table.note if part == len(parts) - 1 else "")
        positions = [*range(named), *(position + named for position in columns)]
        for position in positions:
            name, justify = table.columns[position], table.align[position]
            # Widths that are known need not be measured, which is half of the work of a long report.
            known = None if len(name) > _LONG_HEADING else widths[position] - 3
            made.add_column(
                name, justify=justify, width=known, min_width=widths[position] - 3, no_wrap=known is not None
            )
        # A cell per column: laying out one per entry is what a long report would spend most of its time on.
        stacked = [
            Text("\n").join(Text(line[position], _style(row[position])) for line, row in zip(texts, rows, strict=True))
            for position in positions
        ]
        made.add_row(*stacked)
        yield made


def _heading_width(name: str) -> int:
    """Of a heading that is broken into lines that of its longest word."""
    return len(name) if len(name) <= _LONG_HEADING else max(map(len, name.split()))


def _beside_text(table: ReportTable, title: str, width: int) -> Iterator[RichTable]:
    """Text that wraps beside entries in one line; columns that leave it no room stand in a further part."""
    alignment = list(table.alignment)
    widths = [
        _room_for(align, [name, *(str(row[position]) for row in table.cells)]) + 3
        for position, (name, align) in enumerate(zip(table.columns, alignment, strict=True))
    ]
    named = next((position for position, align in enumerate(alignment) if align == "right" and position), 1)
    parts = list(_fitting(widths[named:], width - sum(widths[:named]) - 1)) or [[]]
    for part, columns in enumerate(parts):
        shown = [*range(named), *(position + named for position in columns)]
        yield _wrapped(
            ReportTable(
                columns=[table.columns[position] for position in shown],
                rows=[[row[position] for position in shown] for row in table.cells],
                align=[alignment[position] for position in shown],
                note=table.note if part == len(parts) - 1 else "",
            ),
            f"{title} (continued)".strip() if part else title,
        )


def _room_for(align: str | float, entries: Sequence[str]) -> int:
    """Characters that a column needs: of text its longest word, else its longest entry."""
    if align != "text":
        return max(map(len, entries))
    return min(max((len(word) for entry in entries for word in entry.split()), default=0), _LONGEST_WORD)


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
