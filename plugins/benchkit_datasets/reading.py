"""Text tables of known width and height, their labels and categories; the options that a suite gives a loader."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np


def read_bytes(path: Path) -> bytes:
    """Bytes of a file, those of a gzip file unpacked.

    Raises ValueError where it is empty, broken or truncated gzip, or a web page (an error page, saved as data).
    """
    content = path.read_bytes()
    _check_not_page(path, content)
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except EOFError:
            raise ValueError(f"{path}: truncated gzip file") from None
        except (gzip.BadGzipFile, zlib.error) as error:
            raise ValueError(f"{path}: broken gzip file ({error})") from None
        _check_not_page(path, content)
    return content


def read_text(path: Path) -> str:
    """Text of a UTF-8 file, unpacked as by `read_bytes`, with line ends as plain newlines."""
    content = read_bytes(path)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}: byte 0x{content[error.start]:02x} in row {line} is not UTF-8 text") from None
    return text.replace("\r\n", "\n")


def _check_not_page(path: Path, content: bytes) -> None:
    if not content.strip():
        raise ValueError(f"{path}: the file is empty")
    if content.lstrip()[:200].lower().startswith((b"<!doctype", b"<html", b"<?xml", b"<head")):
        raise ValueError(f"{path}: a web page (HTML), not data")


def read_fields(path: Path, columns: int, rows: int | None, separator: str | None = ",") -> list[list[str]]:
    """Fields of a text table in UTF-8, or one compressed by gzip, blanks around them removed.

    Every line, of which empty ones do not count, must have so many ``columns``, and the file so many ``rows``, None for
    any number; no ``separator`` stands for any run of blanks. Anything else is a ValueError of one line that names the
    file and the row, counted from 1.
    """
    return _split(path, read_text(path), columns, rows, separator)


def read_numbers(path: Path, columns: int, rows: int | None, separator: str | None = ",") -> np.ndarray:
    """A text table of finite numbers, as float64 of shape (rows, columns).

    Parameters and errors are those of `read_fields`; a field that is no finite number is an error, too.
    """
    return parse_numbers(path, read_text(path), columns, rows, separator)


def parse_numbers(path: Path, text: str, columns: int, rows: int | None, separator: str | None = ",") -> np.ndarray:
    """`read_numbers` of a part of a file's text, whose rows are counted from the part's beginning."""
    try:
        table = np.loadtxt(StringIO(text), delimiter=separator, ndmin=2, comments=None)
    except ValueError:
        table = None
    if table is None or table.shape != (rows or len(table), columns) or not np.isfinite(table).all():
        return to_numbers(path, _split(path, text, columns, rows, separator))
    return table


def to_numbers(path: Path, fields: Sequence[Sequence[str]], column: int = 1) -> np.ndarray:
    """Fields as float64 of shape (rows, columns), each of which must be a finite number.

    ``column`` is the number, in the file, of the first of them: it is named where a field is no number.
    """
    table = np.empty((len(fields), len(fields[0])))
    for i, row in enumerate(fields):
        for j, field in enumerate(row):
            try:
                # Python reads "1_0" as 10; a data file does not mean that.
                table[i, j] = np.nan if "_" in field else float(field)
            except ValueError:
                table[i, j] = np.nan
            if not np.isfinite(table[i, j]):
                message = f"{path}: {field!r} in row {i + 1}, column {j + column} is not a finite number"
                raise ValueError(message)
    return table


def map_labels(path: Path, given: Sequence[Any] | np.ndarray, labels: Mapping[Any, int]) -> np.ndarray:
    """Labels as ints, shape (rows,): what each becomes; a label that is not declared is an error."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    try:
        return np.array([labels[label] for label in given])
    except KeyError as error:
        row = list(given).index(error.args[0]) + 1
        known = ", ".join(repr(label) for label in labels)
        raise ValueError(f"{path}: label {error.args[0]!r} in row {row}, expected one of {known}") from None


def _split(path: Path, text: str, columns: int, rows: int | None, separator: str | None) -> list[list[str]]:
    fields = []
    for line, content in enumerate(text.split("\n"), start=1):
        if not content.strip():
            continue
        row = [field.strip() for field in content.split(separator)]
        if len(row) != columns:
            raise ValueError(f"{path}: {len(row)} columns in row {line}, expected {columns}")
        fields.append(row)
    if rows is not None and len(fields) != rows:
        raise ValueError(f"{path}: {len(fields)} rows, expected {rows}")
    return fields


def find_codes(
    path: Path, name: str, values: Sequence[str], categories: Sequence[str], missing: str = ""
) -> np.ndarray:
    """Positions of values among the categories, as float64 of shape (rows,); NaN where a value is missing.

    ``missing`` is what the file writes then; empty where none may be missing. ``path`` and the column's ``name`` are
    for the ValueError that a value raises which is not among the categories.
    """
    positions = {category: float(position) for position, category in enumerate(categories)}
    if missing:
        positions[missing] = np.nan
    try:
        return np.array([positions[value] for value in values])
    except KeyError as error:
        row = list(values).index(error.args[0]) + 1
        known = ", ".join(categories)
        raise ValueError(f"{path}: {name} is {error.args[0]!r} in row {row}, expected one of {known}") from None


def make_block(codes: np.ndarray, n_categories: int) -> np.ndarray:
    """One column a category, float64 of shape (rows, n_categories); a missing code makes its whole row NaN."""
    block = (codes[:, None] == np.arange(n_categories)).astype(float)
    block[np.isnan(codes)] = np.nan
    return block


def join_blocks(blocks: Sequence[np.ndarray]) -> tuple[np.ndarray, list[list[int]]]:
    """Blocks side by side, and the columns of each block."""
    starts = np.cumsum([0, *(block.shape[1] for block in blocks)])
    groups = [list(range(start, stop)) for start, stop in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True)]
    return np.column_stack(blocks), groups
