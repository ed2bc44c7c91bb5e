"""A user's table, whichever command reads it: files, missing values, and which texts are numbers.

Missing is what the file's format says is missing: an empty field, NaN and null of a text, null and NaN of Parquet, null
of JSON. "NA", "None" and "?" are texts like others, unless ``na_values`` names them; among numbers they are asked for.
"""

from __future__ import annotations

import csv
import gzip
import io
import json
import lzma
import math
import re
import zlib
from bz2 import open as open_bz2
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchkit.errors import RequestError

if TYPE_CHECKING:
    import pandas as pd

MISSING = ("", "NaN", "nan", "NULL", "null")
"""Fields of a text that are missing values."""

_WORDS = ("?", "NA", "N/A", "n/a", "na", "#N/A", "<NA>", "None", "none", "-", "--", ".")
_OTHER_MARK = {".": ",", ",": "."}
_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": open_bz2, ".xz": lzma.open}

# What other files begin with.
_OTHER_FILES = {
    b"PK\x03\x04": "a spreadsheet or an archive; save its table as csv",
    b"\x1f\x8b": "compressed; let its name end in .gz",
    b"version https://git-lfs": "the pointer that Git LFS keeps in place of a file; 'git lfs pull' fetches the file",
    b"<": "a web page; fetch the table itself",
    b"{": "JSON; let its name end in .json or .jsonl",
}


class TableError(RequestError, ValueError):
    """A table cannot be read, can be read in two ways, or cannot be judged; the message says what to do."""


def read_table(
    path: Path,
    decimal: str | None = None,
    na_values: Sequence[Any] | None = None,
    ignored: Callable[[str], bool] = lambda name: False,
    names: Callable[[str], bool] = lambda name: False,
    delimiter: str | None = None,
    header: bool | None = True,
    stripped: bool = False,
    text: bytes | None = None,
) -> pd.DataFrame:
    """The table of a file: Parquet (``.parquet``, ``.pq``), JSON (``.json``, a list of objects; ``.jsonl``,
    ``.ndjson``, one a line), else text, separated by comma, semicolon or tab.

    Parameters
    ----------
    path : Path
        Of text, also compressed (``.gz``, ``.bz2``, ``.xz``).
    decimal : {".", ","}, optional
        Of text: what stands before decimals; the other mark may group thousands. Where absent, commas are decimal marks
        if no number of the file can be read otherwise, and none has a point; where both can be, it is asked.
    na_values : sequence, optional
        Of text: what is missing besides `MISSING`, as it is written; where absent, words such as NA among numbers are
        asked for.
    ignored : callable, optional
        Of a column's name, whether its fields need no reading: they are all missing then.
    names : callable, optional
        Of a column of a text, whether its fields are names, and texts as they are written: 1.10, 007, NA.
    delimiter : str, optional
        Of text: one character; the most frequent of the three in the first line where absent.
    header : bool or None, default=True
        Of text: whether the first line names the columns, which are x1, x2, ... else. Where None, it does if it holds
        no number and the second line holds one.
    stripped : bool, default=False
        Of text: whether blanks around fields are none of theirs.
    text : bytes, optional
        What is read as csv in place of the file.

    Raises
    ------
    TableError
        One line: there is no such file, it holds no table, or there are two readings.
    """
    if not path.is_file():  # a pipe, say, would be waited for
        raise TableError(f"{path}: {'no file of data' if path.exists() else 'no such file'}")
    packed = _OPEN.get(path.suffix)
    ending = (path.with_suffix("") if packed else path).suffix.lower()
    try:
        if text is not None:
            return _read_text(text, path, ",", header, stripped, decimal, na_values, ignored, names)
        with (packed or open)(path, "rb") as file:
            if file.read(4) == b"PAR1" or ending in (".parquet", ".pq"):
                return _read_parquet(path)
            file.seek(0)
            content: bytes = file.read()
        if ending in (".json", ".jsonl", ".ndjson"):
            return _read_json(content, ending)
        separator = delimiter or ("\t" if ending == ".tsv" else None)
        return _read_text(content, path, separator, header, stripped, decimal, na_values, ignored, names)
    except TableError:
        raise
    except (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError, RecursionError) as error:
        reason = " ".join(str(error).split())[:160]
        remedy = "; save it as UTF-8" if isinstance(error, UnicodeDecodeError) else ""
        raise TableError(f"{path}: cannot be read as {ending.lstrip('.') or 'text'}: {reason}{remedy}") from None


def _read_parquet(path: Path) -> pd.DataFrame:
    """As pandas reads it, but decimal numbers, which it takes for objects, are floats."""
    import pyarrow as pa
    from pyarrow import parquet

    table = parquet.ParquetFile(path).read(use_threads=False)
    fields = [field.with_type(pa.float64()) if pa.types.is_decimal(field.type) else field for field in table.schema]
    frame: pd.DataFrame = table.cast(pa.schema(fields, metadata=table.schema.metadata)).to_pandas(use_threads=False)
    return frame


def _read_json(content: bytes, ending: str) -> pd.DataFrame:
    """A list of objects, or one object a line."""
    import pandas as pd

    rows: Any = json.loads(content) if ending == ".json" else []
    for number, line in enumerate([] if ending == ".json" else content.splitlines(), start=1):
        try:
            rows += [json.loads(line)] if line.strip() else []
        except ValueError as error:
            raise ValueError(f"row {number}: {error}") from None
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise ValueError("expected a list of objects, or one object a line")
    return pd.DataFrame(rows)


def _read_text(
    content: bytes,
    path: Path,
    separator: str | None,
    header: bool | None,
    stripped: bool,
    decimal: str | None,
    na_values: Sequence[Any] | None,
    ignored: Callable[[str], bool],
    names: Callable[[str], bool],
) -> pd.DataFrame:
    import pandas as pd

    start = content[:65536].removeprefix(b"\xef\xbb\xbf").lstrip()
    for begin, kind in _OTHER_FILES.items():
        if start.startswith(begin):
            raise TableError(f"{path}: no csv: it is {kind}")
    if not start or b"\0" in start:
        raise TableError(f"{path}: {'no csv: it is no text in UTF-8' if start else 'the file is empty'}")
    if separator is None:
        separator = max(",;\t".replace(decimal or ".", ""), key=start.splitlines()[0].decode("utf-8", "replace").count)
    rows = list(islice(_rows(content, separator, stripped, path), 2))
    first, second = rows[0], rows[1] if len(rows) > 1 else []
    if header is None:
        header = _has_header(first, second, path)
    if header and not second:
        raise TableError(f"{path}: no rows below the names of the columns")
    shown = [name.strip() for name in first] if header else [f"x{place}" for place in range(1, len(first) + 1)]
    if len(shown) == 1 and "|" in shown[0]:
        raise TableError(f"{path}: bars divide its columns: save it with commas")
    if repeated := [name for name in shown if name and shown.count(name) > 1]:
        raise TableError(f"{path}: two columns are named {repeated[0][:40]!r}; rename one")
    _require_equal_rows(content, separator, len(first), stripped, path)

    def read(mark: str, rows: int | None = None) -> pd.DataFrame:
        frame: pd.DataFrame = pd.read_csv(
            io.BytesIO(content),
            sep=separator,
            header=0 if header else None,
            names=None if header else shown,
            skipinitialspace=stripped,
            decimal=mark,
            encoding="utf-8-sig",
            keep_default_na=False,
            na_values=missing,
            dtype=dict.fromkeys(texts, str),
            low_memory=False,
            nrows=rows,
        )
        if stripped:
            frame.columns = frame.columns.map(lambda name: str(name).strip())
            for name in frame.select_dtypes(exclude=["number", "bool"]).columns:
                frame[name] = frame[name].str.strip()
        for name in filter(lambda name: ignored(str(name)), frame.columns):
            frame[name] = math.nan
        return frame

    missing: Any = [*MISSING, *map(str, na_values or ())]
    texts: list[Any] = []
    columns = read(".", 0).columns
    if texts := [name for name in columns if names(str(name))]:
        missing = dict.fromkeys(columns, missing) | {name: [""] for name in texts}
    return _decided(read, path, decimal, na_values, texts)


def _rows(content: bytes, separator: str, stripped: bool, path: Path) -> Iterator[list[str]]:
    """Rows of fields, empty lines left out."""
    csv.field_size_limit(2**31 - 1)
    lines = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=stripped, strict=True)
    try:
        yield from filter(None, reader)
    except csv.Error as error:
        raise TableError(f"{path}: row {reader.line_num}: {error}") from None
    except UnicodeDecodeError:
        try:
            content.decode()
        except UnicodeDecodeError as error:
            place = f"byte 0x{content[error.start]:02x} in row {content.count(10, 0, error.start) + 1}"
            raise TableError(f"{path}: {place} is not UTF-8 text; save it as UTF-8") from None


def _require_equal_rows(content: bytes, separator: str, width: int, stripped: bool, path: Path) -> None:
    """Refuse rows of another length than the first: pandas fills short ones, and takes long ones for an index."""
    lengths: Iterator[int]
    if b'"' in content:
        lengths = map(len, _rows(content, separator, stripped, path))
    else:
        mark = separator.encode()
        lengths = (line.count(mark) + 1 for line in io.BytesIO(content) if line.strip(b" \r\n"))
        if b"\r" in content and b"\n" not in content:  # ends of lines as old as the Macintosh
            lengths = (line.count(mark) + 1 for line in content.split(b"\r") if line.strip(b" "))
    for row, length in enumerate(lengths, start=1):
        if length != width:
            raise TableError(f"{path}: {length} columns in row {row}, expected {width}")


def _has_header(first: Sequence[str], second: Sequence[str], path: Path) -> bool:
    """Whether the first of two rows names the columns."""
    numbers = [any(_are_numbers([field.strip()], mark) for field in row for mark in ".,") for row in (first, second)]
    if numbers[0] or numbers[1]:
        return not numbers[0]
    raise TableError(f"{path}: cannot tell whether the first row names the columns: give 'header: true' or 'false'")


def _decided(
    read: Callable[[str], pd.DataFrame],
    path: Path,
    decimal: str | None,
    na_values: Sequence[Any] | None,
    names: Sequence[str],
) -> pd.DataFrame:
    """The table of a text file, once it is clear what separates decimals and which words are missing values.

    ``read`` reads it with ``"."`` or ``","`` before the decimals; columns of ``names`` are texts however they look.
    """
    frame = read(decimal or ".")
    others = frame.columns.difference(names, sort=False)
    if na_values is None:
        _ask_for_words(frame[others], path)
    if decimal is None:
        decimal = _decimal_mark(frame[others], path)
        frame = frame if decimal == "." else read(decimal)
    return frame.assign(**_with_thousands(frame[others], decimal, path))


def _texts(frame: pd.DataFrame) -> Iterator[tuple[Any, list[str]]]:
    """Columns of texts, and what they hold."""
    for name, column in frame.items():
        texts: list[Any] = []
        if column.dtype == object or str(column.dtype).startswith("str"):
            texts = [text.strip() if isinstance(text, str) else "x" for text in column.dropna().unique()]
        if texts:
            yield name, texts


@cache
def _number(mark: str) -> re.Pattern[str]:
    """Numbers with this mark before the decimals; the other one may group thousands."""
    group, mark = re.escape(_OTHER_MARK[mark]), re.escape(mark)
    plain = rf"(\d+({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?"
    grouped = rf"[1-9]\d{{0,2}}({group}\d{{3}})+({mark}\d*)?"
    return re.compile(rf"[+-]?({plain}|{grouped})")


def _are_numbers(texts: Sequence[str], mark: str) -> bool:
    return all(map(_number(mark).fullmatch, texts))


def _ask_for_words(frame: pd.DataFrame, path: Path) -> None:
    for name, texts in _texts(frame):
        words = [text for text in texts if text in _WORDS]
        numbers = [text for text in texts if text not in _WORDS]
        if words and numbers and (_are_numbers(numbers, ".") or _are_numbers(numbers, ",")):
            rows, listed = int(frame[name].isin(words).sum()), ", ".join(map(repr, words))
            raise TableError(
                f"{path}: column {str(name)!r} has numbers, and {listed} in {rows} rows: give na_values: [{listed}] "
                f"where that is missing, na_values: [] where it is text (--na-values {','.join(words)}, --na-values '')"
            )


def _decimal_mark(frame: pd.DataFrame, path: Path) -> str:
    """What separates decimals; a line that asks where it cannot be told."""
    # Columns with commas, by what the comma can be, each with an example; and those of numbers with a point.
    commas: dict[str, list[tuple[Any, str]]] = {"decimals": [], "groups": [], "either": []}
    for name, texts in _texts(frame):
        as_point, as_comma = _are_numbers(texts, "."), _are_numbers(texts, ",")
        comma = next((text for text in texts if "," in text), None)
        if comma is not None and (as_point or as_comma):
            commas["either" if as_point and as_comma else "groups" if as_point else "decimals"].append((name, comma))
    parts = frame.select_dtypes("float") % 1
    points = [(name, f"{frame[name][parts[name] > 0].iloc[0]:g}") for name in parts if (parts[name] > 0).any()]
    if commas["decimals"] and not commas["groups"] and not points:
        return ","
    if not commas["decimals"] and (commas["groups"] or not commas["either"]):
        return "."
    name, text = (commas["either"] or commas["decimals"])[0]
    other = f", and column {str(points[0][0])!r} such as {points[0][1]}" if points else ""
    raise TableError(
        f"{path}: column {str(name)!r} has numbers such as {text!r}{other}: give decimal: ',' where the comma stands "
        "before decimals, decimal: '.' where it groups thousands (--decimal , or --decimal .)"
    )


def _with_thousands(frame: pd.DataFrame, decimal: str, path: Path) -> dict[str, pd.Series]:
    """Columns of texts whose thousands are grouped as numbers; a line where numbers have the other decimal mark."""
    import pandas as pd

    made = {}
    for name, texts in _texts(frame):
        if _are_numbers(texts, decimal):
            plain = frame[name].str.strip().str.replace(_OTHER_MARK[decimal], "").str.replace(decimal, ".")
            made[name] = pd.to_numeric(plain)
        elif decimal == "," and _are_numbers(texts, "."):
            raise TableError(
                f"{path}: column {str(name)!r} has numbers such as {texts[0]!r}, where decimals stand behind commas: "
                "write all numbers alike, or give decimal: '.'"
            )
    return made
