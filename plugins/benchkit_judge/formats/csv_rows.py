"""Tables that tools write as they are: rows of the files named, and the columns that are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit import TableError, read_table
from benchkit_judge.formats.json_files import files_below

if TYPE_CHECKING:
    import pandas as pd


def rows_of(paths: Sequence[Path], tool: str, columns: Sequence[str], pattern: str = "*.csv") -> pd.DataFrame:
    """All rows; one line where a column lacks."""
    import pandas as pd

    frames = []
    for path in files_below(paths, pattern):
        frame = read_table(path, na_values=["NA"])
        lacking = [name for name in columns if name not in frame]
        if lacking:
            raise TableError(f"{path}: no results of {tool}: no column {', '.join(lacking)}")
        frames.append(frame)
    if not frames:
        raise TableError(f"{paths[0]}: no {pattern} here")
    return pd.concat(frames, ignore_index=True)


def metrics_named(metrics: Sequence[str]) -> tuple[str, bool]:
    """What is measured, in a word, and whether tasks are measured in several ways."""
    names = list(dict.fromkeys(metrics))
    return names[0] if len(names) == 1 else "result", len(names) > 1
