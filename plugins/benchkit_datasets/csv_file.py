"""A user's CSV file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd

from benchkit import Data
from benchkit_datasets.choices import check_choice
from benchkit_datasets.content import read_text
from benchkit_datasets.frames import load_frame_classes, load_frame_targets
from benchkit_datasets.own_files import require_path

MISSING = ("", "?", "NA", "N/A", "NaN", "nan", "NULL", "null")


def load_csv(
    path: str | None = None,
    label: str | int = -1,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    drop: Sequence[str] = (),
    positive: Any = None,
    pair: Sequence[Any] | None = None,
    one_against_rest: Any = None,
) -> Data:
    """A text table of numbers and categories, with classes to predict.

    Parameters
    ----------
    path : str
        A UTF-8 file, or one compressed by gzip (``.gz``), relative to the current directory.
    label : str or int, default=-1
        The column of classes: its name, or its position from 0; -1 is the last.
    delimiter : str, optional
        One character; the most frequent of comma, semicolon and tab in the first line where absent.
    header : bool, optional
        Whether the first line names the columns. Where absent, it does if it holds no number and the second line holds
        one; a file without any numbers there needs to be told.
    decimal : {".", ","}, default="."
        What separates the decimals of a number.
    drop : sequence of str, default=()
        Columns to leave out, such as the names of rows.
    positive : class, optional
        The class that becomes +1 where there are two; else the larger, or later in the alphabet, does.
    pair, one_against_rest
        A binary problem of more classes, see `benchkit_datasets.pairs.choose_problem`.

    Returns
    -------
    Data
        Categories one-hot with one group per feature; NaN for fields that are empty or one of ?, NA, N/A, NaN, NULL.
        Labels are -1 and +1 where there are two classes.
    """
    table = _read_own(path, label, delimiter, header, decimal, drop)
    return load_frame_classes(*table, positive, pair, one_against_rest)


def load_csv_regression(
    path: str | None = None,
    label: str | int = -1,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str = ".",
    drop: Sequence[str] = (),
) -> Data:
    """A text table of numbers and categories, with numbers to predict.

    Parameters
    ----------
    path, label, delimiter, header, decimal, drop
        As of `load_csv`; the label is the column of targets.
    """
    return load_frame_targets(*_read_own(path, label, delimiter, header, decimal, drop))


def _read_own(
    given: str | None, label: str | int, delimiter: str | None, header: bool | None, decimal: str, drop: Sequence[str]
) -> tuple[pd.DataFrame, str | int, str]:
    """The table without the columns to drop, its label (by name where its position would change), and its path."""
    path = require_path(given)
    frame = read_csv(path, delimiter, header, decimal)
    if isinstance(drop, str):
        drop = [drop]
    absent = [name for name in drop if name not in frame.columns]
    if absent:
        raise ValueError(
            f"{path}: no column to drop is named {absent[0]!r}; the columns are {', '.join(frame.columns)}"
        )
    if drop and isinstance(label, int) and -len(frame.columns) <= label < len(frame.columns):
        label = str(frame.columns[label])
    if label in drop:
        raise ValueError(f"{path}: column {label!r} is the label and cannot be dropped")
    return frame.drop(columns=list(drop)), label, str(path)


def read_csv(path: Path, delimiter: str | None = None, header: bool | None = None, decimal: str = ".") -> pd.DataFrame:
    """The table, each column as numbers where all its fields are, else as text.

    Raises
    ------
    ValueError
        One line, naming the file and the row, where rows differ in length, or it cannot be told what the first is.
    """
    check_choice("header", header, (None, False, True))
    check_choice("decimal", decimal, (".", ","))
    text = read_text(path)
    if delimiter is None:
        first = text.lstrip("\n").partition("\n")[0]
        delimiter = max(",;\t".replace(decimal, ""), key=first.count)
    elif not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\n\r':
        raise ValueError(f"delimiter is {delimiter!r}, expected one character")
    rows: list[list[str]] = []
    reader = csv.reader(StringIO(text), delimiter=delimiter, skipinitialspace=True, strict=True)
    try:
        for row in reader:
            if not row:
                continue
            if rows and len(row) != len(rows[0]):
                raise ValueError(f"{path}: {len(row)} columns in row {reader.line_num}, expected {len(rows[0])}")
            rows.append([field.strip() for field in row])
    except csv.Error as error:
        raise ValueError(f"{path}: row {reader.line_num}: {error}") from None
    named = _has_header(path, rows, decimal) if header is None else header
    names = rows.pop(0) if named else [f"x{j}" for j in range(1, len(rows[0]) + 1)]
    if len(set(names)) != len(names):
        raise ValueError(f"{path}: two columns are named {next(name for name in names if names.count(name) > 1)!r}")
    if not rows:
        raise ValueError(f"{path}: no rows below the names of the columns")
    columns = zip(*rows, strict=True)
    found = {name: _read_column(fields, decimal) for name, fields in zip(names, columns, strict=True)}
    for name, column in found.items():
        if column.dtype == object and all(_is_number(field, ",") for field in column.dropna()):
            shown = column.dropna().iloc[0]
            raise ValueError(f"{path}: column {name!r} has numbers such as {shown!r}: give decimal: ','")
    return pd.DataFrame(found)


def _read_column(fields: Sequence[str], decimal: str) -> pd.Series:
    present = [None if field in MISSING else field for field in fields]
    if all(field is None or _is_number(field, decimal) for field in present):
        return pd.Series([float("nan") if field is None else float(field.replace(decimal, ".")) for field in present])
    return pd.Series(present, dtype=object)


def _is_number(field: str, decimal: str) -> bool:
    try:
        float(field.replace(decimal, "."))
    except ValueError:
        return False
    return "_" not in field


def _has_header(path: Path, rows: Sequence[Sequence[str]], decimal: str) -> bool:
    # Numbers with decimal commas are numbers here too: what separates decimals is asked for later.
    if any(_is_number(field, decimal) or _is_number(field, ",") for field in rows[0]):
        return False
    if len(rows) > 1 and any(_is_number(field, decimal) or _is_number(field, ",") for field in rows[1]):
        return True
    raise ValueError(f"{path}: cannot tell whether the first row names the columns: give 'header: true' or 'false'")
