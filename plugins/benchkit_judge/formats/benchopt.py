"""benchopt: its results as parquet or csv, one row per dataset, objective, solver, repetition and stopping value.

Of every curve the last point counts, the objective where the solver ended: that of the largest ``stop_val``, or, where
it is a tolerance, which begins at 3e38, of the smallest. It is minimised, unless the benchmark's
stopping criterion has ``minimize=False``, which results do not say.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchkit import TableError
from benchkit_judge.formats.csv_rows import rows_of
from benchkit_judge.scores import Scores, checked

NAME = "benchopt"
TELLS_DIRECTION = False
_TOLERANCE = 1e38
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
    largest = rows.groupby(keys, sort=False)["stop_val"].transform("max")
    tolerance = largest > _TOLERANCE
    if "sampling_strategy" in rows:
        tolerance |= rows["sampling_strategy"].astype(str).str.lower() == "tolerance"
    smallest = rows.groupby(keys, sort=False)["stop_val"].transform("min")
    last = rows[rows["stop_val"] == smallest.where(tolerance, largest)]
    if last.duplicated(keys).any():
        raise TableError(
            f"{paths[0]}: several objectives where a solver ended (evaluate_result gives a list): which counts? "
            "judge a table of those rows alone, with --format table"
        )
    task = last[data].astype(str)
    if "objective_name" in last and last["objective_name"].nunique() > 1:
        task = task + ", " + last["objective_name"].astype(str)
    frame = last.rename(columns={"solver_name": "method", "idx_rep": "seed"})[["method", "seed"]].assign(
        task=task, score=last[values[0]]
    )
    told = [
        f"{values[0]} where each solver ended; lower is better, unless --higher-is-better says otherwise. Curves over "
        "time are not judged"
    ]
    return checked(frame, str(paths[0]), measured=str(values[0]), higher_is_better=False, told=told)


def _holds(paths: Sequence[Path], ending: str) -> bool:
    return any(path.suffix == ending or (path.is_dir() and any(path.rglob(f"*{ending}"))) for path in paths)
