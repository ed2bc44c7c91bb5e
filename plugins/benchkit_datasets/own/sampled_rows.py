"""A part of a large table's rows, drawn once."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from benchkit import check_count
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
