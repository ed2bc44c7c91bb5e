"""Tables as people write them: in Markdown, HTML or a spreadsheet, with a title or two lines of names on top."""

import csv
import io
import re
from itertools import zip_longest
from pathlib import Path

import pandas as pd

from benchkit import TABLE_ENDINGS, TableError, read_table

_Grid = list[list[str]]
_TEXTS = (".csv", ".tsv", ".txt", ".md", ".html", ".htm")
_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d+)*|[.,]\d+)\s*(%|±.*|\(.*)?\s*")
_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*\|[\s|:-]*$", re.MULTILINE)  # below the names of a table in Markdown
_EMPHASIS = re.compile(r"\[([^\]]*)\]\([^)]*\)|(?:\*\*|__|`)(.+?)(?:\*\*|__|`)|<br\s*/?>")


def as_csv(path: Path) -> bytes | None:
    """The table of a file as csv with one line of names; None where it is that already, or something else."""
    if path.suffix in TABLE_ENDINGS["spreadsheet"]:
        grid = read_table(path, header=False, names=lambda name: True).fillna("").to_numpy().tolist()
    elif path.suffix == ".tex":
        raise TableError(f"{path}: tables in LaTeX are not read: save it as Markdown, HTML or csv")
    elif path.suffix not in _TEXTS or not path.is_file():
        return None
    else:
        text = path.read_bytes().decode("utf-8-sig", "replace")
        begin = text.lstrip()[:1]
        if begin == "<" and re.search("<table", text, re.IGNORECASE):
            grid = _html(text, path)
        elif begin == "|" or path.suffix == ".md" or _RULE.search(text):
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


def _merged(upper: list[str], lower: list[str]) -> list[str]:
    """The names of both lines; of several columns the upper one may stand over the first alone."""
    names, above = [], ""
    for over, name in zip_longest(upper[: len(lower)], lower, fillvalue=""):
        above = over or above
        names.append(name if not above or above == name else f"{above} {name}".strip())
    return names


def _markdown(text: str) -> _Grid:
    """The first table."""
    lines = text.splitlines()
    first = next((place for place, line in enumerate(lines) if "|" in line), len(lines))
    last = next((place for place, line in enumerate(lines) if place > first and "|" not in line), len(lines))
    grid = []
    for line in lines[first:last]:
        if not re.fullmatch(r"[\s|:-]+", line):
            plain = _EMPHASIS.sub(lambda part: part[1] or part[2] or " ", line).strip()
            cells = re.split(r"(?<!\\)\|", plain.removeprefix("|").removesuffix("|"))
            grid.append([cell.replace("\\|", "|") for cell in cells])
    return grid


def _html(text: str, path: Path) -> _Grid:
    """The longest table; what spans columns or rows stands in each of them."""
    options = {"flavor": "lxml", "thousands": None, "keep_default_na": False}
    try:
        tables = pd.read_html(io.StringIO(text), **options)
        names = {name for table in tables for name in table.columns if not isinstance(name, int)}
        # Once more, and numbers stay as they are written: 1.10.
        table = max(pd.read_html(io.StringIO(text), converters=dict.fromkeys(names, str), **options), key=len)
    except ImportError:
        raise TableError(f"{path}: lxml reads tables of HTML: pip install lxml; or save it as csv") from None
    except ValueError:
        raise TableError(f"{path}: no table in it") from None
    columns = [table.columns.get_level_values(level) for level in range(table.columns.nlevels)]
    heads = [["" if str(name).startswith("Unnamed: ") else str(name) for name in level] for level in columns]
    rows = [[str(cell) for cell in row] for row in table.to_numpy().tolist()]
    return [row for row in [*heads * bool(names & {*table.columns}), *rows] if any(row)]
