"""benchopt: its results as parquet or csv, one row per dataset, objective, solver, repetition and stopping value.

Of every curve the last point counts: the objective where the solver ended.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchkit.data.table import TableError
from benchkit.judging.formats.csv_rows import rows_of
from benchkit.judging.scores import Scores, checked

NAME = "benchopt"
_COLUMNS = ("solver_name", "idx_rep", "stop_val")


def recognises(columns: Any) -> bool:
    """Whether a table with these columns is one."""
    return set(_COLUMNS) <= set(columns)


def read(paths: Sequence[Path]) -> Scores:
    """Final objectives by problem and repetition; lower is better."""
    rows = rows_of(paths, "benchopt", _COLUMNS, "*.parquet" if _holds(paths, ".parquet") else "*.csv")
    data = next((name for name in ("dataset_name", "data_name") if name in rows), None)
    values = [name for name in rows if str(name).startswith("objective_value")] or [
        name for name in rows if str(name) == "objective_value"
    ]
    if data is None or not values:
        raise TableError(f"{paths[0]}: no results of benchopt: no column dataset_name or objective_value")
    keys = ["solver_name", data, *(["objective_name"] if "objective_name" in rows else []), "idx_rep"]
    last = rows.sort_values("stop_val").groupby(keys, sort=False).tail(1)
    task = last[data].astype(str)
    if "objective_name" in last and last["objective_name"].nunique() > 1:
        task = task + ", " + last["objective_name"].astype(str)
    frame = last.rename(columns={"solver_name": "method", "idx_rep": "seed"})[["method", "seed"]].assign(
        task=task, score=last[values[0]]
    )
    told = [f"{values[0]} where each solver ended; lower is better. Curves over time are not judged"]
    return checked(frame, str(paths[0]), measured=str(values[0]), higher_is_better=False, told=told)


def _holds(paths: Sequence[Path], ending: str) -> bool:
    return any(path.suffix == ending or (path.is_dir() and any(path.rglob(f"*{ending}"))) for path in paths)
