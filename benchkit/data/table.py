"""A user's table, whichever command reads it: files, missing values, and which texts are numbers.

Missing is what the file's format says is missing: an empty field, NaN and null of a text, null and NaN of Parquet, null
of JSON. "NA", "None" and "?" of a text are texts like others, unless ``na_values`` names them; among
numbers they are asked for.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import json
import lzma
import math
import re
import warnings
import zlib
from bz2 import open as open_bz2
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from benchkit.errors import RequestError
from benchkit.plugin.parameters import meant_file

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MISSING = ("", "NaN", "nan", "NULL", "null")
"""Fields of a text that are missing values."""

TABLE_ENDINGS = {
    "text": (".csv", ".tsv", ".txt", ".tab", ".data"),
    "parquet": (".parquet", ".pq"),
    "json": (".json", ".jsonl", ".ndjson"),
    "spreadsheet": (".xlsx", ".xlsm", ".xls", ".ods"),
}
"""How the files end that `read_table` reads, by format; after text and JSON may follow .gz, .bz2 or .xz."""

_WORDS = ("?", "NA", "N/A", "n/a", "na", "#N/A", "<NA>", "None", "none", "-", "--", ".")
_OTHER_MARK = {".": ",", ",": "."}
_OPEN: dict[str, Callable[..., Any]] = {".gz": gzip.open, ".bz2": open_bz2, ".xz": lzma.open}
# A column takes a kilobyte and more whatever it holds, and every step looks at one after the other.
_MOST_COLUMNS = 200_000
_KB_PER_COLUMN = 2
_MAGIC = b"PAR1"  # what files of Parquet begin with, whatever they are called
# What other files begin with, and how they end.
_OTHER_FILES = {
    b"PK\x03\x04": "a spreadsheet or an archive; let the name of a spreadsheet end in .xlsx",
    b"\x1f\x8b": "compressed; let its name end in .gz",
    b"version https://git-lfs": "the pointer that Git LFS keeps in place of a file; 'git lfs pull' fetches the file",
    b"<": "a web page; fetch the table itself",
    b"{": "JSON; let its name end in .json or .jsonl",
}
_PICKLE = "a pickle, which can execute any code: save the table as Parquet, by pandas' to_parquet where you trust it"
_NO_NAMES = "rows without columns' names: a suite reads them, {name: libsvm, path: ...}"
_TO_PARQUET = "a format that is not read: save the table as Parquet or csv, by pandas or pyarrow"
_OTHER_ENDINGS = {
    **dict.fromkeys((".pkl", ".pickle"), _PICKLE),
    **dict.fromkeys((".libsvm", ".svmlight", ".svm"), _NO_NAMES),
    **dict.fromkeys((".arff", ".feather", ".arrow", ".orc"), _TO_PARQUET),
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
    """The table of a file, whose ending says its format.

    The endings are those of `TABLE_ENDINGS`; any other is text, separated by comma, semicolon or tab, in UTF-8, UTF-16
    with its mark, or else Latin-1, which is warned of. JSON is a list of objects, or one a line; of a spreadsheet the
    first sheet is read, as text is. Fields of structs are columns, called ``struct.field``.

    Parameters
    ----------
    path : Path
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
        raise TableError(f"{path}: {'no file of data' if path.exists() else f'no such file{meant_file(path)}'}")
    packed = _OPEN.get(path.suffix)
    ending = (path.with_suffix("") if packed else path).suffix.lower()
    kind = next((kind for kind, endings in TABLE_ENDINGS.items() if ending in endings), "text")
    if ending in _OTHER_ENDINGS:
        raise TableError(f"{path}: {_OTHER_ENDINGS[ending]}")
    try:
        separator = delimiter or ("\t" if ending == ".tsv" else None)
        if text is not None or kind == "spreadsheet":
            content, separator = _read_sheet(path) if text is None else text, ","
        else:
            with (packed or open)(path, "rb") as file:
                content = file.read(8)
                if kind == "parquet" or content.startswith(_MAGIC):
                    from pyarrow import parquet

                    kind = "parquet"
                    return _of_arrow(parquet.ParquetFile(path).read(use_threads=False), path)
                content += file.read()
            content = _as_utf8(content, path)
            if kind == "json":
                return _read_json(content, ending)
        return _read_text(content, path, separator, header, stripped, decimal, na_values, ignored, names)
    except TableError:
        raise
    except (OSError, ValueError, TypeError, NotImplementedError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise TableError(f"{path}: cannot be read as {kind}: {' '.join(str(error).split())[:160]}") from None
    except RecursionError:
        raise TableError(f"{path}: cannot be read as {kind}: it is nested too deep") from None


def _of_arrow(table: pa.Table, path: Path) -> pd.DataFrame:
    """As pandas reads it, but structs are columns, decimals floats, bytes texts and dates dates, not objects."""
    import pyarrow as pa
    from pyarrow import types

    while any(types.is_struct(field.type) for field in table.schema):
        table = table.flatten()
    _check_names(table.column_names, path)
    for place, field in enumerate(table.schema):
        plain = field.type
        if types.is_decimal(plain):
            plain = pa.float64()
        elif types.is_binary(plain) or types.is_large_binary(plain) or types.is_fixed_size_binary(plain):
            plain = pa.large_string()
        elif types.is_date(plain):
            plain = pa.timestamp("ms")
        if plain is not field.type:
            try:
                table = table.set_column(place, field.with_type(plain), table.column(place).cast(plain))
            except pa.ArrowInvalid:
                reason = f"holds {field.type} that is no {'date' if types.is_date(field.type) else 'text in UTF-8'}"
                raise TableError(f"{path}: column {field.name!r} {reason}: leave it out of the file") from None
    frame: pd.DataFrame = table.to_pandas(use_threads=False)
    frame = frame.reset_index(drop=frame.index.names == [None])  # a column like the others, where it has a name
    frame.columns = frame.columns.map(str)
    return frame


def _check_names(names: Sequence[str], path: Path) -> None:
    """Refuse names that repeat, and more columns than any step takes."""
    if len(names) > _MOST_COLUMNS:
        gigabytes = len(names) * _KB_PER_COLUMN / 2**20
        raise TableError(
            f"{path}: {len(names):,} columns, of {_MOST_COLUMNS:,} at most: a table of them takes {gigabytes:.0f} GB "
            "and more; write its rows in LIBSVM form, which data set libsvm keeps sparse"
        )
    if repeated := [name for name, count in Counter(names).items() if name and count > 1]:
        raise TableError(f"{path}: two columns are named {repeated[0][:40]!r}; rename one")


def _read_sheet(path: Path) -> bytes:
    """The first sheet of a spreadsheet as csv, its empty rows left out."""
    import pandas as pd

    try:
        frame = pd.read_excel(path, header=None, dtype=object, keep_default_na=False, na_values=[""])
    except ImportError as error:
        package = "openpyxl" if "openpyxl" in str(error) else str(error).partition("'")[2].partition("'")[0]
        raise TableError(f"{path}: {package} reads spreadsheets: pip install {package}; or save it as csv") from None
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise TableError(f"{path}: cannot be read as a spreadsheet: {error!s:.120}") from None
    return bytes(frame.dropna(how="all").to_csv(index=False, header=False).encode())


def _as_utf8(content: bytes, path: Path) -> bytes:
    """Text of another encoding in UTF-8."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16").encode()
    if content.isascii() or b"\0" in content[:65536]:
        return content
    try:
        content.decode()
    except UnicodeDecodeError as error:
        place = f"byte 0x{content[error.start]:02x} in row {content.count(10, 0, error.start) + 1}"
        warnings.warn(
            f"{path}: {place} is not UTF-8: read as Latin-1; if letters are wrong, save it as UTF-8", stacklevel=3
        )
        try:
            return content.decode("cp1252").encode()
        except UnicodeDecodeError:
            return content.decode("latin-1").encode()
    return content


def _read_json(content: bytes, ending: str) -> pd.DataFrame:
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
    if kinds := [kind for begin, kind in _OTHER_FILES.items() if start.startswith(begin)]:
        raise TableError(f"{path}: no csv: it is {kinds[0]}")
    if not start or b"\0" in start:
        no_text = "no csv: it is no text; export it as csv or parquet"
        raise TableError(f"{path}: {no_text if start else 'the file is empty'}")
    if separator is None:
        separator = max(",;\t".replace(decimal or ".", ""), key=start.splitlines()[0].decode("utf-8", "replace").count)
    rows = list(islice(_rows(content, separator, stripped, path), 2))
    first, second = rows[0], rows[1] if len(rows) > 1 else []
    header = _has_header(first, second, path) if header is None else header
    if header and not second:
        raise TableError(f"{path}: no rows below the names of the columns")
    shown = [name.strip() for name in first] if header else [f"x{place}" for place in range(1, len(first) + 1)]
    if len(shown) == 1 and "|" in shown[0]:
        raise TableError(f"{path}: bars divide its columns: save it with commas")
    _check_names(shown, path)
    _require_equal_rows(content, separator, len(first), stripped, path, int(not header))

    options: dict[str, Any] = {"header": 0 if header else None, "names": None if header else shown}
    options |= {"sep": separator, "skipinitialspace": stripped, "encoding": "utf-8-sig"}
    options |= {"keep_default_na": False, "low_memory": False}

    def read(mark: str, rows: int | None = None) -> pd.DataFrame:
        written: dict[Any, Any] = {"na_values": missing, "dtype": dict.fromkeys(as_written, str)}
        frame: pd.DataFrame = pd.read_csv(io.BytesIO(content), decimal=mark, nrows=rows, **written, **options)
        if stripped:
            frame.columns = frame.columns.map(lambda name: str(name).strip())
            for name in frame.select_dtypes(exclude=["number", "bool"]).columns:  # truth values and gaps are objects
                frame[name] = frame[name].map(lambda field: field.strip() if isinstance(field, str) else field)
        for name in filter(lambda name: ignored(str(name)), frame.columns):
            frame[name] = math.nan
        return frame

    missing: Any = [*MISSING, *map(str, na_values or ())]
    as_written: list[Any] = []
    columns = read(".", 0).columns
    if as_written := [name for name in columns if names(str(name))]:
        missing = dict.fromkeys(columns, missing) | {name: [""] for name in as_written}
    frame = read(decimal or ".")
    texts = _texts(frame, as_written)
    if na_values is None:
        _ask_for_words(frame, texts, path)
    if (mark := decimal or _decimal_mark(frame, texts, path)) != (decimal or "."):
        frame = read(mark)
        texts = _texts(frame, as_written)
    for name, values in texts.items():
        if _are_numbers(values, mark):  # thousands are grouped
            plain = frame[name].str.strip().str.replace(_OTHER_MARK[mark], "").str.replace(mark, ".")
            frame[name] = pd.to_numeric(plain)
        elif mark == "," and _are_numbers(values, "."):
            raise TableError(
                f"{path}: column {str(name)!r} has numbers such as {values[0]!r}, where decimals stand behind commas: "
                "write all numbers alike, or give decimal: '.'"
            )
    frame.attrs["decimal"] = mark
    return frame


def _rows(content: bytes, separator: str, stripped: bool, path: Path) -> Iterator[list[str]]:
    """Rows of fields, empty lines left out."""
    csv.field_size_limit(2**31 - 1)
    lines = io.TextIOWrapper(io.BytesIO(content), "utf-8-sig", newline="")
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=stripped, strict=True)
    try:
        yield from filter(None, reader)
    except csv.Error as error:
        remedy = "; within quotes a quote is written twice" if "expected after" in str(error) else ""
        raise TableError(f"{path}: line {reader.line_num}: {error}{remedy}") from None


def _require_equal_rows(content: bytes, separator: str, width: int, stripped: bool, path: Path, begin: int) -> None:
    """Refuse rows of another length than the first: pandas fills short ones, and takes long ones for an index."""
    lengths: Iterable[int] = map(len, _rows(content, separator, stripped, path))
    if b'"' not in content:  # which takes a fraction of the time
        mark, old = separator.encode(), b"\r" in content and b"\n" not in content  # ends of lines of a Macintosh
        lines = content.split(b"\r") if old else io.BytesIO(content)
        lengths = (line.count(mark) + 1 for line in lines if line.strip(b" \r\n"))
    for row, length in enumerate(lengths, start=begin):  # rows are counted below the names of the columns
        if length != width:
            raise TableError(f"{path}: row {row} has {length} value{'s' * (length > 1)}, expected {width}")


def _has_header(first: Sequence[str], second: Sequence[str], path: Path) -> bool:
    """Whether the first of two rows names the columns."""
    numbers = [any(_are_numbers([field.strip()], mark) for field in row for mark in ".,") for row in (first, second)]
    if numbers[1] and not numbers[0]:
        return True
    whole = [int(field) for field in first if field.strip().isdecimal()]
    steps = {after - before for before, after in pairwise(whole)}
    if numbers[0] and not (len(first) > 2 and len(steps) == 1 and min(steps) > 0):  # such as 0,1,2,y or 850,900,950
        return False
    raise TableError(f"{path}: cannot tell whether the first row names the columns: give 'header: true' or 'false'")


def _texts(frame: pd.DataFrame, as_written: Sequence[Any]) -> dict[Any, list[str]]:
    """Columns of texts that may be numbers, and what they hold."""
    columns = {
        name: [text.strip() if isinstance(text, str) else "x" for text in column.dropna().unique()]
        for name, column in frame.items()
        if name not in as_written and (column.dtype == object or str(column.dtype).startswith("str"))
    }
    return {name: texts for name, texts in columns.items() if texts}


def _are_numbers(texts: Sequence[str], mark: str) -> bool:
    """Whether texts are numbers with this mark before the decimals; the other one may group thousands."""
    group, mark = re.escape(_OTHER_MARK[mark]), re.escape(mark)
    plain = rf"(\d+({mark}\d*)?|{mark}\d+)([eE][+-]?\d+)?"
    grouped = rf"[1-9]\d{{0,2}}({group}\d{{3}})+({mark}\d*)?"
    return all(map(re.compile(rf"[+-]?({plain}|{grouped})").fullmatch, texts))


def _ask_for_words(frame: pd.DataFrame, texts: Mapping[Any, Sequence[str]], path: Path) -> None:
    """Refuse a word such as NA among numbers: it may be a text, or stand for a missing value."""
    for name, values in texts.items():
        words = [text for text in values if text in _WORDS]
        numbers = [text for text in values if text not in _WORDS]
        if words and numbers and (_are_numbers(numbers, ".") or _are_numbers(numbers, ",")):
            rows, listed = int(frame[name].isin(words).sum()), ", ".join(map(repr, words))
            raise TableError(
                f"{path}: column {str(name)!r} has numbers, and {listed} in {rows} rows: give na_values: [{listed}] "
                f"where that is missing, na_values: [] where it is text (--na-values {','.join(words)}, --na-values '')"
            )


def _decimal_mark(frame: pd.DataFrame, texts: Mapping[Any, Sequence[str]], path: Path) -> str:
    """What separates decimals; a line that asks where it cannot be told."""
    # Columns with commas, by what the comma can be, each with an example; and those of numbers with a point.
    commas: dict[str, list[tuple[Any, str]]] = {"decimals": [], "groups": [], "either": []}
    for name, values in texts.items():
        as_point, as_comma = _are_numbers(values, "."), _are_numbers(values, ",")
        if (as_point or as_comma) and (comma := next((text for text in values if "," in text), None)):
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
