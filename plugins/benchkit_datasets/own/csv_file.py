"""A user's CSV file."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchkit import Categories, Data, read_table
from benchkit_datasets.own.frames import Sources, leave_out, load_frame_classes, load_frame_targets, with_sources
from benchkit_datasets.own.several_files import read_files, recent, sample_rows
from benchkit_datasets.parsing.choices import check_choice


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
        Whether the first line names the columns. Where absent, it does if the target is named, or if it holds no number
        and the second line holds one; a file without any numbers there needs to be told.
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
    if header is None and isinstance(target, str) and not re.fullmatch(r"x\d+", target):  # as columns without names are
        header = True
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
    """The table, or some of its rows; each column as numbers where all its fields are, else as text."""
    check_choice("header", header, (None, False, True))
    check_choice("decimal", decimal, (None, ".", ","))
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\n\r'):
        raise ValueError(f"delimiter is {delimiter!r}, expected one character")
    frame = read_table(path, decimal, na_values, delimiter=delimiter, header=header, stripped=True)
    return sample_rows(frame, rows)
