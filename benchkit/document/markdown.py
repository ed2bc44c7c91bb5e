"""A document as Markdown."""

from collections.abc import Iterator, Sequence

from benchkit.document import Block, Document, Fold, Note, Table, Text
from benchkit.document.text import markdown_text
from benchkit.plugin.declarations import ReportCell, ReportTable


def markdown(document: Document, details: bool) -> str:
    """The whole document: strong sentences as a list, a heading for each table."""
    lines = [f"# {markdown_text(document.title)}", ""]
    for heading, blocks in document.sections(details):
        parts = list(_parts(blocks, heading))
        if heading and parts:
            lines += [f"## {markdown_text(heading)}", ""]
        for part in parts:
            lines += [*part, ""]
    return "\n".join(lines)


def _parts(blocks: Sequence[Block], heading: str) -> Iterator[list[str]]:
    """Lines that belong together: a list of sentences, a table, a note."""
    sentences: list[str] = []
    for block in [*blocks, None]:
        if isinstance(block, Text):
            sentences.append(f"- {markdown_text(block.text)}")
            continue
        if sentences:
            yield sentences
            sentences = []
        if isinstance(block, Fold):
            yield from _parts(block.blocks, heading)
        elif isinstance(block, Note):
            yield [_sentence(block.text)]
        elif isinstance(block, Table):
            table = block.content
            title = [f"### {markdown_text(table.title)}", ""] if table.title not in ("", heading) else []
            note = ["", _sentence(table.note)] if table.note else []
            yield [*title, *(markdown_table(table) if table.columns else []), *note]


def _sentence(note: str) -> str:
    return f"{markdown_text(note)}{'' if note.endswith(('.', ':')) else '.'}"


def markdown_table(table: ReportTable) -> list[str]:
    """Its lines, without title and note."""
    rule = ["---:" if align == "right" else "---" for align in table.align]
    lines = ["| " + " | ".join(map(markdown_text, table.columns)) + " |", f"|{'|'.join(rule)}|"]
    return lines + ["| " + " | ".join(map(_text, row)) + " |" for row in table.cells]


def _text(cell: ReportCell) -> str:
    text = markdown_text(str(cell))
    if cell.mark:
        text = text.replace(cell.mark, cell.mark.replace("*", "\\*"))
    return text if {"best", "bad"}.isdisjoint(cell.emphasis.split()) else f"**{text}**"
