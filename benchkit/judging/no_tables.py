"""Files that end like tables and are none, or not as tables are read here: what they are, in one line."""

from __future__ import annotations

import csv
import re
from pathlib import Path

from benchkit.judging.scores import TableError

# What other files begin with.
_OTHERS = {
    b"PK\x03\x04": "a spreadsheet or an archive; save its table as csv",
    b"\xd0\xcf\x11\xe0": "a spreadsheet; save its table as csv",
    b"PAR1": "parquet; let its name end in .parquet",
    b"\x1f\x8b": "compressed; let its name end in .gz",
    b"version https://git-lfs": "the pointer that Git LFS keeps in place of a file; 'git lfs pull' fetches the file",
    b"<": "a web page; fetch the table itself",
    b"{": "JSON; let its name end in .json or .jsonl",
    b"\xff\xfe": "text in UTF-16; save it as UTF-8",
    b"\xfe\xff": "text in UTF-16; save it as UTF-8",
}
_SEPARATORS = {";": "semicolons", "\t": "tabs", "|": "bars", ",": "commas"}


def refuse_other_files(path: Path, head: bytes, separator: str) -> None:
    """Say what a file is whose first bytes are none of a table with this separator."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start:
        raise TableError(f"{path}: the file is empty")
    for begin, what in _OTHERS.items():
        if start.startswith(begin):
            raise TableError(f"{path}: no csv: it is {what}")
    if b"\0" in start:
        raise TableError(f"{path}: no csv: it is no text, but bytes of something else")
    line = start.splitlines()[0].decode("utf-8", "replace")
    names = next(csv.reader([line], delimiter=separator))
    other = max(_SEPARATORS, key=line.count)
    if len(names) == 1 and line.count(other):
        raise TableError(
            f"{path}: {_SEPARATORS[other]} divide its columns, not {_SEPARATORS[separator]}; "
            + ("let its name end in .tsv" if other == "\t" else f"save it with {_SEPARATORS[separator]}")
        )
    named = [name.strip() for name in names if name.strip()]
    if twice := [name for name in named if named.count(name) > 1]:
        raise TableError(f"{path}: two columns are named {twice[0][:40]!r}; rename one")
    if any(re.fullmatch(r"[+-]?(\d+\.\d*|\.\d+)([eE][+-]?\d+)?", name) for name in named):
        raise TableError(f"{path}: its first line holds numbers; begin it with a line of the columns' names")


def reason(error: Exception) -> str:
    """Why a file could not be read, as a user says it."""
    if isinstance(error, UnicodeDecodeError):
        byte = f"byte {error.start + 1:,} is {error.object[error.start]:#04x}"
        return f"it is not written in UTF-8 ({byte}); save it as UTF-8"
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    said = " ".join(str(error).split())
    if found := re.search(r"Expected (\d+) fields in line (\d+), saw (\d+)", said):
        expected, line, seen = (f"{int(each):,}" for each in found.groups())
        return f"line {line} has {seen} cells, the first has {expected}; put text that holds separators into quotes"
    if found := re.search(r"EOF inside string starting at row (\d+)", said):
        return f"a quotation mark that opens in row {int(found[1]):,} is never closed"
    if "arquet" in said:
        return "it is no parquet file, or is cut off"
    return said[:120]
