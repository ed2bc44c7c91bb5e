"""A table as Markdown."""

from __future__ import annotations

from benchkit.plugin.declarations import ReportCell, ReportTable
from benchkit.report.neutral import markdown_text


def markdown_table(table: ReportTable) -> list[str]:
    """Its lines, without title and note."""
    rule = ["---:" if align == "right" else "---" for align in table.alignment]
    lines = ["| " + " | ".join(map(markdown_text, table.columns)) + " |", f"|{'|'.join(rule)}|"]
    return lines + ["| " + " | ".join(map(_text, row)) + " |" for row in table.cells]


def _text(cell: ReportCell) -> str:
    text = markdown_text(str(cell))
    if cell.mark:
        text = text.replace(cell.mark, cell.mark.replace("*", "\\*"))
    return f"**{text}**" if cell.has("best") or cell.has("bad") else text
