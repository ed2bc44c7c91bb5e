"""The columns of a CSV text, a block of rows after the other, so that a large table is never held as text objects."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator, Sequence
from io import RawIOBase, StringIO
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
from pyarrow import compute
from pyarrow import csv as arrow_csv

_BLOCK_BYTES = 4 * 2**20
_BLOCK_ROWS = 20_000
# Control characters, of which csv and pyarrow think differently; line ends and tabs are none of them.
_CONTROLS = bytes({*range(32), 127} - {9, 10})
# pyarrow and pandas read numbers of so many digits alike: they, and the powers of ten they are divided by, are exact.
_MOST_DIGITS = 15
_OF_NUMBERS = np.zeros(256, dtype=bool)
_OF_NUMBERS[list(b"0123456789.-")] = True


def read_rows(text: str, delimiter: str, path: Path) -> Iterator[list[str]]:
    """Rows of fields, without the blanks around them, as `csv.reader` reads them strictly; empty lines are left out.

    Raises
    ------
    ValueError
        One line with the file and the row, where rows differ in length or quotes are not closed.
    """
    width = None
    reader = csv.reader(_lines(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if not row:
                continue
            width = len(row) if width is None else width
            if len(row) != width:
                raise ValueError(f"{path}: {len(row)} columns in row {reader.line_num}, expected {width}")
            yield [field.strip() for field in row]
    except csv.Error as error:
        raise ValueError(f"{path}: row {reader.line_num}: {error}") from None


def _lines(text: str) -> Iterator[str]:
    """The lines of a text; an object of all of it would take four times its room."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _BLOCK_BYTES) + 1 or len(text)
        yield from StringIO(text[start:end])
        start = end


def read_columns(
    text: str, delimiter: str, path: Path, width: int, named: bool, decimal: str, missing: Sequence[str]
) -> list[np.ndarray | pd.Series]:
    """Each column as float64 where all its fields are numbers or missing, else as texts (missing ones None).

    ``width`` is how many columns the first row has, ``named`` whether it names them; ``missing`` are the fields that
    are missing values, and ``decimal`` is "." or ",".
    """
    plain = _plain(text, delimiter)

    def blocks(wanted: Sequence[int]) -> Iterator[list[pa.StringArray]]:
        if plain is None:
            return _read_any(text, delimiter, path, named, wanted)
        return _read_plain(plain, delimiter, width, named, wanted)

    try:
        return _convert(blocks, width, decimal, missing)
    except pa.ArrowInvalid:  # a row of another length: said with its number, as rows of any text are
        plain = None
        return _convert(blocks, width, decimal, missing)


def _plain(text: str, delimiter: str) -> str | None:
    """The text without its quotes, if a field is what stands between two delimiters; else None."""
    if delimiter not in ",;\t|":
        return None
    if '"' in text:
        edge, inside = f"[^{re.escape(delimiter)}\n]", f'[^"{re.escape(delimiter)}\n]*'
        text = re.sub(f'(?<!{edge})"({inside})"(?!{edge})', r"\1", text)
        if '"' in text:
            return None
    for start in range(0, len(text), _BLOCK_BYTES):
        block = text[start : start + _BLOCK_BYTES].encode()
        if len(block.translate(None, _CONTROLS)) != len(block):
            return None
    return text


class _Encoded(RawIOBase):
    """A text from some place on as bytes, never more of them than are asked for at once."""

    def __init__(self, text: str, start: int) -> None:
        self._text, self._place = text, start

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        end = len(self._text) if size < 0 else self._place + max(1, size // 4)  # no letter takes more than 4 bytes
        block = self._text[self._place : end]
        self._place += len(block)
        return block.encode()


def _read_plain(
    text: str, delimiter: str, width: int, named: bool, wanted: Sequence[int]
) -> Iterator[list[pa.StringArray]]:
    start = 0
    while text.startswith("\n", start):
        start += 1
    if named:
        start = text.find("\n", start) + 1 or len(text)
    names = [str(place) for place in range(width)]
    reader = arrow_csv.open_csv(
        pa.PythonFile(_Encoded(text, start), mode="r"),
        read_options=arrow_csv.ReadOptions(use_threads=False, block_size=_BLOCK_BYTES, column_names=names),
        parse_options=arrow_csv.ParseOptions(delimiter=delimiter, quote_char=False),
        convert_options=arrow_csv.ConvertOptions(
            column_types={name: pa.string() for name in names},
            include_columns=[names[place] for place in wanted],
            null_values=[],
            check_utf8=False,
        ),
    )
    for batch in reader:
        yield batch.columns


def _read_any(
    text: str, delimiter: str, path: Path, named: bool, wanted: Sequence[int]
) -> Iterator[list[pa.StringArray]]:
    rows = read_rows(text, delimiter, path)
    if named:
        next(rows)
    while block := list(islice(rows, _BLOCK_ROWS)):
        yield [pa.array([row[place] for row in block], pa.string()) for place in wanted]


def _convert(
    blocks: Callable[[Sequence[int]], Iterator[list[pa.StringArray]]], width: int, decimal: str, missing: Sequence[str]
) -> list[np.ndarray | pd.Series]:
    numbers: dict[int, list[np.ndarray]] = {place: [] for place in range(width)}
    texts: dict[int, _Texts] = {}
    late: set[int] = set()
    for fields in blocks(range(width)):
        for place, given in enumerate(fields):
            if place in late:
                continue
            known = _without_missing(given, missing)
            if place not in texts:
                values = _to_numbers(known, decimal)
                if values is not None:
                    numbers[place].append(values)
                    continue
                if numbers.pop(place):  # numbers, until here: its first fields are read again, as texts
                    late.add(place)
                    continue
                texts[place] = _Texts()
            texts[place].append(known)
    again = sorted(late)
    texts |= {place: _Texts() for place in again}
    for fields in blocks(again) if again else ():
        for place, given in zip(again, fields, strict=True):
            texts[place].append(_without_missing(given, missing))
    return [
        texts[place].column() if place in texts else np.concatenate([np.empty(0), *numbers.pop(place)])
        for place in range(width)
    ]


def _without_missing(fields: pa.StringArray, missing: Sequence[str]) -> pa.StringArray:
    """Fields without the blanks around them, null where one says that its value is missing."""
    fields = compute.utf8_trim_whitespace(fields)
    return compute.if_else(compute.is_in(fields, pa.array(missing, pa.string())), pa.scalar(None, pa.string()), fields)


def _to_numbers(fields: pa.StringArray, decimal: str) -> np.ndarray | None:
    """Fields as float64, NaN where they are null; None where one is no number. The numbers are those of pandas."""
    if decimal != "." and compute.any(compute.match_substring(fields, ".")).as_py():
        return None  # its thousands are grouped, or it has other decimals than the rest
    plain = compute.replace_substring(fields, decimal, ".") if decimal != "." else fields
    if _read_alike(plain):
        try:
            return plain.cast(pa.float64()).to_numpy(zero_copy_only=False)
        except pa.ArrowInvalid:
            pass  # perhaps a number of pandas
    values = pd.to_numeric(pd.Series(plain.to_numpy(zero_copy_only=False), dtype=object), errors="coerce")
    read = values.to_numpy(dtype=np.float64)
    return read if np.isnan(read).sum() == fields.null_count else None


def _read_alike(fields: pa.StringArray) -> bool:
    longest = compute.max(compute.binary_length(fields)).as_py() or 0
    written = fields.buffers()[2]
    return longest <= _MOST_DIGITS and (written is None or bool(_OF_NUMBERS[np.frombuffer(written, np.uint8)].all()))


class _Texts:
    """A column of texts, of which each that is the same is one object."""

    def __init__(self) -> None:
        self._known: dict[str, str] = {}
        self._blocks: list[np.ndarray] = []

    def append(self, fields: pa.StringArray) -> None:
        coded = fields.dictionary_encode()
        different = [self._known.setdefault(text, text) for text in coded.dictionary.to_pylist()]
        codes = compute.fill_null(coded.indices, len(different)).to_numpy(zero_copy_only=False)
        self._blocks.append(np.array([*different, None], dtype=object)[codes])

    def column(self) -> pd.Series:
        return pd.Series(np.concatenate(self._blocks), dtype=object)
