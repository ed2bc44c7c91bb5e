"""A document as LaTeX, which needs booktabs; figures need graphicx."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchkit.document import Document, Note, Table, Text, unfolded
from benchkit.document.text import Slugs, printable
from benchkit.plugin.declarations import ReportCell, ReportTable

_COLUMNS = 6
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
    "∞": r"$\infty$",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "\u00d7": r"$\times$",
    "χ": r"$\chi$",
    "²": r"$^2$",
    "\u2212": "--",
}


def latex(document: Document, details: bool) -> str:
    """The tables under captions; sentences and notes stand in comments above them, each once."""
    slug, floats = Slugs(), list[str]()
    said = dict.fromkeys([document.title, r"needs \usepackage{booktabs}"])
    for heading, blocks in document.sections(details):
        for block in unfolded(blocks):
            if isinstance(block, Text | Note):
                said[block.text] = None
            elif isinstance(block, Table) and block.content.columns:
                table = block.content
                caption = [table.title or table.columns[0] or heading, block.legend, table.note]
                label = slug(*filter(None, [document.name, table.title or table.columns[0] or heading]))
                floats.append(latex_table(table, " ".join(f"{each.rstrip('.')}." for each in caption if each), label))
    head = "\n".join(f"% {printable(line)}".replace("\n", " ") for line in said)
    return "\n\n".join([head, *floats]) + "\n"


def escape(text: str) -> str:
    """Text in which every character that LaTeX takes for its own stands for itself."""
    return "".join(_SPECIAL.get(character, character) for character in printable(text))


def latex_table(table: ReportTable, caption: str, label: str) -> str:
    """A float: the table under a caption of plain text, numbers in parts of as many columns as fit a page's width."""
    cells = table.cells
    body: list[str] = []
    for positions in _parts(table.align):
        columns = "".join(_column(table.align[position]) for position in positions)
        body += [r"\par\medskip"] if body else []
        body += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        body += [_row(escape(table.columns[position]) for position in positions), r"\midrule"]
        body += [_row(_cell(row[position]) for position in positions) for row in cells]
        body += [r"\bottomrule", r"\end{tabular}"]
    names = [rf"\caption{{{escape(caption)}}}", rf"\label{{tab:{label}}}"]
    return "\n".join([r"\begin{table}", r"\centering", r"\small", *names, *body, r"\end{table}"])


def _row(cells: Iterable[str]) -> str:
    """A row, whose beginning is no option of the command that ends the row before it: a size or a star."""
    text = " & ".join(cells)
    return ("{}" if text.startswith(("[", "*")) else "") + text + r" \\"


def _parts(alignment: Sequence[str | float]) -> Iterator[list[int]]:
    """Which columns stand beside each other; the first names the rows of every part."""
    others = range(1, len(alignment))
    if any(align != "right" for align in alignment[1:]):
        yield [0, *others]
        return
    for start in range(0, len(others), _COLUMNS):
        yield [0, *others[start : start + _COLUMNS]]


def _column(align: str | float) -> str:
    return rf"p{{{align}\linewidth}}" if isinstance(align, float) else align[0].replace("t", "l")


def _cell(cell: ReportCell) -> str:
    if str(cell) == "-":
        return "--"
    text = escape(cell.text)
    if not {"best", "bad"}.isdisjoint(cell.emphasis.split()):
        text = rf"\textbf{{{text}}}"
    if cell.spread:
        text += rf" {{\scriptsize {escape(cell.spread)}}}"
    if cell.mark:
        text += f"$^{{{escape(cell.mark)}}}$"
    return text + rf" {{\scriptsize ({escape(cell.count)})}}" if cell.count else text


def figures_tex(figures: Iterable[tuple[Path, str]]) -> str:
    """One float for each figure: its file, named as it is to be included, and its caption, as plain text."""
    floats = [
        rf"""\begin{{figure}}
\centering
\includegraphics{{{path.name}}}
\caption{{{escape(caption)}}}
\label{{fig:{path.stem}}}
\end{{figure}}"""
        for path, caption in figures
    ]
    return "\n\n".join([r"% needs \usepackage{graphicx}", *floats]) + "\n"
