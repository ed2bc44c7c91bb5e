"""Tables of one form in several files, as one table; a part of a large table's rows, drawn once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from benchkit import Categories, Data, check_count
from benchkit_datasets.own.own_files import require_path
from benchkit_datasets.problems.subsets import draw_rows

_SEED = 0


def sample_rows(frame: pd.DataFrame, rows: int | None) -> pd.DataFrame:
    """So many rows at most, in the table's order; all where None."""
    if rows is None:
        return frame
    check_count(rows=rows)
    if rows >= len(frame):
        return frame
    return frame.iloc[draw_rows(len(frame), rows, _SEED)].reset_index(drop=True)


def recent(read: Callable[..., pd.DataFrame], path: Path, *options: Any) -> pd.DataFrame:
    """What ``read(path, *options)`` gives, the last option being the number of rows.

    The sample that was drawn last is kept as long as its file is the same: who looks at a large table asks for it with
    one column after the other left out.
    """
    if options[-1] is None:
        return read(path, *options)
    known = path.stat()
    # Of equal options, 1 and True and 1.0 are not the same.
    return _read_once(read, path, known.st_mtime_ns, known.st_size, options, tuple(map(type, options)))


@lru_cache(maxsize=1)
def _read_once(
    read: Callable[..., pd.DataFrame], path: Path, changed: int, size: int, options: tuple[Any, ...], kinds: Any
) -> pd.DataFrame:
    return read(path, *options)


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
    if pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_bool_dtype(column.dtype):
        return "numbers"
    return "dates" if pd.api.types.is_datetime64_any_dtype(column.dtype) else "text"
