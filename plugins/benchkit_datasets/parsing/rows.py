"""Text tables of known width and height."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np

from benchkit_datasets.parsing.content import read_text


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
    text = read_text(path)
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
