"""A user's Parquet file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchkit import Categories, Data, read_table
from benchkit_datasets.own.frames import Sources, leave_out, load_frame_classes, load_frame_targets, with_sources
from benchkit_datasets.own.several_files import read_files, recent, sample_rows


def load_parquet(
    path: str | list[str] | None = None,
    target: str | int = -1,
    drop: Sequence[str] = (),
    positive: Any = None,
    pair: Sequence[Any] | None = None,
    one_against_rest: Any = None,
    missing_target: str = "error",
    sources: Sources | None = None,
    rows: int | None = None,
) -> Data:
    """A Parquet table of numbers and categories, with classes to predict.

    Parameters
    ----------
    path : str or list of str
        Relative to the current directory; of several files with the same columns rows are put together, the column
        ``file`` of `Data.columns` saying where each is from.
    target : str or int, default=-1
        The column of classes: its name, or its position from 0; -1 is the last.
    drop : sequence of str, default=()
        Columns to leave out, such as the names of rows and dates.
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
        Categories one-hot with one group per feature; NaN where a value is null.
    """
    frame, target, source, aside, files = _read_own(path, target, drop, rows)
    data = load_frame_classes(frame, target, source, positive, pair, one_against_rest, missing_target, aside, files)
    return with_sources(data, sources, source)


def load_parquet_regression(
    path: str | list[str] | None = None,
    target: str | int = -1,
    drop: Sequence[str] = (),
    missing_target: str = "error",
    sources: Sources | None = None,
    rows: int | None = None,
) -> Data:
    """A Parquet table of numbers and categories, with numbers to predict.

    Parameters
    ----------
    path, target, drop, missing_target, sources, rows
        As of `load_parquet`; the target is a column of numbers.
    """
    frame, target, source, aside, files = _read_own(path, target, drop, rows)
    return with_sources(load_frame_targets(frame, target, source, missing_target, aside, files), sources, source)


def _read_own(
    given: str | list[str] | None, target: str | int, drop: Sequence[str], rows: int | None
) -> tuple[pd.DataFrame, str | int, str, pd.DataFrame, Categories | None]:
    """The table without the columns to drop, its target, its path, those columns, and which file each row is from."""
    table, source, files = read_files(given, lambda path: recent(_read, path, rows))
    frame, target, aside = leave_out(table, target, drop, source)
    return frame, target, source, aside, files


def _read(path: Path, rows: int | None = None) -> pd.DataFrame:
    frame = read_table(path)
    if frame.empty:
        raise ValueError(f"{path}: the table is empty")
    return sample_rows(frame, rows)
