"""A user's Parquet file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from benchkit import Data
from benchkit_datasets.own.frames import leave_out, load_frame_classes, load_frame_targets
from benchkit_datasets.own.own_files import require_path


def load_parquet(
    path: str | None = None,
    target: str | int = -1,
    drop: Sequence[str] = (),
    positive: Any = None,
    pair: Sequence[Any] | None = None,
    one_against_rest: Any = None,
    missing_target: str = "error",
) -> Data:
    """A Parquet table of numbers and categories, with classes to predict.

    Parameters
    ----------
    path : str
        Relative to the current directory.
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

    Returns
    -------
    Data
        Categories one-hot with one group per feature; NaN where a value is null.
    """
    return load_frame_classes(*_read_own(path, target, drop), positive, pair, one_against_rest, missing_target)


def load_parquet_regression(
    path: str | None = None, target: str | int = -1, drop: Sequence[str] = (), missing_target: str = "error"
) -> Data:
    """A Parquet table of numbers and categories, with numbers to predict.

    Parameters
    ----------
    path, target, drop, missing_target
        As of `load_parquet`; the target is a column of numbers.
    """
    return load_frame_targets(*_read_own(path, target, drop), missing_target)


def _read_own(given: str | None, target: str | int, drop: Sequence[str]) -> tuple[pd.DataFrame, str | int, str]:
    """The table without the columns to drop, its target, and its path."""
    path = require_path(given)
    frame, target = leave_out(_read(path), target, drop, str(path))
    return frame, target, str(path)


def _read(path: Path) -> pd.DataFrame:
    try:
        frame = pd.read_parquet(path)
    except ImportError:
        raise ValueError(f"{path}: reading Parquet needs pyarrow: pip install pyarrow") from None
    # What a damaged file raises are pyarrow's own errors, some of which are OSError, some ValueError.
    except (OSError, ValueError) as error:
        raise ValueError(f"{path}: not a Parquet file ({' '.join(str(error).split())})") from None
    if frame.empty:
        raise ValueError(f"{path}: the table is empty")
    return frame
