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
_TABULAR = re.compile(r"\\begin\{(tabular\w*\*?|longtable|array)\}(.*?)\\end\{\1\}", re.DOTALL)
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
        elif (begin == "\\" or path.suffix == ".tex") and _TABULAR.search(text):
            grid = _latex(text)
        elif (
            begin == "|" or path.suffix == ".md" or re.search(r"^\s*\|?\s*:?-{2,}:?\s*\|[\s|:-]*$", text, re.MULTILINE)
        ):
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
    body = _TABULAR.search(text)
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
    """The tables of a page: rows of cells, which are a text and how many columns and rows it spans."""

    def __init__(self) -> None:
        super().__init__()
        self.tables: list[list[list[tuple[list[str], int, int]]]] = []
        self.text: list[str] = []  # of the cell that is open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self.tables.append([])
        elif tag == "tr" and self.tables:
            self.tables[-1].append([])
        elif tag in ("td", "th") and self.tables and self.tables[-1]:
            spans = (dict(attrs).get(span) or "" for span in ("colspan", "rowspan"))
            columns, rows = (int(span) if span.isdigit() else 1 for span in spans)
            self.text = []
            self.tables[-1][-1].append((self.text, columns, rows))

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self.text = []

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _html(text: str) -> _Grid:
    """The longest table: of cells that span columns the text stands in the first, of those that span rows in all."""
    parser = _Tables()
    parser.feed(text)
    grid: _Grid = []
    below: dict[int, tuple[str, int]] = {}  # by column, the text that spans further rows, and how many
    for cells in max(parser.tables, key=len, default=[]):
        row: list[str] = []
        ahead = [*cells]
        while ahead or len(row) in below:
            if len(row) in below:
                name, left = below.pop(len(row))
                columns, rows = 1, left
            else:
                parts, columns, rows = ahead.pop(0)
                name = " ".join(parts).strip()
            for part in (name, *[""] * (columns - 1)):
                if rows > 1:
                    below[len(row)] = part, rows - 1
                row.append(part)
        grid.append(row)
    return [row for row in grid if any(row)]
