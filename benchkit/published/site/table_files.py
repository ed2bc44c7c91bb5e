"""Each table of a page as a file beside it, and under the table the line of Python that reads the file."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape, unescape

# Tables have one form (``renderers/table.html``), in which no attribute holds a bare ``>``.
_TABLE = re.compile(r'<div class="scroll"><table class="sortable.*?</table></div>', re.DOTALL)
_ROW = re.compile(r"<tr>(.*?)</tr>", re.DOTALL)
_CELL = re.compile(r"<(th|td)([^>]*)>(.*?)</\1>", re.DOTALL)
_TAG = re.compile(r"<[^>]*>")
_ORDER = re.compile(r'data-order="([^"]*)"')
_NUMBER = re.compile(r"[-+]?[\d,]*\.?\d+(e[-+]?\d+)?")
_INTERVAL = re.compile(r"(\S+) \[([^,\]]+), ([^,\]]+)\](?:, )?(.*)")
_SPREAD = re.compile(r"(\S+) ±([^\s*]+)\s?(.*)")


@dataclass(frozen=True)
class _Shown:
    """A cell: what it says, and the number that it stands for."""

    text: str
    order: str

    @property
    def number(self) -> str:
        """To all digits, where the cell says a number."""
        said = self.text.split(" ")[0].strip("_")
        return self.order if self.order and _NUMBER.fullmatch(said) else said


def with_files(address: str, text: str) -> tuple[str, dict[str, bytes]]:
    """A page with a link to a file and a line of Python under each table, and the files by their addresses.

    Parameters
    ----------
    address : str
        Of the page within the site; the third table of ``method/lp.html`` is ``method/lp-3.csv``.
    text : str
        The page.
    """
    stem = address.removesuffix(".html")
    name = stem.rpartition("/")[2]
    files: dict[str, bytes] = {}

    def told(found: re.Match[str]) -> str:
        number = len(files) + 1
        files[f"{stem}-{number}.csv"] = as_csv(found[0])
        return found[0] + _line(f"{name}-{number}.csv")

    return _TABLE.sub(told, text), files


def _line(file: str) -> str:
    shown = escape(f'pd.read_csv("{file}")')
    return (
        f'<p class="csv" style="font-size:.84rem;margin:.35rem 0 .8rem"><a href="{escape(file)}" download>CSV</a> · '
        f'<code class="read" data-file="{escape(file)}" style="overflow-wrap:anywhere">{shown}</code></p>'
    )


def as_csv(table: str) -> bytes:
    """A table's HTML as CSV: a mean, its interval or its spread, and what stands behind them, in columns of their own.

    Numbers have all their digits, also those that the page rounds.
    """
    head, *body = [_cells(row[1]) for row in _ROW.finditer(table)]
    columns: list[Sequence[str]] = []
    for place, name in enumerate(each.text for each in head):
        columns += _columns(name, [row[place] if place < len(row) else _Shown("", "") for row in body])
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\n").writerows([_safe(cell) for cell in row] for row in zip(*columns, strict=True))
    return sink.getvalue().encode()


def _cells(row: str) -> list[_Shown]:
    cells = []
    for _, attributes, inner in _CELL.findall(row):
        order = _ORDER.search(attributes)
        cells.append(_Shown(unescape(_TAG.sub("", inner)).strip(), unescape(order[1]) if order else ""))
    return cells


def _columns(name: str, cells: Sequence[_Shown]) -> list[Sequence[str]]:
    for pattern, parts in ((_INTERVAL, ("low", "high", "note")), (_SPREAD, ("spread", "note"))):
        found = [pattern.fullmatch(cell.text) for cell in cells]
        if any(found):
            plain = name.removesuffix(" [95 %]")
            columns: list[Sequence[str]] = [[plain, *(cell.number for cell in cells)]]
            for number, part in enumerate(parts, start=2):
                values = [match[number] if match else "" for match in found]
                if any(values):
                    columns.append([f"{plain} {part}", *values])
            return columns
    return [[name, *(cell.order if _NUMBER.fullmatch(cell.text) and cell.order else cell.text for cell in cells)]]


def _safe(cell: str) -> str:
    """A spreadsheet takes a cell that begins so for a formula."""
    return f"'{cell}" if cell[:1] in ("=", "+", "@", "-") and not _NUMBER.fullmatch(cell) and cell != "-" else cell
