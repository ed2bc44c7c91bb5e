"""A user's own table: whatever `benchkit.read_table` reads, a file, or several files of one form."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchkit import Categories, Data, DataUnavailableError, check_choice, check_count, read_table
from benchkit_datasets.own.frames import OwnTable, Sources, leave_out, load_classes, load_targets, with_sources
from benchkit_datasets.problems import draw_rows

_SEED = 0


def named_path(path: str | list[str] | None = None, **params: Any) -> list[str]:
    """What a dataset with a ``path`` declares as its `paths`: the files whose content decides what is loaded."""
    if path is None:
        return []
    paths = path if isinstance(path, list) else [path]
    if not paths or not all(isinstance(each, str) for each in paths):
        raise ValueError(f"path is {path!r}, expected the name of a file")
    return paths


def require_path(path: str | None) -> Path:
    """The file that ``path`` names; DataUnavailableError where there is none."""
    if path is None:
        raise ValueError("'path' is missing: it names the file to read")
    if not isinstance(path, str):
        raise ValueError(f"path is {path!r}: this reader takes one file")
    file = Path(path).expanduser()
    if not file.is_file():
        where = "" if file.is_absolute() else f" in {Path.cwd()}, where the command runs"
        raise DataUnavailableError(f"there is no file {path}{where}")
    return file


def load_table(
    path: str | list[str] | None = None,
    target: str | int = -1,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    na_values: Sequence[Any] | None = None,
    drop: Sequence[str | int] = (),
    positive: Any = None,
    pair: Sequence[Any] | None = None,
    one_against_rest: Any = None,
    missing_target: str = "error",
    sources: Sources | None = None,
    rows: int | None = None,
) -> Data:
    """A table of numbers and categories, with classes to predict.

    Parameters
    ----------
    path : str or list of str
        A file whose ending says its format, relative to the current directory; or several
        with the same columns, whose rows are put together, the column ``file`` of `Data.columns` saying where each is
        from.
    target : str or int, default=-1
        The column of classes: its name, or its position from 0 where no column is called so; -1 is the last.
    delimiter : str, optional
        Of text: one character; the most frequent of comma, semicolon and tab in the first line where absent.
    header : bool, optional
        Of text: whether the first line names the columns. Where absent, it does if the target is named, or if it holds
        no number and the second line holds one; any other file needs to be told.
    decimal : {".", ","}, optional
        Of text: what separates the decimals of a number; the other may group thousands. Where absent, the comma if
        numbers can be read in no other way, and a mistake where both are possible.
    na_values : sequence, optional
        Of text: fields that are missing, as they are written, besides empty ones, NaN and null: ``[NA, "?", -999]``.
    drop : sequence of str, default=()
        Columns to leave out, such as the names of rows and dates.
    positive : class, optional
        The class that becomes +1 where there are two; else the larger, or later in the alphabet, does.
    pair, one_against_rest
        A binary problem of more classes, see `benchkit_datasets.problems.choose_problem`.
    missing_target : {"error", "drop"}, default="error"
        Whether rows without a target are a mistake, or left out.
    sources : mapping of str to list of str, optional
        Where columns come from, ``{bureau: [income, score]}``: those of a source are one feature, and fail together.
    rows : int, optional
        Rows to draw at random of a larger table, the same ones each time; all where absent.

    Returns
    -------
    Data
        Categories one-hot with one group per feature; NaN where a value is missing. Labels are -1 and +1 where there
        are two classes.
    """
    table = _read_own(path, target, drop, rows, delimiter, header, decimal, na_values)
    data = load_classes(table, positive, pair, one_against_rest, missing_target)
    return with_sources(data, sources, table.source)


def load_table_regression(
    path: str | list[str] | None = None,
    target: str | int = -1,
    delimiter: str | None = None,
    header: bool | None = None,
    decimal: str | None = None,
    na_values: Sequence[Any] | None = None,
    drop: Sequence[str | int] = (),
    missing_target: str = "error",
    sources: Sources | None = None,
    rows: int | None = None,
) -> Data:
    """A table of numbers and categories, with numbers to predict.

    Parameters
    ----------
    path, target, delimiter, header, decimal, na_values, drop, missing_target, sources, rows
        As of `load_table`; the target is a column of numbers.
    """
    table = _read_own(path, target, drop, rows, delimiter, header, decimal, na_values)
    return with_sources(load_targets(table, missing_target), sources, table.source)


def _read_own(
    given: str | list[str] | None,
    target: str | int,
    drop: Sequence[str | int],
    rows: int | None,
    delimiter: str | None,
    header: bool | None,
    decimal: str | None,
    na_values: Sequence[Any] | None,
) -> OwnTable:
    """The table, with the columns to drop aside."""
    check_choice((None, False, True), header=header)
    check_choice((None, ".", ","), decimal=decimal)
    if rows is not None:
        check_count(rows=rows)
    if delimiter is not None and (not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\n\r'):
        raise ValueError(f"delimiter is {delimiter!r}, expected one character")
    if header is None and isinstance(target, str) and not re.fullmatch(r"x\d+", target):  # as columns without names are
        header = True

    def read(path: Path) -> pd.DataFrame:
        frame = read_table(path, decimal, na_values, delimiter=delimiter, header=header, stripped=True)
        marks.add(frame.attrs.get("decimal"))
        if frame.empty:
            raise ValueError(f"{path}: the table is empty")
        if rows is None or rows >= len(frame):
            return frame
        return frame.iloc[draw_rows(len(frame), rows, _SEED)]

    marks = set[str | None]()
    frame, source, files = read_files(given, read)
    if {".", ","} <= marks:  # of a file of whole numbers alone the others say what 1.050 is
        decimal = ","
        frame, source, files = read_files(given, read)
    return leave_out(OwnTable(frame, target, source, files=files), drop)


def read_files(
    given: str | list[str] | None, read: Callable[[Path], pd.DataFrame]
) -> tuple[pd.DataFrame, str, Categories | None]:
    """The rows of all files in one table, what messages call it, and of which file each row is.

    Its columns are those of the first file, in its order; messages call it by that file's path. Where there is one path
    that is no list, nothing is said of files. Raises ValueError where a file has other columns than the first, or
    numbers where that has text.
    """
    if not isinstance(given, list):
        path = require_path(given)
        return read(path).reset_index(drop=True), str(path), None
    paths = [require_path(each) for each in given]
    frames = [read(path) for path in paths]
    for path, frame in zip(paths[1:], frames[1:], strict=True):
        _check_alike(frames[0], paths[0], frame, path)
    joined = pd.concat([frame[frames[0].columns] for frame in frames], ignore_index=True)
    if Data.FILE in joined.columns:
        raise ValueError(
            f"{paths[0]}: a column is named {Data.FILE!r}, which says of several files where a row is from: rename it"
        )
    codes = np.repeat(np.arange(len(frames)), [len(frame) for frame in frames])
    places = codes.astype(np.min_scalar_type(-len(frames)))
    return joined, str(paths[0]), Categories(places, tuple(path.name for path in paths))


def _check_alike(first: pd.DataFrame, of: Path, other: pd.DataFrame, path: Path) -> None:
    for one, where, two, there in ((first, of, other, path), (other, path, first, of)):
        missing = [str(name) for name in one.columns if name not in two.columns]
        if missing:
            raise ValueError(f"{there}: has no column {missing[0]!r}, which {where} has: both need the same columns")
    for name in first.columns:
        kinds = [_kind(frame[name]) for frame in (first, other)]
        if None not in kinds and kinds[0] != kinds[1]:
            raise ValueError(f"{path}: column {str(name)!r} holds {kinds[1]}, and {kinds[0]} in {of}")


def _kind(column: pd.Series) -> str | None:
    """What a column holds, in words; None where all of it is missing."""
    if column.isna().all():
        return None
    if pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dropna().infer_objects()):
        return "numbers"
    return "dates" if pd.api.types.is_datetime64_any_dtype(column.dtype) else "text"
