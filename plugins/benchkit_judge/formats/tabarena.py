"""TabArena: results per split, one row per dataset, fold and method; lower ``metric_error`` is better.

Rows that are ``imputed``, where another method's result stands for one that failed, are missing cells here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchkit_judge.formats.csv_rows import metrics_named, rows_of
from benchkit_judge.scores import Scores, checked

NAME = "tabarena"
_COLUMNS = ("dataset", "fold", "method", "metric_error")


def recognises(columns: Any) -> bool:
    """Whether a table with these columns is one."""
    return set(_COLUMNS) <= set(columns)


def read(paths: Sequence[Path]) -> Scores:
    """Scores by dataset and fold."""
    rows = rows_of(paths, "TabArena", _COLUMNS)
    measured, several = (
        metrics_named(list(rows["metric"].dropna().astype(str))) if "metric" in rows else ("error", False)
    )
    told = []
    error = rows["metric_error"]
    if "imputed" in rows:
        imputed = rows["imputed"].fillna(False).astype(str).str.lower() == "true"
        error = error.where(~imputed)
        told += [f"{int(imputed.sum())} imputed results are taken as missing"] if imputed.any() else []
    frame = rows.rename(columns={"dataset": "task", "fold": "seed"})[["method", "task", "seed"]].assign(score=error)
    return checked(
        frame,
        str(paths[0]),
        measured=f"error of {measured}",
        higher_is_better=False,
        several_metrics=several,
        told=told,
    )
