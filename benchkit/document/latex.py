"""A document as LaTeX, which needs booktabs; figures need graphicx."""

import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from benchkit.document import Document, Note, Table, Text, unfolded
from benchkit.document.text import Slugs, printable
from benchkit.plugin.declarations import ReportCell, ReportTable

_WIDTH, _GAP = 345, 6  # points: of a page of the class article, and between two columns
_CHARACTER, _SMALLER = 4.4, 3.4  # points that a character takes on average
_CAPITALS = 8  # more points that a word of large letters takes
_HEADING = 12  # characters of a line of a heading, unless a word or an entry is longer
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
    "†": r"\dag{}",
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
                floats.append(latex_table(table, " ".join(map(sentence, filter(None, caption))), label))
    head = "\n".join(f"% {printable(line)}".replace("\n", " ") for line in said)
    return "\n\n".join([head, *floats]) + "\n"


def sentence(text: str) -> str:
    """With a large letter at its beginning, and a full stop."""
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def escape(text: str) -> str:
    """Text in which every character that LaTeX takes for its own stands for itself."""
    return "".join(_SPECIAL.get(character, character) for character in printable(text))


def latex_table(table: ReportTable, caption: str, label: str) -> str:
    """A float: the table under a caption of plain text, in parts of as many columns as fit a page's width."""
    cells = table.cells
    body: list[str] = []
    for positions in _parts(table):
        columns = "".join(_columns(table, positions))
        body += [r"\par\medskip"] if body else []
        body += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
        body += [_row(_heading(table, position) for position in positions), r"\midrule"]
        body += [_row(_cell(row[position]) for position in positions) for row in cells]
        body += [r"\bottomrule", r"\end{tabular}"]
    names = [rf"\caption{{{escape(caption)}}}", rf"\label{{tab:{label}}}"]
    sizes = [r"\begin{table}", r"\centering", r"\small", rf"\setlength{{\tabcolsep}}{{{_GAP // 2}pt}}"]
    return "\n".join([*sizes, *names, *body, r"\end{table}"])


def _row(cells: Iterable[str]) -> str:
    """A row, whose beginning is no option of the command that ends the row before it: a size or a star."""
    text = " & ".join(cells)
    return ("{}" if text.startswith(("[", "*")) else "") + text + r" \\"


def _parts(table: ReportTable) -> Iterator[list[int]]:
    """Which columns stand beside each other; those up to the last one of names are in every part."""
    last_name = max([0, *(position for position, align in enumerate(table.align) if align == "left")])
    names, others = list(range(last_name + 1)), range(last_name + 1, len(table.columns))
    breaks = [isinstance(align, float) or align == "text" for align in table.align]
    least = [_longest_word(table, at) if breaks[at] else _width(table, at) for at in range(len(breaks))]
    if not others or (any(breaks) and sum(least) + _GAP * len(least) <= _WIDTH):
        yield [*names, *others]
        return
    part = names
    for position in others:
        if part is not names and sum(_width(table, column) + _GAP for column in [*part, position]) > _WIDTH:
            yield part
            part = names
        part = [*part, position]
    yield part


def _width(table: ReportTable, position: int) -> float:
    """About how many points a column needs."""
    cells = [row[position] for row in table.cells]
    entries = [
        _CHARACTER * len(cell.text + cell.mark + " " * bool(cell.spread) + " " * bool(cell.count))
        + _SMALLER * len(cell.spread + "()" * bool(cell.count) + cell.count)
        for cell in cells
    ]
    return max([*entries, *(_CHARACTER * len(line) for line in _lines(table, position))])


def _lines(table: ReportTable, position: int) -> list[str]:
    """A heading in lines that are no longer than they must be."""
    longest = max([_HEADING, *(len(str(row[position])) for row in table.cells)])
    return textwrap.wrap(table.columns[position], longest, break_long_words=False, break_on_hyphens=False) or [""]


def _heading(table: ReportTable, position: int) -> str:
    align, lines = table.align[position], [escape(line) for line in _lines(table, position)]
    if isinstance(align, float) or len(lines) == 1:
        return " ".join(lines)
    return rf"\shortstack[{align[0]}]{{" + r" \\ ".join(lines) + "}"


def _longest_word(table: ReportTable, position: int) -> float:
    """About how many points a column needs at least, whose texts are broken into lines."""
    texts = [table.columns[position], *(str(row[position]) for row in table.cells)]
    return _CHARACTER * max(len(word) for text in texts for word in re.split(r"[\s-]", text)) + _CAPITALS


def _columns(table: ReportTable, positions: Sequence[int]) -> Iterator[str]:
    """How columns are set: those of texts share what the others leave of the page's width, if all need more than it."""
    widths, aligned = {at: _width(table, at) for at in positions}, {at: table.align[at] for at in positions}
    least = {at: _longest_word(table, at) for at in positions}
    shares = {at: align for at, align in aligned.items() if isinstance(align, float)}
    room: float = _WIDTH - _GAP * len(positions)
    if not shares and sum(widths.values()) > room:
        shares = {at: widths[at] for at in positions if aligned[at] != "right" and widths[at] > least[at]}
    room -= sum(widths[at] for at in positions if at not in shares)
    spare = max(room - sum(least[at] for at in shares), 0.0)
    for at, align in aligned.items():
        part = least[at] + shares[at] / sum(shares.values()) * spare if at in shares else 0.0
        yield (rf"p{{{part / _WIDTH:.3f}\linewidth}}" if part else str(align)[0].replace("t", "l"))


def _cell(cell: ReportCell) -> str:
    if str(cell) == "-":
        return "--"
    text = ("\\quad " if cell.text.startswith(" ") else "") + _signs(cell.text.strip())
    if not {"best", "bad"}.isdisjoint(cell.emphasis.split()):
        text = rf"\textbf{{{text}}}"
    if cell.spread:
        text += rf" {{\scriptsize {_signs(cell.spread)}}}"
    if cell.mark:
        text += f"$^{{{escape(cell.mark)}}}$"
    return text + rf" {{\scriptsize ({escape(cell.count)})}}" if cell.count else text


def _signs(text: str) -> str:
    """With the signs of mathematics where a cell has those of a keyboard: minus and times."""
    return re.sub(r"(?<!\w)-(?=\d)", "$-$", escape(text)).replace(" x the ", r" $\times$ the ")


def figures_tex(figures: Iterable[tuple[Path, str]], folder: str) -> str:
    """One float for each figure: its file in a folder beside the paper, or in the paper's, and its caption as text."""
    floats = [
        rf"""\begin{{figure}}
\centering
\includegraphics{{{path.name}}}
\caption{{{escape(caption)}}}
\label{{fig:{path.stem}}}
\end{{figure}}"""
        for path, caption in figures
    ]
    head = "\n".join([r"% needs \usepackage{graphicx}", rf"\graphicspath{{{{./}}{{{folder}/}}}}"])
    return "\n\n".join([head, *floats]) + "\n"
