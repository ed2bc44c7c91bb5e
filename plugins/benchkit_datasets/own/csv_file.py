"""A user's CSV file."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import pandas as pd

from benchkit import Categories, Data, missing_texts, read_decided
from benchkit_datasets.own.csv_columns import read_columns, read_rows
from benchkit_datasets.own.frames import Sources, leave_out, load_frame_classes, load_frame_targets, with_sources
from benchkit_datasets.own.several_files import read_files, recent, sample_rows
from benchkit_datasets.parsing.choices import check_choice
from benchkit_datasets.parsing.content import read_text


def load_csv(
    path: str | list[str] | None = None,
    target: str | int = -1,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    na_values: Sequence[Any] | None = None,
    drop: Sequence[str] = (),
    positive: Any = None,
    pair: Sequence[Any] | None = None,
    one_against_rest: Any = None,
    missing_target: str = "error",
    sources: Sources | None = None,
    rows: int | None = None,
) -> Data:
    """A text table of numbers and categories, with classes to predict.

    Parameters
    ----------
    path : str or list of str
        A UTF-8 file, or one compressed by gzip (``.gz``), relative to the current directory; or several with the same
        columns, whose rows are put together, the column ``file`` of `Data.columns` saying where each is from.
    target : str or int, default=-1
        The column of classes: its name, or its position from 0; -1 is the last.
    delimiter : str, optional
        One character; the most frequent of comma, semicolon and tab in the first line where absent.
    header : bool, optional
        Whether the first line names the columns. Where absent, it does if it holds no number and the second line holds
        one; a file without any numbers there needs to be told.
    decimal : {".", ","}, optional
        What separates the decimals of a number; the other may group thousands. Where absent, the comma if numbers can
        be read in no other way, and a mistake where both are possible.
    na_values : sequence, optional
        Fields that are missing, as they are written, besides empty ones, NaN and null: ``[NA, "?", -999]``.
    drop : sequence of str, default=()
        Columns to leave out, such as the names of rows.
    positive : class, optional
        The class that becomes +1 where there are two; else the larger, or later in the alphabet, does.
    pair, one_against_rest
        A binary problem of more classes, see `benchkit_datasets.problems.pairs.choose_problem`.
    missing_target : {"error", "drop"}, default="error"
        Whether rows without a target are a mistake, or left out.
    sources : mapping of str to list of str, optional
        Where columns come from, ``{bureau: [income, score]}``: those of a source are one feature, and fail together.
    rows : int, optional
        Rows to draw at random of a larger table, the same ones each time; all where absent.

    Returns
    -------
    Data
        Categories one-hot with one group per feature; NaN for fields that are missing.
        Labels are -1 and +1 where there are two classes.
    """
    frame, target, source, aside, files = _read_own(path, target, delimiter, header, decimal, na_values, drop, rows)
    data = load_frame_classes(frame, target, source, positive, pair, one_against_rest, missing_target, aside, files)
    return with_sources(data, sources, source)


def load_csv_regression(
    path: str | list[str] | None = None,
    target: str | int = -1,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    na_values: Sequence[Any] | None = None,
    drop: Sequence[str] = (),
    missing_target: str = "error",
    sources: Sources | None = None,
    rows: int | None = None,
) -> Data:
    """A text table of numbers and categories, with numbers to predict.

    Parameters
    ----------
    path, target, delimiter, header, decimal, na_values, drop, missing_target, sources, rows
        As of `load_csv`; the target is a column of numbers.
    """
    frame, target, source, aside, files = _read_own(path, target, delimiter, header, decimal, na_values, drop, rows)
    return with_sources(load_frame_targets(frame, target, source, missing_target, aside, files), sources, source)


def _read_own(
    given: str | list[str] | None,
    target: str | int,
    delimiter: str | None,
    header: bool | None,
    decimal: str | None,
    na_values: Sequence[Any] | None,
    drop: Sequence[str],
    rows: int | None,
) -> tuple[pd.DataFrame, str | int, str, pd.DataFrame, Categories | None]:
    """The table without the columns to drop, its target, its path, those columns, and which file each row is from."""
    missing = None if na_values is None else tuple(na_values)
    table, source, files = read_files(
        given, lambda path: recent(read_csv, path, delimiter, header, decimal, missing, rows)
    )
    frame, target, aside = leave_out(table, target, drop, source)
    return frame, target, source, aside, files


def read_csv(
    path: Path,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    na_values: Sequence[Any] | None = None,
    rows: int | None = None,
) -> pd.DataFrame:
    """The table, each column as numbers where all its fields are, else as text.

    Raises
    ------
    ValueError
        One line, naming the file and the row, where rows differ in length, or it cannot be told what the first is.
    """
    check_choice("header", header, (None, False, True))
    check_choice("decimal", decimal, (None, ".", ","))
    text = read_text(path)
    if delimiter is None:
        first = text.lstrip("\n").partition("\n")[0]
        delimiter = max(",;\t".replace(decimal or ".", ""), key=first.count)
    elif not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\n\r':
        raise ValueError(f"delimiter is {delimiter!r}, expected one character")
    first_rows = list(islice(read_rows(text, delimiter, path), 2))
    named = _has_header(path, first_rows) if header is None else header
    names = first_rows[0] if named else [f"x{j}" for j in range(1, len(first_rows[0]) + 1)]
    if len(set(names)) != len(names):
        raise ValueError(f"{path}: two columns are named {next(name for name in names if names.count(name) > 1)!r}")
    if named and len(first_rows) == 1:
        raise ValueError(f"{path}: no rows below the names of the columns")
    missing = missing_texts(na_values)

    def read(mark: str) -> pd.DataFrame:
        columns = read_columns(text, delimiter, path, len(names), named, mark, missing)
        return pd.DataFrame(dict(zip(names, columns, strict=True)), copy=False)

    return sample_rows(read_decided(read, path, decimal, na_values), rows)


def _holds_number(row: Sequence[str]) -> bool:
    # Numbers with decimal commas are numbers here too: what separates decimals is decided later.
    return bool(pd.to_numeric(pd.Series([field.replace(",", ".") for field in row]), errors="coerce").notna().any())


def _has_header(path: Path, rows: Sequence[Sequence[str]]) -> bool:
    if _holds_number(rows[0]):
        return False
    if len(rows) > 1 and _holds_number(rows[1]):
        return True
    raise ValueError(f"{path}: cannot tell whether the first row names the columns: give 'header: true' or 'false'")
