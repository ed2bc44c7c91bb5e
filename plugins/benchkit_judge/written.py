"""Tables as people write them: in Markdown, LaTeX, HTML or a spreadsheet, with a title or two lines of names on top."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path

from benchkit import TABLE_ENDINGS, TableError, read_table

_Grid = list[list[str]]
_TEXTS = (".csv", ".tsv", ".txt", ".md", ".tex", ".html", ".htm")
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d+)*|[.,]\d+)\s*(%|±.*|\(.*)?\s*")
# What Markdown and LaTeX put around a text, and what stands for it.
_MARKS = (
    (r"\[([^\]]*)\]\([^)]*\)|(?:\*\*|__|`)(.+?)(?:\*\*|__|`)", r"\1\2"),
    (r"<br\s*/?>", " "),
)
_COMMANDS = (
    (r"\\(?:hline|toprule|midrule|bottomrule|(?:c|cmid)(?:line|rule)(?:\([^)]*\))?\{[^}]*\})(?:\[[^\]]*\])?", ""),
    (r"\$|(?<!\\)[{}]|\\(?:bf|bfseries|itshape|em|small|centering)\b|\\[a-z]+(?=\{)", ""),
    (r"\\pm\b", "±"),
    (r"\\([%_&#$])", r"\1"),
    (r"~|\\[,;! ]", " "),
)


def as_csv(path: Path) -> bytes | None:
    """The table of a file as csv with one line of names; None where it is that already, or something else."""
    if path.suffix in TABLE_ENDINGS["spreadsheet"]:
        grid = _spreadsheet(path)
    elif path.suffix not in _TEXTS or not path.is_file():
        return None
    else:
        text = path.read_bytes().decode("utf-8-sig", "replace")
        begin = text.lstrip()[:1]
        if begin == "<" and re.search("<table", text, re.IGNORECASE):
            grid = _html(text)
        elif (begin == "\\" or path.suffix == ".tex") and "\\begin{tabular" in text:
            grid = _latex(text)
        elif begin == "|" or path.suffix == ".md":
            grid = _markdown(text)
        else:
            separator = "\t" if path.suffix == ".tsv" else max(",;\t", key=text[:2000].count)
            grid = [row for row in csv.reader(text[:20_000].splitlines(), delimiter=separator) if any(row)]
            if not _title_lines(grid) and not _two_headers(grid):
                return None
            grid = [row for row in csv.reader(io.StringIO(text), delimiter=separator) if any(row)]
    grid = [[" ".join(cell.split()) for cell in row] for row in grid]
    grid = grid[_title_lines(grid) :]
    if not grid:
        raise TableError(f"{path}: no table in it")
    if _two_headers(grid):
        grid = [_merged(grid[0], grid[1]), *grid[2:]]
    written = io.StringIO()
    csv.writer(written).writerows(grid)
    return written.getvalue().encode()


def _title_lines(grid: _Grid) -> int:
    """Lines of one text above a table of several columns."""
    lines = 0
    while lines + 1 < len(grid) and sum(map(bool, grid[lines])) == 1 < sum(map(bool, grid[lines + 1])):
        lines += 1
    return lines if len(grid) > lines + 1 and len(grid[lines]) > 1 else 0


def _two_headers(grid: _Grid) -> bool:
    """Whether names stand in two lines: the upper one has some for several columns, the lower one has no numbers."""
    if len(grid) < 3:
        return False
    upper, lower, data = grid[0], grid[1], grid[2]
    names = [name for name in upper[1:] if name]
    shared = len(names) < len(upper[1:]) or len(set(names)) < len(names)
    return shared and not any(map(_NUMBER.fullmatch, lower)) and any(map(_NUMBER.fullmatch, data)) and any(lower[1:])


def _merged(upper: Sequence[str], lower: Sequence[str]) -> list[str]:
    names, above = [], ""
    for place, name in enumerate(lower):
        above = (upper[place] if place < len(upper) else "") or above
        names.append(name if not above or above == name else f"{above} {name}".strip())
    return names


def _spreadsheet(path: Path) -> _Grid:
    grid: _Grid = read_table(path, header=False, names=lambda name: True).fillna("").to_numpy().tolist()
    return grid


def _markdown(text: str) -> _Grid:
    grid: _Grid = []
    for line in text.splitlines():
        if "|" not in line:
            if grid:
                break  # one table, the first
            continue
        if re.fullmatch(r"[\s|:-]+", line):
            continue
        for pattern, replacement in _MARKS:
            line = re.sub(pattern, replacement, line)
        cells = re.split(r"(?<!\\)\|", line.strip().removeprefix("|").removesuffix("|"))
        grid.append([cell.replace("\\|", "|").strip() for cell in cells])
    return grid


def _latex(text: str) -> _Grid:
    body = re.search(r"\\begin\{(tabular\w*\*?)\}(.*?)\\end\{\1\}", text, re.DOTALL)
    lines = re.sub(r"(?<!\\)%.*", "", body[2] if body else text)
    lines = re.sub(r"^\s*(\[[^\]]*\])?(\{[^{}]*(\{[^{}]*\}[^{}]*)*\})+", "", lines)
    grid = []
    for line in re.split(r"\\\\(?:\[[^\]]*\])?", lines):
        row = []
        for cell in re.split(r"(?<!\\)&", line):
            span = re.search(r"\\multicolumn\{(\d+)\}\{[^}]*\}\{(.*)\}", cell, re.DOTALL)
            cell = span[2] if span else re.sub(r"\\multirow\{[^}]*\}\{[^}]*\}", "", cell)
            for pattern, replacement in _COMMANDS:
                cell = re.sub(pattern, replacement, cell)
            row += [cell.strip(), *[""] * (int(span[1]) - 1 if span else 0)]
        if any(row):
            grid.append(row)
    return grid


class _Tables(HTMLParser):
    """The rows of the longest table of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[_Grid] = []
        self.cell: list[str] | None = None
        self.span = 1

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self._end_cell()
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables and self.tables[-1]:
            self._end_cell()
            span = dict(attrs).get("colspan") or "1"
            self.cell, self.span = [], int(span) if span.isdigit() else 1

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()

    def handle_data(self, data: str) -> None:
        if self.cell is not None:
            self.cell.append(data)

    def _end_cell(self) -> None:
        if self.cell is not None:
            self.tables[-1][-1] += [" ".join(self.cell).strip(), *[""] * (self.span - 1)]
        self.cell = None


def _html(text: str) -> _Grid:
    parser = _Tables()
    parser.feed(text)
    return [row for row in max(parser.tables, key=len, default=[]) if any(row)]
