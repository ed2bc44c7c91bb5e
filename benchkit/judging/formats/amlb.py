"""AMLB, the AutoML benchmark: ``results.csv``, one row per task, framework and fold.

``result`` is better when higher: errors have their sign turned (``neg_logloss``). Versions before 1.0 wrote logloss as
it is, without the column ``metric``; it is turned here.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchkit.judging.formats.csv_rows import metrics_named, rows_of
from benchkit.judging.scores import Scores, checked

NAME = "amlb"
_COLUMNS = ("task", "framework", "fold", "result")


def recognises(columns: Any) -> bool:
    """Whether a table with these columns is one."""
    return set(_COLUMNS) <= set(columns)


def read(paths: Sequence[Path]) -> Scores:
    """Scores by task and fold; failed jobs are missing cells."""
    import pandas as pd

    rows = rows_of(paths, "AMLB", _COLUMNS)
    result = pd.to_numeric(rows["result"], errors="coerce")
    if "metric" in rows:
        metrics = rows["metric"].dropna().astype(str)
    else:
        is_loss = rows["logloss"].notna() & (rows["logloss"] == result) if "logloss" in rows else result != result
        metrics = is_loss.map({True: "neg_logloss", False: "auc"})[result.notna()]
        result = result.where(~is_loss, -result)
    measured, several = metrics_named(list(metrics))
    frame = pd.DataFrame({"method": rows["framework"], "task": rows["task"], "seed": rows["fold"], "score": result})
    told = [f"{int(result.isna().sum())} jobs gave no result"] if result.isna().any() else []
    return checked(frame, str(paths[0]), measured=measured, higher_is_better=True, several_metrics=several, told=told)
